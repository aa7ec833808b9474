/** What a figure is: a picture as a Vega specification, the words around it, and the numbers that it draws. */
import type { Spec } from 'vega';
import type { BatchModel, ReportModel } from '../model.js';
import type { Theme } from './theme.js';

export type Cell = string | number | null;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Figure {
  readonly title: string;
  /** How to read it, for a person. */
  readonly caption: string;
  /** What the picture shows, for who does not see it. */
  readonly alternative: string;
  readonly spec: (theme: Theme) => Spec;
  /** What is drawn, in base units. */
  readonly data: Table;
  /** It has the signals `from` and `to`, shares of its horizontal axis. */
  readonly zoomable?: boolean;
}

/** What keeps it from being drawn: the rest of a sentence that begins with the figure's title. */
export interface Absent {
  readonly title: string;
  readonly why: string;
}

export interface CampaignFigure {
  readonly scope: 'campaign';
  readonly name: string;
  readonly draw: (report: ReportModel) => Figure | Absent;
}

export interface BatchFigure {
  readonly scope: 'batch';
  readonly name: string;
  readonly draw: (batch: BatchModel, report: ReportModel) => Figure | Absent;
}

export type FigureKind = CampaignFigure | BatchFigure;

export const isDrawn = (result: Figure | Absent): result is Figure => 'spec' in result;

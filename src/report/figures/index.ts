/** Every figure of a report, in its order. A new one is its file and its line here. */
import type { BatchModel, ReportModel } from '../model.js';
import { lettersText } from '../stack-letters.js';
import { autocorrelation } from './autocorrelation.js';
import { baseline } from './baseline.js';
import { betweenWithin } from './between-within.js';
import { comparison } from './comparison.js';
import { curves } from './curves.js';
import { distribution } from './distribution.js';
import {
  type Absent,
  type BatchFigure,
  type CampaignFigure,
  type Figure,
  type FigureKind,
  isDrawn,
} from './figure.js';
import { launches } from './launches.js';
import { repetitions } from './repetitions.js';
import { roofline } from './roofline.js';
import { samples } from './samples.js';
import { stability } from './stability.js';
import { sustained } from './sustained.js';
import { sweep } from './sweep.js';
import { violins } from './violins.js';

const figures: readonly FigureKind[] = [
  baseline,
  comparison,
  violins,
  sweep,
  curves,
  repetitions,
  stability,
  betweenWithin,
  sustained,
  roofline,
  launches,
  samples,
  distribution,
  autocorrelation,
];

/** A figure with the name that its file and its place in the page have: `violins`, `samples-2`. */
export interface Named<T> {
  readonly id: string;
  readonly result: T;
}

export interface BatchFigures {
  readonly batch: BatchModel;
  /** In the record, from 1. */
  readonly number: number;
  readonly figures: readonly Named<Figure | Absent>[];
}

export interface ReportFigures {
  readonly campaign: readonly Named<Figure | Absent>[];
  /** Of the batches whose launches were read. */
  readonly batches: readonly BatchFigures[];
}

const isCampaign = (kind: FigureKind): kind is CampaignFigure => kind.scope === 'campaign';
const isBatch = (kind: FigureKind): kind is BatchFigure => kind.scope === 'batch';

/** A figure may be looked at far from the table that says what the letters of stacks stand for. */
function withLetters(result: Figure | Absent, { stackLetters }: ReportModel): Figure | Absent {
  const letters = lettersText(stackLetters);
  if (letters === '' || !isDrawn(result)) return result;
  return {
    ...result,
    caption: `${result.caption} ${letters}`,
    alternative: `${result.alternative} ${letters}`,
  };
}

export function drawFigures(report: ReportModel): ReportFigures {
  return {
    campaign: figures
      .filter(isCampaign)
      .map(({ name, draw }) => ({ id: name, result: withLetters(draw(report), report) })),
    batches: report.batches.flatMap((batch, i) =>
      batch.details === null
        ? []
        : [
            {
              batch,
              number: i + 1,
              figures: figures
                .filter(isBatch)
                .map(({ name, draw }) => ({ id: `${name}-${i + 1}`, result: draw(batch, report) })),
            },
          ],
    ),
  };
}

/** Those that could be drawn, campaign first. */
export function drawn({ campaign, batches }: ReportFigures): readonly Named<Figure>[] {
  return [...campaign, ...batches.flatMap(({ figures: own }) => own)].flatMap(({ id, result }) =>
    isDrawn(result) ? [{ id, result }] : [],
  );
}

/**
 * The form in which a fleet is kept: JSON Lines, one line for each node, with its hardware, its settings, what its checks said
 * and, for each KPI, a few statistics and the shape of its distribution. `fleet nodes` writes it from records; ten thousand
 * nodes of two hundred KPIs are read in seconds, which is why a KPI's line is checked by hand and not by a schema.
 */
import { UserError } from '../errors.js';
import type { BaselineDevice } from '../qualify/baseline-schema.js';
import { VERDICTS } from '../record/schema/qualification.js';
import type { Hertz, Seconds } from '../units.js';
import { KNOTS, MEDIAN_KNOT } from './sketch.js';

export const NODE_KIND = 'pi-bench node';
export const NODE_VERSION = 1;

/** The numbers of `shape` are shares of the median times this. */
export const SHAPE_UNIT = 1e5;

export type Value = string | number | boolean | null;

export interface NodeKpi {
  /** What is measured, and on which stack: `keyText` of `case-key.ts`, or whatever another tool calls it. */
  readonly key: string;
  /** The device, as the node's `devices` name it: `cpu`, `cuda:3`. */
  readonly on: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** Repetitions of all launches. */
  readonly n: number;
  readonly launches: number;
  /** Over the launches, of the median rate of each. */
  readonly median: number;
  /** The rate that 95 % of the repetitions reach. */
  readonly p05: number | null;
  /** Over the wall clock, pauses included. */
  readonly sustained: number | null;
  /** Standard deviation / mean of the rates of all repetitions. */
  readonly cv: number | null;
  /** Change of the rate from the first to the last repetition, as a share: median over the launches. Below 0: it got slower. */
  readonly drift: number | null;
  /**
   * The quantiles of `sketch.ts` over all repetitions, each as its distance from their median in hundred-thousandths of it:
   * slower ones are below 0. null: not known.
   */
  readonly shape: readonly number[] | null;
  /** What bounds the rate, in the same unit. */
  readonly peak: { readonly value: number; readonly source: string; readonly measured: boolean } | null;
  /** Effective clock rate. */
  readonly hertz: Hertz | null;
  /** That measuring it took. */
  readonly seconds: Seconds | null;
  /** Validity flags of its launches. */
  readonly flags: readonly string[];
}

export type CheckVerdict = (typeof VERDICTS)[number];

/** A check of a qualification, or of another tool. */
export interface NodeCheck {
  readonly name: string;
  readonly verdict: CheckVerdict;
  /** A stable name; null: none is known. */
  readonly cause: string | null;
  readonly reason: string | null;
  readonly seconds: Seconds | null;
}

export interface NodeProblem {
  /** `wrong`: an output was; `lost`: something that was asked for was not measured. */
  readonly kind: 'wrong' | 'lost';
  readonly what: string;
  readonly why: string;
}

export interface NodeHead {
  readonly node: string;
  /** A hash that tells machines apart. */
  readonly machine: string | null;
  readonly hostname: string | null;
  readonly campaign: string | null;
  /** Of the record that it came from. */
  readonly digest: string | null;
  /** ISO. */
  readonly at: string | null;
  /** Version and commit of the tool that measured. */
  readonly tool: { readonly name: string; readonly version: string | null; readonly commit: string | null };
  /** What has to be equal for nodes to be compared. */
  readonly hardware: Readonly<Record<string, Value>>;
  /** What may differ and then be the reason: governor, quota, kernel. */
  readonly settings: Readonly<Record<string, Value>>;
  readonly devices: Readonly<Record<string, BaselineDevice>>;
  readonly checks: readonly NodeCheck[];
  readonly problems: readonly NodeProblem[];
}

export interface NodeLine extends NodeHead {
  readonly kpis: readonly NodeKpi[];
}

/** @returns one line, with its end */
export function toLine(node: NodeLine): string {
  return `${JSON.stringify({ kind: NODE_KIND, schemaVersion: NODE_VERSION, ...node })}\n`;
}

/** The quantiles of a sketch as a line has them. */
export function shapeOf(sketch: Float64Array): number[] {
  const middle = sketch[MEDIAN_KNOT] ?? 0;
  return Array.from(sketch, (value) => Math.round((value / middle - 1) * SHAPE_UNIT));
}

type Unchecked = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Unchecked =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isOrNull = (value: unknown): boolean => value === null || isNumber(value);

/** What is wrong with a KPI; null: nothing. A fleet has millions of them, so it makes no objects. */
function problemOfKpi(kpi: Unchecked, devices: Unchecked): string | null {
  if (!isText(kpi.key)) return 'a KPI has no key';
  const named = `KPI ${kpi.key}`;
  if (typeof kpi.on !== 'string' || !(kpi.on in devices)) return `${named} is on no device of this node`;
  if (kpi.better !== 'higher' && kpi.better !== 'lower') return `${named} does not say what is better`;
  if (!isNumber(kpi.median) || kpi.median <= 0) return `${named} has no median above 0`;
  if (!isNumber(kpi.n) || kpi.n < 1) return `${named} has no number of repetitions`;
  for (const name of ['p05', 'sustained', 'cv', 'drift', 'hertz', 'seconds']) {
    if (!isOrNull(kpi[name])) return `${named}: ${name} is neither a number nor null`;
  }
  if (!Array.isArray(kpi.flags)) return `${named} has no list of flags`;
  if (kpi.shape === null) return null;
  return Array.isArray(kpi.shape) && kpi.shape.length === KNOTS && kpi.shape.every(isAscending)
    ? null
    : `${named}: its shape is not ${KNOTS} ascending numbers`;
}

const isAscending = (value: unknown, i: number, all: readonly unknown[]): boolean =>
  isNumber(value) && value >= -SHAPE_UNIT && (i === 0 || value >= (all[i - 1] as number));

function problemOfHead(line: Unchecked): string | null {
  if (!isText(line.node)) return 'it has no node';
  for (const name of ['hardware', 'settings', 'devices', 'tool']) {
    if (!isObject(line[name])) return `it has no ${name}`;
  }
  for (const name of ['checks', 'problems', 'kpis']) {
    if (!Array.isArray(line[name])) return `it has no list of ${name}`;
  }
  const checks = line.checks as readonly unknown[];
  const broken = checks.find(
    (check) => !isObject(check) || !isText(check.name) || !VERDICTS.some((one) => one === check.verdict),
  );
  return broken === undefined ? null : 'a check has no name, or a verdict that is none';
}

/** @param value of JSON. @returns null: it is another document */
export function asNodeLine(value: unknown, where: string): NodeLine | null {
  if (!isObject(value) || value.kind !== NODE_KIND) return null;
  const { schemaVersion } = value;
  if (!isNumber(schemaVersion)) throw new UserError(`${where}: the node has no schema version`);
  if (schemaVersion > NODE_VERSION) {
    throw new UserError(
      `${where}: the node has schema version ${schemaVersion}; this pi-bench reads up to ${NODE_VERSION}: use a newer pi-bench`,
    );
  }
  const problem = problemOfHead(value) ?? problemOfKpis(value);
  if (problem !== null) throw new UserError(`${where}: ${problem}`);
  return value as unknown as NodeLine;
}

function problemOfKpis({ kpis, devices }: Unchecked): string | null {
  for (const kpi of kpis as readonly unknown[]) {
    const problem = isObject(kpi) ? problemOfKpi(kpi, devices as Unchecked) : 'a KPI is no object';
    if (problem !== null) return problem;
  }
  return null;
}

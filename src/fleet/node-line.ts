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

const NODE_KIND = 'pi-bench node';
const NODE_VERSION = 1;

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
  /** Validity flags of its launches. `throttled` is by a quota, and `thermal` by heat, also of a CPU; a line of before has `throttled` for both. */
  readonly flags: readonly string[];
}

export type CheckVerdict = (typeof VERDICTS)[number];

/** A check of a qualification, or of another tool. */
export interface NodeCheck {
  readonly name: string;
  readonly verdict: CheckVerdict;
  /** Whether a node qualifies only if it is pass or warn; left out: not known, as of another tool's check, or in a line of before it was kept. */
  readonly required?: boolean;
  /** A stable name; null: none is known. */
  readonly cause: string | null;
  readonly reason: string | null;
  readonly seconds: Seconds | null;
  /** What it judges was measured on several devices at once; left out: by itself, or in a line of before it was kept. */
  readonly atOnce?: boolean;
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
  /** Of another tool's metrics: those that are no KPI here, and one of them. Left out: none. */
  readonly leftOut?: { readonly metrics: number; readonly example: string };
}

export interface NodeLine extends NodeHead {
  readonly kpis: readonly NodeKpi[];
}

/** A node of which nothing is known but who looked at it. */
export const unknownNode = (node: string, tool: string, version: string | null = null): NodeLine => ({
  node,
  machine: null,
  hostname: null,
  campaign: null,
  digest: null,
  at: null,
  tool: { name: tool, version, commit: null },
  hardware: {},
  settings: {},
  devices: {},
  checks: [],
  problems: [],
  kpis: [],
});

/** @returns one line, with its end */
export function toLine(node: NodeLine): string {
  return `${JSON.stringify({ kind: NODE_KIND, schemaVersion: NODE_VERSION, ...node })}\n`;
}

/** The quantiles of a sketch as a line has them. However slow, a repetition has a rate above 0: of 0 there would be no time. */
export function shapeOf(sketch: Float64Array): number[] {
  const middle = sketch[MEDIAN_KNOT] ?? 0;
  return Array.from(sketch, (value) =>
    Math.max(1 - SHAPE_UNIT, Math.round((value / middle - 1) * SHAPE_UNIT)),
  );
}

type Unchecked = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Unchecked =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isAboveOrNull = (value: unknown): boolean => value === null || (isNumber(value) && value > 0);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
/** What a terminal would obey, or a line of a report would end at. */
export const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

/** As of a baseline: rates that are put together of several launches in two ways differ a little. */
const MOST_OF_MEDIAN = 1.1;

const ABOVE_0 = ['p05', 'sustained', 'hertz'] as const;

/** What is wrong with a KPI; null: nothing. A fleet has millions of them, so it makes no objects and no texts. */
function problemOfKpi(kpi: Unchecked, devices: Unchecked): string | null {
  if (!isText(kpi.key)) return 'a KPI has no key';
  if (typeof kpi.on !== 'string' || !Object.hasOwn(devices, kpi.on)) return 'is on no device of this node';
  if (kpi.better !== 'higher' && kpi.better !== 'lower') return 'does not say what is better';
  if (typeof kpi.unit !== 'string') return 'has no unit';
  if (!isNumber(kpi.median) || kpi.median <= 0) return 'has no median above 0';
  if (!isNumber(kpi.n) || kpi.n < 1) return 'has no number of repetitions';
  for (let i = 0; i < ABOVE_0.length; i++) {
    const name = ABOVE_0[i] as string;
    if (!isAboveOrNull(kpi[name])) return `has a ${name} that is neither a number above 0 nor null`;
  }
  if (kpi.better === 'higher' && kpi.p05 !== null && (kpi.p05 as number) > MOST_OF_MEDIAN * kpi.median)
    return 'has a p05 that lies above its median';
  if (kpi.cv !== null && !(isNumber(kpi.cv) && kpi.cv >= 0))
    return 'has a cv that is neither a number from 0 on nor null';
  if (kpi.drift !== null && !isNumber(kpi.drift)) return 'has a drift that is neither a number nor null';
  if (kpi.seconds !== null && !(isNumber(kpi.seconds) && kpi.seconds >= 0))
    return 'has seconds that are neither a number from 0 on nor null';
  if (!Array.isArray(kpi.flags)) return 'has no list of flags';
  if (kpi.peak != null && !isAboveOrNull((kpi.peak as Unchecked).value))
    return 'has a peak that is no number above 0';
  return isShape(kpi.shape) ? null : `has a shape that is not ${KNOTS} ascending numbers`;
}

function isShape(shape: unknown): boolean {
  if (shape === null) return true;
  if (!Array.isArray(shape) || shape.length !== KNOTS) return false;
  let before = -SHAPE_UNIT;
  for (let knot = 0; knot < KNOTS; knot++) {
    const value: unknown = shape[knot];
    if (!isNumber(value) || value < before) return false;
    before = value;
  }
  return true;
}

const isScalar = (value: unknown): boolean =>
  value === null || isNumber(value) || typeof value === 'string' || typeof value === 'boolean';

const isDevice = (value: unknown): boolean =>
  isObject(value) &&
  (value.kind === 'cpu' || value.kind === 'gpu') &&
  isText(value.name) &&
  [value.cpus, value.powerLimitWatts].every((one) => one === null || isNumber(one)) &&
  [value.pciDevice, value.pciSubsystem].every(isTextOrNull);

const isCheck = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.name) &&
  VERDICTS.some((one) => one === value.verdict) &&
  (value.required === undefined || typeof value.required === 'boolean') &&
  (value.atOnce === undefined || typeof value.atOnce === 'boolean') &&
  [value.cause, value.reason].every(isTextOrNull);

const isLeftOut = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) && isNumber(value.metrics) && isText(value.example) && !hasControl(value.example));

const isProblem = (value: unknown): boolean =>
  isObject(value) &&
  (value.kind === 'wrong' || value.kind === 'lost') &&
  typeof value.what === 'string' &&
  typeof value.why === 'string';

function problemOfHead(line: Unchecked): string | null {
  if (!isText(line.node)) return 'it has no node';
  if (hasControl(line.node)) return 'the name of its node has control characters';
  for (const name of ['hardware', 'settings', 'devices', 'tool']) {
    if (!isObject(line[name])) return `it has no ${name}`;
  }
  for (const name of ['checks', 'problems', 'kpis']) {
    if (!Array.isArray(line[name])) return `it has no list of ${name}`;
  }
  for (const name of ['machine', 'hostname', 'campaign', 'digest', 'at']) {
    if (!isTextOrNull(line[name])) return `its ${name} is neither a text nor null`;
  }
  for (const name of ['hardware', 'settings']) {
    if (!Object.values(line[name] as Unchecked).every(isScalar)) return `its ${name} are not plain values`;
  }
  const broken = Object.entries(line.devices as Unchecked).find(([, device]) => !isDevice(device));
  if (broken !== undefined) return `its device ${broken[0]} is not described`;
  if (!isLeftOut(line.leftOut)) return 'it does not say how many metrics were left out, and one of them';
  if (!(line.checks as readonly unknown[]).every(isCheck))
    return 'a check has no name, or a verdict that is none, or a required that is neither true nor false';
  return (line.problems as readonly unknown[]).every(isProblem)
    ? null
    : 'a problem does not say what is wrong or lost, and why';
}

/**
 * @param value of JSON
 * @param where it stands, for what is said of it
 * @returns null: it is another document
 * @throws UserError for a node that is not whole, or of a newer schema
 */
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
    if (!isObject(kpi)) return 'a KPI is no object';
    const problem = problemOfKpi(kpi, devices as Unchecked);
    if (problem !== null) return isText(kpi.key) ? `KPI ${kpi.key} ${problem}` : problem;
  }
  return null;
}

/** The curves of a record: batches of one sweep, put together. Pure. */
import { findIndicator } from '../indicators/index.js';
import { canonicalJson } from './digest.js';
import type { CurveDeclaration, KpiValue } from './kpi.js';
import { basisOf } from './kpi-basis.js';
import { batchLabels } from './labels.js';
import { isResult } from './result.js';
import type { CurveKpi, Labels, RecordBatch } from './schema.js';

interface Point {
  readonly batch: RecordBatch;
  readonly x: number;
  readonly y: KpiValue;
}

const without = (along: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(along.map((name) => [name, null]));

/** Batches that differ in nothing but the parameters `along`. */
function sweepsOf(batches: readonly RecordBatch[], along: readonly string[]): RecordBatch[][] {
  const sweeps = new Map<string, RecordBatch[]>();
  for (const batch of batches) {
    const { case: one, ...asked } = batch.asked;
    const key = canonicalJson({ ...asked, indicator: one.indicator, ...one.parameters, ...without(along) });
    sweeps.set(key, [...(sweeps.get(key) ?? []), batch]);
  }
  return [...sweeps.values()];
}

/** null where points executed different things. */
function implementationOf(sweep: readonly RecordBatch[]): string | null {
  const [one = null, ...others] = new Set(sweep.map(({ stack }) => stack.implementation));
  return others.length === 0 ? one : null;
}

function ciOf(points: readonly Point[]): CurveKpi['ci'] {
  const level = points.find(({ y }) => y.ci !== null)?.y.ci?.level;
  if (level === undefined) return null;
  const bases = points.map(({ y }) => y.ci?.basis ?? null);
  return {
    level,
    intervals: points.map(({ y }) => (y.ci === null ? null : [y.ci.low, y.ci.high])),
    ...(bases.every((basis) => basis === null) ? {} : { basis: bases }),
  };
}

function curveOf(
  declaration: CurveDeclaration,
  sweep: readonly RecordBatch[],
  labels: Labels,
  batches: readonly RecordBatch[],
  timestamp: string,
): CurveKpi[] {
  const { along, x: xOf, name, direction, help, statistic, display, regression, xUnit, yUnit } = declaration;
  const points = sweep
    .flatMap((batch): Point[] => {
      const x = xOf(batch.case.parameters);
      const y = declaration.point(batch);
      return x !== null && y !== null ? [{ x, y, batch }] : [];
    })
    .sort((a, b) => a.x - b.x);
  const own = points.map(({ batch }) => batch);
  const [first] = sweep;
  if (points.length < 2 || first === undefined) return [];
  return [
    {
      name,
      points: points.map(({ x, y }) => [x, y.value]),
      xUnit,
      yUnit: yUnit(first),
      direction,
      help,
      statistic,
      ci: ciOf(points),
      display: { ...display(first) },
      regression,
      // The same keys as the points' own KPIs; what varies along the curve has no one value.
      labels: {
        ...batchLabels(labels, first),
        ...without(along),
        stack_implementation: implementationOf(sweep),
      },
      batches: own.map((batch) => batches.indexOf(batch)),
      launches: points.map(({ batch, y }) => y.launches ?? batch.measured),
      ...basisOf(own, timestamp),
    },
  ];
}

/** @param timestamp as of `kpisOf` */
export function curvesOf(batches: readonly RecordBatch[], labels: Labels, timestamp: string): CurveKpi[] {
  const results = batches.filter(isResult);
  const names = new Set(results.map((batch) => batch.case.indicator));
  return [...names].flatMap((name) =>
    findIndicator(name).curves.flatMap((declaration) =>
      sweepsOf(
        results.filter((batch) => batch.case.indicator === name),
        declaration.along,
      ).flatMap((sweep) => curveOf(declaration, sweep, labels, batches, timestamp)),
    ),
  );
}

/** What a baseline says of each KPI of a fleet, in the form in which the fleet's own centres are. Pure. */
import { requireSameHardware } from '../qualify/baseline.js';
import { sameDevice } from '../qualify/baseline-key.js';
import type { Baseline, BaselineEntry } from '../qualify/baseline-schema.js';
import { cvOfSketch, sketchOfEntry } from './baseline.js';
import { keyText, readKey } from './case-key.js';
import type { BaselineCentres } from './judge-series.js';
import { type Centre, degreesOfMad, MAD_OF_NORMAL } from './limits.js';
import { refuseMixedLimits } from './power-limits.js';
import type { Fleet, Series } from './table.js';

/** Rates are compared by their logarithms, worse above. */
const ofRate = (value: number, { spread, median, nodes }: BaselineEntry): Centre => ({
  centre: -Math.log(value),
  deviation: (MAD_OF_NORMAL * spread.mad) / median,
  nodes,
  degrees: degreesOfMad(nodes),
});

const fixed = (centre: number, nodes: number): Centre => ({ centre, deviation: 0, nodes, degrees: 1 });

function centresOf(entry: BaselineEntry, sustained: BaselineEntry | undefined): BaselineCentres {
  const sketch = sketchOfEntry(entry);
  const { nodes, median, p05 } = entry;
  return {
    centres: {
      median: ofRate(median, entry),
      ...(p05 === null ? {} : { p05: ofRate(p05, entry) }),
      ...(sustained === undefined ? {} : { sustained: ofRate(sustained.median, sustained) }),
      drift: fixed(0, nodes),
      ...(sketch === null
        ? {}
        : {
            spread: fixed(cvOfSketch(sketch), nodes),
            distribution: { ...ofRate(median, entry), centre: 0 },
          }),
    },
    sketch: sketch === null ? null : { values: sketch, n: Number.POSITIVE_INFINITY },
  };
}

/**
 * @returns of each series what it is judged by; null: there is no entry for it
 * @throws UserError where the baseline has none of the fleet's devices, or their power limits differ
 */
export function baselineCentres(
  baseline: Baseline,
  fleet: Fleet,
): (series: Series) => BaselineCentres | null {
  refuseMixedLimits(fleet);
  const devices = fleet.series.map(({ device }) => device);
  requireSameHardware(baseline, devices, baseline.name, 'these nodes are');
  const byKey = new Map<string, BaselineEntry[]>();
  for (const entry of baseline.entries) {
    const key = keyText({ ...entry, kpi: 'any' });
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return ({ key, device, unit, better }) => {
    const own = readKey(key);
    if (own === null) return null;
    const entries = (byKey.get(keyText({ ...own, kpi: 'any' })) ?? []).filter(
      (entry) => sameDevice(entry.device, device) && entry.unit === unit && entry.direction === better,
    );
    const entry = entries.find(({ kpi }) => kpi === own.kpi);
    // What is written of a KPI whose lower is better is no rate, and nothing here turns it into one.
    if (entry === undefined || better === 'lower') return null;
    return centresOf(
      entry,
      entries.find(({ kpi }) => kpi.includes('_sustained_')),
    );
  };
}

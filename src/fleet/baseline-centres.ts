/** What a baseline says of each KPI of a fleet, in the form in which the fleet's own centres are. Pure. */
import { UserError } from '../errors.js';
import { deviceText } from '../qualify/baseline-key.js';
import type { Baseline, BaselineDevice, BaselineEntry } from '../qualify/baseline-schema.js';
import { cvOfSketch, sketchOfEntry } from './baseline.js';
import { keyText, readKey } from './case-key.js';
import type { BaselineCentres } from './judge-series.js';
import { type Centre, MAD_OF_NORMAL } from './limits.js';
import type { Fleet, Series } from './table.js';

const sameDevice = (a: BaselineDevice, b: BaselineDevice): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  a.cpus === b.cpus &&
  a.pciDevice === b.pciDevice &&
  a.pciSubsystem === b.pciSubsystem &&
  a.powerLimitWatts === b.powerLimitWatts;

/** Rates are compared by their logarithms, worse above. */
const ofRate = (value: number, { spread, median, nodes }: BaselineEntry): Centre => ({
  centre: -Math.log(value),
  deviation: (MAD_OF_NORMAL * spread.mad) / median,
  nodes,
});

const fixed = (centre: number, nodes: number): Centre => ({ centre, deviation: 0, nodes });

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
 * @throws UserError where the baseline has none of the fleet's devices
 */
export function baselineCentres(
  { name, entries }: Baseline,
  { series }: Fleet,
): (series: Series) => BaselineCentres | null {
  const devices = series.map(({ device }) => device);
  const known = entries.some((entry) => devices.some((device) => sameDevice(entry.device, device)));
  const [first, other] = [entries[0], devices[0]];
  if (!known && first !== undefined && other !== undefined) {
    throw new UserError(
      `the baseline ${name} is of other hardware: it has ${deviceText(first.device)}, these nodes are ${deviceText(other)}; make one from nodes of their kind (pi-bench fleet baseline)`,
    );
  }
  const byKey = new Map<string, BaselineEntry[]>();
  for (const entry of entries) {
    const key = keyText({ ...entry, kpi: 'any' });
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return ({ key, device }) => {
    const own = readKey(key);
    if (own === null) return null;
    const entries = (byKey.get(keyText({ ...own, kpi: 'any' })) ?? []).filter((entry) =>
      sameDevice(entry.device, device),
    );
    const entry = entries.find(({ kpi }) => kpi === own.kpi);
    return entry === undefined
      ? null
      : centresOf(
          entry,
          entries.find(({ kpi }) => kpi.includes('_sustained_')),
        );
  };
}

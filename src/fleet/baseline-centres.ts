/** What a baseline says of a fleet, in the form in which the fleet's own centres are, and what the fleet lacks of it. Pure. */
import { requireSameHardware } from '../qualify/baseline.js';
import {
  commonHardware,
  type DeviceHere,
  hardwareIn,
  isHardwareKnown,
} from '../qualify/baseline-hardware.js';
import { areGpusCounted, sameDevice } from '../qualify/baseline-key.js';
import type { Apart, Baseline, BaselineDevice, BaselineEntry } from '../qualify/baseline-schema.js';
import { versionsOf } from '../qualify/versions.js';
import { sketchOfEntry } from './baseline.js';
import { keyText, readKey } from './case-key.js';
import type { BaselineCentres } from './judge-series.js';
import { type Centre, degreesOfMad, degreesOfOthers, MAD_OF_NORMAL } from './limits.js';
import { type Missing, missingBeside } from './missing.js';
import { refuseMixedLimits } from './power-limits.js';
import type { RuleName } from './rules.js';
import type { Fleet, Series } from './table.js';

/** A baseline as the nodes of one fleet are held against it. */
export interface HeldAgainst {
  readonly name: string;
  readonly nodes: number;
  /** Of pi-bench, that measured it. */
  readonly versions: readonly string[];
  /** null: it has no entry for this series. */
  readonly of: (series: Series) => BaselineCentres | null;
  /** Where a device's typical deviation over all KPIs lies; null: it does not say. */
  readonly overall: (device: BaselineDevice) => Centre | null;
  readonly missing: readonly Missing[];
  /** Whether its CPU could be told from others of the same name; of GPUs alone there is none to be told. */
  readonly isHardwareKnown: boolean;
  /** Whether it says how many GPUs a node has, or has no GPUs. */
  readonly areGpusCounted: boolean;
}

type Known = NonNullable<Apart>;

const ofShare = ({ centre, deviation, nodes }: Known): Centre => ({
  centre,
  deviation,
  nodes,
  degrees: degreesOfOthers(nodes),
  ofOthers: true,
});

/** Rates are compared by their logarithms, worse above. */
const ofRate = ({ centre, ...known }: Known): Centre => ofShare({ ...known, centre: -Math.log(centre) });

const ofChange = ({ centre, ...known }: Known): Centre => ofShare({ ...known, centre: -centre });

const ofMedians = ({ median, spread, nodes }: BaselineEntry): Centre => ({
  centre: -Math.log(median),
  deviation: (MAD_OF_NORMAL * spread.mad) / median,
  nodes,
  degrees: degreesOfMad(nodes),
  ofOthers: true,
});

/**
 * By what nobody knows how far healthy nodes differ no node is judged: one spread in the place of another would name healthy nodes.
 */
function centresOf(entry: BaselineEntry, sustained: BaselineEntry | undefined): BaselineCentres {
  const sketch = sketchOfEntry(entry);
  const { p05, cv, drift, distribution } = entry.apart ?? {
    p05: null,
    cv: null,
    drift: null,
    distribution: null,
  };
  const centres: Partial<Record<RuleName, Centre>> = {
    median: ofMedians(entry),
    ...(p05 === null ? {} : { p05: ofRate(p05) }),
    ...(sustained === undefined ? {} : { sustained: ofMedians(sustained) }),
    ...(cv === null ? {} : { spread: ofShare(cv) }),
    ...(drift === null ? {} : { drift: ofChange(drift) }),
    ...(sketch === null || distribution === null ? {} : { distribution: ofShare(distribution) }),
  };
  return {
    centres,
    sketch: sketch === null ? null : { values: sketch, n: Number.POSITIVE_INFINITY },
    older: entry.apart === undefined,
  };
}

/** The KPI of an entry has no part in it: an entry of what is sustained stands beside that of the rate. */
function centresBySeries({ entries }: Baseline): (series: Series) => BaselineCentres | null {
  const byKey = new Map<string, BaselineEntry[]>();
  for (const entry of entries) {
    const key = keyText({ ...entry, kpi: 'any' });
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return ({ key, device, unit, better }) => {
    const own = readKey(key);
    if (own === null) return null;
    const same = (byKey.get(keyText({ ...own, kpi: 'any' })) ?? []).filter(
      (entry) => sameDevice(entry.device, device) && entry.unit === unit && entry.direction === better,
    );
    const entry = same.find(({ kpi }) => kpi === own.kpi);
    // What is written of a KPI whose lower is better is no rate, and nothing here turns it into one.
    if (entry === undefined || better === 'lower') return null;
    return centresOf(
      entry,
      same.find(({ kpi }) => kpi.includes('_sustained_')),
    );
  };
}

/** Each device that has a KPI, with the hardware of these nodes; they are of several kinds only where they were asked to be. */
function devicesOf({ nodes, series }: Fleet): readonly DeviceHere[] {
  const kinds = new Map(
    nodes.map(({ hardware }) => {
      const known = hardwareIn(hardware);
      return [JSON.stringify(known), known];
    }),
  );
  return series.flatMap(({ device }) => [...kinds.values()].map((hardware) => ({ ...device, hardware })));
}

/**
 * @param across facts of the hardware that may differ all the same
 * @throws UserError where the fleet's devices of a kind are none of the baseline's, or power limits differ
 */
export function heldAgainst(baseline: Baseline, fleet: Fleet, across: readonly string[] = []): HeldAgainst {
  refuseMixedLimits(fleet);
  requireSameHardware(baseline, devicesOf(fleet), baseline.name, 'these nodes are', across);
  const own = commonHardware(fleet.nodes.map(({ hardware }) => hardwareIn(hardware)));
  const { overall = [] } = baseline;
  return {
    name: baseline.name,
    nodes: baseline.nodes.length,
    versions: versionsOf(baseline),
    of: centresBySeries(baseline),
    overall: (device) => {
      const apart = overall.find((one) => sameDevice(one.device, device))?.apart ?? null;
      return apart === null ? null : ofShare(apart);
    },
    missing: missingBeside(fleet, baseline),
    isHardwareKnown:
      baseline.entries.every(({ device }) => device.kind !== 'cpu') ||
      isHardwareKnown(baseline.hardware, own),
    areGpusCounted: areGpusCounted(baseline),
  };
}

import { describe, expect, it } from 'vitest';
import { popEfficiencies, popScaling, speedupOf } from '../../src/statistics/pop.js';

interface Published {
  readonly processes: readonly number[];
  readonly raw: Readonly<Record<'runtime' | 'useful_avg' | 'useful_max' | 'useful_tot', readonly number[]>>;
  readonly published_percent: Readonly<
    Record<
      'parallel_eff' | 'load_balance' | 'comm_eff' | 'comp_scale' | 'global_eff' | 'speedup',
      readonly number[]
    >
  >;
}

/** Ranks with the published mean and largest useful time; the others share the rest. */
function usefulOf(ranks: number, mean: number, largest: number): readonly number[] {
  if (ranks === 1) return [mean];
  const rest = (mean * ranks - largest) / (ranks - 1);
  return [largest, ...Array.from({ length: ranks - 1 }, () => rest)];
}

/** EPOCH on 1 to 16 processes: raw data and metrics as modelfactors publishes them (pypop's example traces). */
const EPOCH: Published = {
  processes: [1, 2, 4, 8, 16],
  raw: {
    runtime: [21898659.14, 11528373.56, 6082352.21, 3513565.33, 2339560.72],
    useful_avg: [21882362.82, 11456696.18, 5921167.02, 3362753.84, 2226119.73],
    useful_max: [21882362.82, 11484151.34, 5999910.8, 3421581.67, 2242981.13],
    useful_tot: [21882362.82, 22913392.37, 23684668.07, 26902030.73, 35617915.65],
  },
  published_percent: {
    parallel_eff: [99.925583, 99.378252, 97.349953, 95.707736, 95.151184],
    load_balance: [100.0, 99.76093, 98.687584, 98.280683, 99.248259],
    comm_eff: [99.925583, 99.616405, 98.64458, 97.382042, 95.871892],
    comp_scale: [100.0, 95.500319, 92.390414, 81.340933, 61.436394],
    global_eff: [99.925583, 94.906548, 89.942024, 77.849566, 58.457456],
    speedup: [1.0, 1.899545, 3.60036, 6.232603, 9.360158],
  },
};

const runs = EPOCH.processes.map((ranks, i) => ({
  useful: usefulOf(ranks, EPOCH.raw.useful_avg[i] ?? 0, EPOCH.raw.useful_max[i] ?? 0),
  runtime: EPOCH.raw.runtime[i] ?? 0,
}));

describe('POP’s efficiencies', () => {
  it.each(
    EPOCH.processes.map((ranks, i) => [ranks, i] as const),
  )('of %i processes are those that were published', (_, i) => {
    const run = runs[i] ?? { useful: [], runtime: 0 };
    const reference = runs[0] ?? run;
    const own = popEfficiencies(run);
    const scaling = popScaling(run, reference, 'strong');
    const published = EPOCH.published_percent;
    const percent = (value: number | undefined): number => (value ?? Number.NaN) * 100;
    expect(percent(own?.loadBalance)).toBeCloseTo(published.load_balance[i] ?? 0, 4);
    expect(percent(own?.communication)).toBeCloseTo(published.comm_eff[i] ?? 0, 4);
    expect(percent(own?.parallel)).toBeCloseTo(published.parallel_eff[i] ?? 0, 4);
    expect(percent(scaling?.computation)).toBeCloseTo(published.comp_scale[i] ?? 0, 4);
    expect(percent(scaling?.global)).toBeCloseTo(published.global_eff[i] ?? 0, 4);
    const timed = (at: number) => ({ ranks: EPOCH.processes[at] ?? 0, seconds: EPOCH.raw.runtime[at] ?? 0 });
    expect(speedupOf(timed(i), timed(0), 'strong')).toBeCloseTo(published.speedup[i] ?? 0, 4);
  });

  it('of weak scaling count that the work grew with the ranks', () => {
    const one = { useful: [10], runtime: 10 };
    const two = { useful: [10, 10], runtime: 10 };
    expect(popScaling(two, one, 'weak')).toEqual({ computation: 1, global: 1 });
    expect(popScaling(two, one, 'strong')).toEqual({ computation: 0.5, global: 0.5 });
    const timed = (ranks: number) => ({ ranks, seconds: 10 });
    expect(speedupOf(timed(2), timed(1), 'weak')).toBe(2);
    expect(speedupOf(timed(2), timed(1), 'strong')).toBe(1);
  });

  it('are not known where nothing useful was done', () => {
    expect(popEfficiencies({ useful: [0, 0], runtime: 1 })).toBeNull();
    expect(popEfficiencies({ useful: [], runtime: 1 })).toBeNull();
  });
});

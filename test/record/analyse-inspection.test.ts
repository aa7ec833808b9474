/** What is made of a document: of a GPU its rate over the wall clock and its link, of ranks their hosts and how they began. */
import { describe, expect, it } from 'vitest';
import { analyseInspection } from '../../src/record/analyse-inspection.js';
import type { InspectionDocument } from '../../src/record/schema.js';
import type { GpuTelemetry, NvmlTelemetry } from '../../src/telemetry/gpu.js';
import { QUIET_TELEMETRY } from '../statistics/support.js';

const REPETITIONS = 100;
const SECONDS = 1e-3;
const BYTES = 2 ** 20;

const nvml: NvmlTelemetry = {
  problem: null,
  readings: 30,
  pcie: { generation: 3, width: 16, mostGeneration: 5, mostWidth: 16 },
  pcieReplays: 0,
};
const clock = { groups: 10, samples: 100, deviceSeconds: 0.1, hostSeconds: 0.1, enqueueSeconds: 0.05 };

interface Copied {
  readonly gpu: Partial<GpuTelemetry>;
  readonly peer?: string;
  readonly implementation?: string;
  readonly cpus?: readonly number[];
  readonly threadBinding?: string;
  readonly overlap?: NonNullable<InspectionDocument['overlap']>;
  readonly clockName?: string;
}

function analysed({
  gpu,
  peer = 'cuda:1',
  implementation = 'cuMemcpyPeerAsync, direct',
  cpus = [],
  threadBinding,
  overlap,
  clockName = 'cuda-event',
}: Copied) {
  const telemetry = { ...QUIET_TELEMETRY, gpu: { clock, nvml, ...gpu } };
  const operation = peer === 'none' ? 'device-copy' : 'peer';
  const document = {
    attempt: 1,
    case: { indicator: 'memory', parameters: { operation, bytes: BYTES, host: 'none', peer } },
    stack: { implementation, threadBinding },
    device: 'cuda:0',
    cpus,
    callsPerSample: 1,
    startedAt: '2026-01-01T10:00:00.000Z',
    // Half of it is between the repetitions.
    wall: 2 * REPETITIONS * SECONDS,
    evicting: 0,
    clock: { name: clockName, overhead: 1e-6, resolution: 1e-6 },
    warmup: { steady: true },
    spans: [
      { name: 'start', seconds: 0.5 },
      { name: 'measure', seconds: 2 },
    ],
    telemetry,
    ...(overlap === undefined ? {} : { overlap }),
    verification: { passed: true },
  } as unknown as InspectionDocument;
  const samples = {
    seconds: new Float64Array(REPETITIONS).fill(SECONDS),
    entries: Float64Array.from({ length: REPETITIONS }, (_, i) => 2 * i * SECONDS),
    disturbed: null,
  };
  const end = { index: 0, attempt: 1, status: 'measured', reason: null, wall: 3 } as const;
  return analyseInspection(end, { document, text: '', file: 'inspections/0.json', samples }, null).entry;
}

const sustainedOf = (gpu: Partial<GpuTelemetry>): number => {
  const { rate } = analysed({ gpu, peer: 'none' });
  return (rate?.sustained ?? 0) / (rate?.burst ?? 1);
};

describe('the rate of a GPU over the wall clock', () => {
  it('has no part of what the host took to enqueue groups while the device had to wait', () => {
    expect(sustainedOf({ clock: { ...clock, betweenSeconds: REPETITIONS * SECONDS } })).toBeCloseTo(1, 9);
    expect(sustainedOf({ clock: { ...clock, betweenSeconds: 0 } })).toBeCloseTo(0.5, 9);
  });
  it('is that of all of it where nobody knows: older documents, and calls that the host’s clock times', () => {
    expect(sustainedOf({ clock })).toBeCloseTo(0.5, 9);
    expect(sustainedOf({ clock: null })).toBeCloseTo(0.5, 9);
  });
});

describe('the end of a launch', () => {
  it('is its start and what it did from then on, until its process was gone', () => {
    expect(analysed({ gpu: {} }).endedAt).toBe('2026-01-01T10:00:02.500Z');
  });
});

describe('a copy to another GPU', () => {
  const linkOf = (copied: Copied) => {
    const { flags, notChecked } = analysed(copied);
    return {
      slow: flags.filter(({ name }) => name === 'link-degraded').map(({ evidence }) => evidence.gpu ?? 'one'),
      unseen: notChecked.flatMap(({ flag, why }) =>
        flag === 'link-degraded' && why.includes('generation') ? why : [],
      ),
    };
  };

  it('goes over PCIe where no NVLink connects the two: both links are looked at', () => {
    const gpu = { others: [nvml], linked: [false] };
    expect(linkOf({ gpu })).toEqual({ slow: ['cuda:0', 'cuda:1'], unseen: [] });
  });
  it('and where the driver brings it by way of the host, whatever connects them', () => {
    const gpu = { others: [nvml], linked: [true] };
    expect(linkOf({ gpu, implementation: 'cuMemcpyPeerAsync, through the host' }).slow).toHaveLength(2);
  });
  it('goes over NVLinks where they connect the two: PCIe may rest', () => {
    expect(linkOf({ gpu: { others: [nvml], linked: [true] } })).toEqual({ slow: [], unseen: [] });
  });
  it.each<Partial<GpuTelemetry>>([
    { others: [nvml], linked: [null] },
    {},
  ])('of which nothing tells over what it goes was not checked: %j', (gpu) => {
    expect(linkOf({ gpu })).toEqual({ slow: [], unseen: [expect.stringMatching(/nothing tells whether/)] });
  });
});

describe('ranks', () => {
  const skew = (p50: number) => ({ p50, p99: p50, max: p50 });
  function ofRanks(
    parameters: Readonly<Record<string, number | string>>,
    here?: number,
    apart = 0,
    implementation = 'MPI',
  ) {
    const document = {
      attempt: 1,
      case: {
        indicator: 'collective',
        parameters: {
          ...{ operation: 'all-reduce', bytes: 1024, dtype: 'float32', redop: 'sum', root: -1 },
          ...{ inPlace: false, pattern: 'none', ranks: 32, workers: 'processes', pin: false },
          ...{ sync: 'barrier', inputs: 'fresh', transport: 'mpi', algorithm: 'auto' },
          ...{ library: '/libmpi.so', launcher: 'srun -N 2' },
          ...parameters,
        },
      },
      stack: { implementation },
      device: 'cpu',
      cpus: [],
      callsPerSample: 1,
      startedAt: '2026-01-01T10:00:00.000Z',
      wall: REPETITIONS * SECONDS,
      evicting: 0,
      clock: { name: 'monotonic', overhead: 1e-9, resolution: 1e-9 },
      warmup: { steady: true },
      spans: [],
      telemetry: { ...QUIET_TELEMETRY, allowedCpus: 16 },
      ranks: {
        ...{ repetitions: REPETITIONS, ranks: [], skewIn: skew(apart), skewOut: skew(0), late: 0 },
        ...{ useful: null, runtime: null, ...(here === undefined ? {} : { here }) },
      },
      verification: { passed: true },
    } as unknown as InspectionDocument;
    const samples = {
      seconds: new Float64Array(REPETITIONS).fill(SECONDS),
      entries: new Float64Array(REPETITIONS),
      disturbed: null,
    };
    const end = { index: 0, attempt: 1, status: 'measured', reason: null, wall: 3 } as const;
    const { entry } = analyseInspection(
      end,
      { document, text: '', file: 'inspections/0.json', samples },
      null,
    );
    const names = entry.flags.map(({ name }) => name);
    return { names, whys: entry.notChecked.map(({ why }) => why) };
  }
  const OTHERS = 'of the hosts of 16 other ranks nothing was read';

  it('are on the hosts that they named when they met, whatever was known before', () => {
    const met = ofRanks({}, 16);
    expect(met.names).not.toContain('crowded');
    expect(met.whys).toContain(OTHERS);
    const alone = ofRanks({}, 32);
    expect(alone.names).toContain('crowded');
    expect(alone.whys).not.toContain(OTHERS);
    // What the case had guessed.
    expect(ofRanks({ perHost: 32 }, 16)).toEqual(met);
  });

  it('of older documents are on the hosts that the case says', () => {
    expect(ofRanks({ perHost: 16 }).whys).toContain(OTHERS);
  });

  it('are skewed where the barrier lets them begin apart, and not where they begin at one moment', () => {
    expect(ofRanks({}, 16, 0.06 * SECONDS).names).toContain('skewed');
    expect(ofRanks({}, 16, 0.04 * SECONDS).names).not.toContain('skewed');
    expect(ofRanks({ sync: 'window' }, 16, 0.06 * SECONDS).names).not.toContain('skewed');
  });

  it('of several hosts are skewed by more than their clocks may be wrong by, and not checked where those hide it', () => {
    const within = (share: number) =>
      `MPI, 32 processes on 2 hosts, clocks within ${share * SECONDS * 1e6} us`;
    const found = (apart: number, bound: number) => {
      const { names, whys } = ofRanks({}, 16, apart * SECONDS, within(bound));
      return [names.includes('skewed'), whys.some((why) => /clocks of several hosts/.test(why))];
    };
    expect(found(0.2, 0.1)).toEqual([true, false]);
    expect(found(0.2, 0.8)).toEqual([false, true]);
    expect(found(0.03, 0.04)).toEqual([false, true]);
    expect(found(0.03, 0.01)).toEqual([false, false]);
    // Who begins at one moment leaves no barrier.
    const { whys } = ofRanks({ sync: 'window' }, 16, 0.2 * SECONDS, within(0.8));
    expect(whys.join()).not.toMatch(/clocks of several hosts/);
  });
});

interface OnLibrary {
  readonly binding?: string;
  readonly peak?: number | null;
  readonly processCpuTime?: number;
  readonly window?: number;
}

/** One thread, 2 x 100^3 operations in a millisecond. */
function onLibrary({ binding = 'each', peak = null, processCpuTime = 2, window = 2 }: OnLibrary) {
  const parameters = { m: 100, n: 100, k: 100, dtype: 'float32', threads: 1, pin: true, cache: 'hot' };
  const document = {
    attempt: 1,
    case: { indicator: 'matmul', parameters },
    stack: binding === 'ours' ? {} : { threadBinding: binding },
    device: 'cpu',
    cpus: [0],
    callsPerSample: 1,
    startedAt: '2026-01-01T10:00:00.000Z',
    wall: REPETITIONS * SECONDS,
    evicting: 0,
    clock: { name: 'monotonic', overhead: 1e-8, resolution: 1e-9 },
    warmup: { steady: true },
    spans: [],
    telemetry: { ...QUIET_TELEMETRY, processCpuTime, window },
    ceilings: { arithmetic: peak === null ? null : { rate: peak, isa: 'avx2' }, memory: null },
    verification: { passed: true },
  } as unknown as InspectionDocument;
  const samples = {
    seconds: new Float64Array(REPETITIONS).fill(SECONDS),
    entries: Float64Array.from({ length: REPETITIONS }, (_, i) => i * SECONDS),
    disturbed: null,
  };
  const end = { index: 0, attempt: 1, status: 'measured', reason: null, wall: 3 } as const;
  return analyseInspection(end, { document, text: '', file: 'inspections/0.json', samples }, null).entry;
}
const named = (all: readonly { readonly flag?: string; readonly name?: string }[]) =>
  all.filter(({ flag, name }) => (flag ?? name) === 'above-ceiling').length;

describe('a launch on a library whose peak nobody measured', () => {
  it('says that its rate was held against nothing', () => {
    expect(onLibrary({}).notChecked).toContainEqual({
      flag: 'above-ceiling',
      why: expect.stringMatching(/^no peak of these threads was measured/),
    });
    expect(named(onLibrary({ peak: 3e9 }).notChecked)).toBe(0);
    // Of our own kernels it is known how many threads they use.
    expect(named(onLibrary({ binding: 'ours' }).notChecked)).toBe(0);
  });

  it('is flagged where it used more CPU time than its threads have', () => {
    expect(named(onLibrary({}).flags)).toBe(0);
    expect(named(onLibrary({ processCpuTime: 4 }).flags)).toBe(1);
    expect(named(onLibrary({ processCpuTime: 4, peak: 3e9 }).flags)).toBe(0);
  });
});

it('a launch on a library tells how many CPUs’ time it used, where ticks can tell', () => {
  expect(onLibrary({ processCpuTime: 3 }).cpusUsed).toBe(1.5);
  expect(onLibrary({ window: 0.1 })).not.toHaveProperty('cpusUsed');
  expect(onLibrary({ binding: 'ours' })).not.toHaveProperty('cpusUsed');
});

describe('an overlap', () => {
  const limited = (clockName: string, compute: number, communicate: number) => {
    const times = { compute, communicate, computeBeside: 1e-3, communicateBeside: 2 * communicate };
    const { flags } = analysed({ gpu: {}, clockName, overlap: { ...times, hidden: 0.5 } });
    return flags.find(({ name }) => name === 'clock-limited');
  };

  it('is held against the clock by the shortest of its parts, as its samples are long', () => {
    expect(limited('monotonic', 9e-4, 8e-4)).toBeUndefined();
    const found = limited('monotonic', 9e-4, 1e-4);
    expect(found?.evidence).toMatchObject({ part: 'the collective alone', partSeconds: 1e-4 });
    expect(limited('monotonic', 1e-4, 8e-4)?.evidence).toMatchObject({ part: 'the product alone' });
  });

  it('is held against a device’s clock by its collective only: the product is timed by the host’s', () => {
    expect(limited('cuda-event', 1e-4, 8e-4)).toBeUndefined();
    const found = limited('cuda-event', 1e-5, 1e-4);
    expect(found?.evidence).toMatchObject({ part: 'the collective alone', partSeconds: 1e-4 });
  });
});

describe('the CPUs of a launch', () => {
  it('are listed where each thread is bound to its own', () => {
    expect(analysed({ gpu: {}, cpus: [2, 3, 1, 9] }).cpus).toBe('1-3,9');
    expect(analysed({ gpu: {} })).not.toHaveProperty('cpus');
    expect(analysed({ gpu: {}, cpus: [0, 1], threadBinding: 'all' })).not.toHaveProperty('cpus');
  });
});

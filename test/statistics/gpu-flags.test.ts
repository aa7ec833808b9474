/** Flags of GPU launches: what raises each, what does not, and what nobody could see. */
import { describe, expect, it } from 'vitest';
import { detectFlags, notChecked } from '../../src/statistics/validity/index.js';
import type { GpuTelemetry, HostMemory, NvmlTelemetry } from '../../src/telemetry/gpu.js';
import { REASONS } from '../../src/telemetry/gpu.js';
import type { Observation, Telemetry, ThreadTelemetry } from '../../src/telemetry/types.js';
import { QUIET_THREAD } from './support.js';

const OWN = [
  'thermal',
  'power-capped',
  'power-brake',
  'clock-held',
  'clock-not-settled',
  'foreign-load',
  'link-degraded',
  'device-errors',
];

const series = (clocks: readonly number[]): readonly (readonly number[])[] =>
  clocks.map((clock, i) => [i * 0.02, clock, 2e9, 500, 60, 0]);

const ROWS = { corrected: 2, uncorrected: 1, pending: false, failed: false };

const sound: NvmlTelemetry = {
  problem: null,
  readings: 30,
  reasons: {},
  smHertz: { least: 1.98e9, median: 1.98e9, most: 1.98e9 },
  mostSmHertz: 1.98e9,
  watts: { least: 480, median: 500, most: 510 },
  celsius: { least: 50, median: 55, most: 60 },
  enforcedPowerLimitWatts: 700,
  defaultPowerLimitWatts: 700,
  eccCorrected: 0,
  eccUncorrected: 0,
  pcieReplays: 0,
  pcie: { generation: 5, width: 16, mostGeneration: 5, mostWidth: 16 },
  nvlinks: { up: 18, all: 18 },
  nvlinkErrors: { replays: 0, recoveries: 0, checksums: 0 },
  remappedRowsBefore: ROWS,
  remappedRows: ROWS,
  processesBefore: [],
  processesAfter: [{ pid: 1, bytes: 1e9 }],
  xids: [],
  series: series(Array(30).fill(1.98e9)),
};

const clock: GpuTelemetry['clock'] = {
  groups: 1,
  samples: 10,
  deviceSeconds: 1,
  hostSeconds: 1,
  enqueueSeconds: 0,
};

function observe(gpu: GpuTelemetry | undefined, more: Partial<Observation> = {}): Observation {
  const telemetry: Telemetry = {
    window: 1,
    allowedCpus: 2,
    onlineCpus: 2,
    threads: [],
    processCpuTime: 1,
    cgroup: null,
    cpuPressure: null,
    memoryPressure: null,
    ioPressure: null,
    steal: 0,
    otherCpuTime: 0,
    thermalThrottles: 0,
    frequency: null,
    temperatures: [],
    energy: [],
    ...(gpu === undefined ? {} : { gpu }),
    missing: [],
  };
  const samples = Array(10).fill(0.1);
  return {
    samples,
    sorted: samples,
    drift: null,
    disturbed: null,
    wall: 1,
    threads: 1,
    pinned: false,
    callsPerSample: 1,
    clockOverhead: 1e-6,
    clockResolution: 1e-6,
    steady: true,
    telemetry,
    concurrentCampaign: null,
    ...more,
  };
}

describe('what becomes of the host’s thread', () => {
  const moved = { steal: 0.5, threads: [{ ...QUIET_THREAD, cpuAfter: 1 }] };
  const raised = (gpu: GpuTelemetry | undefined): string[] => {
    const observation = observe(gpu);
    return detectFlags({ ...observation, telemetry: { ...observation.telemetry, ...moved } })
      .map(({ name }) => name)
      .filter((name) => name === 'migrated' || name === 'stolen');
  };
  it('is nothing to repetitions that the GPU timed', () => {
    expect(raised({ clock, nvml: sound })).toEqual([]);
    expect(raised({ clock: null, nvml: sound })).toEqual(['stolen', 'migrated']);
    expect(raised(undefined)).toEqual(['stolen', 'migrated']);
  });
  it('is told without the advice to bind it, which no case of a GPU can', () => {
    const { telemetry, ...rest } = observe({ clock: null, nvml: sound }, { onGpu: true });
    const flags = detectFlags({ ...rest, telemetry: { ...telemetry, ...moved } });
    const reason = flags.find(({ name }) => name === 'migrated')?.reason;
    expect(reason).toMatch(/few CPUs, near the GPU/);
    expect(reason).not.toContain('--pin');
  });
});

const found = (nvml: Partial<NvmlTelemetry>): string[] =>
  detectFlags(observe({ clock, nvml: { ...sound, ...nvml } }))
    .map(({ name }) => name)
    .filter((name) => OWN.includes(name));
const unseen = (nvml: NvmlTelemetry): string[] =>
  notChecked(observe({ clock, nvml }))
    .map(({ flag }) => flag)
    .filter((name) => OWN.includes(name));

const bit = (name: keyof typeof REASONS, share: number): Readonly<Record<string, number>> => ({
  [REASONS[name]]: share,
});

const clockAt = (hertz: number): Partial<NvmlTelemetry> => ({
  smHertz: { least: hertz, median: hertz, most: hertz },
});

describe('the clock of a GPU below the most that it can have', () => {
  const held = (nvml: Partial<NvmlTelemetry>): boolean => found(nvml).includes('clock-held');
  it('is held by a bit that says so from half of the readings on, where it costs more than a step', () => {
    expect(held({ reasons: bit('applicationClocks', 0.49), ...clockAt(1.9e9) })).toBe(false);
    expect(held({ reasons: bit('applicationClocks', 1), ...clockAt(1.97e9) })).toBe(false);
  });
  it('is held without one where it is clearly below, and power, heat and rest are no reason', () => {
    expect(held(clockAt(0.86 * 1.98e9))).toBe(false);
    expect(held(clockAt(0.84 * 1.98e9))).toBe(true);
    for (const name of ['powerCap', 'softwareThermal', 'hardwareSlowdown', 'idle'] as const)
      expect(held({ reasons: bit(name, 0.1), ...clockAt(1.2e9) })).toBe(false);
    expect(held({ reasons: bit('powerCap', 0.09), ...clockAt(1.2e9) })).toBe(true);
  });
  it('is nothing to copies, but where a bit says that it is held', () => {
    const ofCopy = (nvml: Partial<NvmlTelemetry>): string[] =>
      detectFlags(
        observe({ clock, nvml: { ...sound, ...clockAt(1.2e9), ...nvml } }, { overHostLink: true }),
      ).map(({ name }) => name);
    expect(ofCopy({})).not.toContain('clock-held');
    expect(ofCopy({ reasons: bit('applicationClocks', 1) })).toContain('clock-held');
  });
  it('is not checked where NVML tells no reasons, or no clock', () => {
    expect(unseen({ ...sound, reasons: null })).toContain('clock-held');
    expect(unseen({ ...sound, mostSmHertz: null })).toEqual(['clock-held']);
  });
});

describe('a GPU launch', () => {
  it('that the hardware slows down throughout is braked, also where one reading was hot', () => {
    const reasons = { ...bit('hardwareSlowdown', 1), ...bit('hardwareThermal', 0.004) };
    expect(found({ reasons })).toContain('power-brake');
    expect(found({ reasons: { ...reasons, ...bit('hardwareThermal', 1) } })).not.toContain('power-brake');
  });

  it('in order raises none of the flags of GPUs, and all were checked', () => {
    expect(found({})).toEqual([]);
    expect(unseen(sound)).toEqual([]);
  });

  it.each<[string, Partial<NvmlTelemetry>]>([
    ['thermal', { reasons: bit('softwareThermal', 0.1) }],
    ['thermal', { reasons: bit('hardwareThermal', 0.01) }],
    ['power-capped', { reasons: bit('powerCap', 0.9) }],
    ['power-brake', { reasons: bit('powerBrake', 0.1) }],
    ['power-brake', { reasons: bit('hardwareSlowdown', 0.1) }],
    ['clock-held', { reasons: bit('applicationClocks', 0.5), ...clockAt(1.9e9) }],
    ['clock-held', { reasons: bit('syncBoost', 1), ...clockAt(1.9e9) }],
    ['clock-held', { reasons: bit('applicationClocks', 1), smHertz: null }],
    ['clock-held', clockAt(1.2e9)],
    ['clock-not-settled', { series: series([...Array(15).fill(1.98e9), ...Array(15).fill(1.75e9)]) }],
    ['foreign-load', { processesBefore: [{ pid: 7, bytes: 1 }] }],
    ['foreign-load', { processesBefore: [{ pid: 7, bytes: null }] }],
    ['foreign-load', { processesBetween: [{ pid: 7, bytes: 1 }] }],
    ['foreign-load', { bytesInUseBefore: 64 * 2 ** 20 }],
    [
      'foreign-load',
      {
        processesAfter: [
          { pid: 1, bytes: 1 },
          { pid: 7, bytes: 1 },
        ],
      },
    ],
    ['link-degraded', { pcie: { generation: 5, width: 8, mostGeneration: 5, mostWidth: 16 } }],
    ['link-degraded', { pcieReplays: 4 }],
    ['link-degraded', { nvlinks: { up: 17, all: 18 } }],
    ['device-errors', { eccCorrected: 1 }],
    ['device-errors', { eccUncorrected: 1 }],
    ['link-degraded', { nvlinkErrors: { replays: 1, recoveries: 0, checksums: 0 } }],
    ['link-degraded', { nvlinkErrors: { replays: 0, recoveries: 1, checksums: 0 } }],
    ['link-degraded', { nvlinkErrors: { replays: 0, recoveries: 0, checksums: 1 } }],
    ['device-errors', { xids: [79] }],
    ['device-errors', { remappedRows: { ...ROWS, corrected: 3 } }],
    ['device-errors', { remappedRows: { ...ROWS, uncorrected: 2 } }],
    ['device-errors', { remappedRows: { corrected: 0, uncorrected: 1, pending: true, failed: false } }],
    ['device-errors', { remappedRows: { corrected: 0, uncorrected: 1, pending: false, failed: true } }],
  ])('raises %s', (name, nvml) => {
    expect(found(nvml)).toEqual([name]);
  });

  it.each<[string, Partial<NvmlTelemetry>, RegExp]>([
    [
      'lowered',
      { enforcedPowerLimitWatts: 300 },
      /at its power limit of 300 W, which somebody lowered from 700 W in/,
    ],
    ['the usual one', {}, /at its power limit of 700 W in/],
    ['raised', { enforcedPowerLimitWatts: 800 }, /at its power limit of 800 W in/],
    ['not known to be usual', { defaultPowerLimitWatts: null }, /at its power limit of 700 W in/],
    ['not known', { enforcedPowerLimitWatts: null, powerLimitWatts: null }, /at its power limit in/],
  ])('that comes to its power limit says so, which is %s', (_, nvml, words) => {
    const capped = { ...sound, ...nvml, reasons: bit('powerCap', 0.9) };
    const [flag] = detectFlags(observe({ clock, nvml: capped })).filter(
      ({ name }) => name === 'power-capped',
    );
    expect(flag?.reason).toMatch(words);
    expect(flag?.evidence).toMatchObject({
      limitWatts: capped.enforcedPowerLimitWatts,
      defaultLimitWatts: capped.defaultPowerLimitWatts,
    });
  });

  it.each<[string, Partial<NvmlTelemetry>, RegExp | null]>([
    ['that is enforced', { enforcedPowerLimitWattsBefore: 500 }, /moved from 500 W to 700 W during/],
    [
      'that is set, where no other is told',
      { enforcedPowerLimitWatts: null, powerLimitWattsBefore: 700, powerLimitWatts: 450 },
      /moved from 700 W to 450 W during/,
    ],
    ['that stayed', { enforcedPowerLimitWattsBefore: 700 }, null],
    ['of which the beginning is not known', { powerLimitWatts: 450 }, null],
    // Another quantity says nothing of this one.
    ['of two kinds', { enforcedPowerLimitWatts: null, enforcedPowerLimitWattsBefore: 450 }, null],
  ])('is told where a power limit moved under it: one %s', (_, nvml, words) => {
    const flag = detectFlags(observe({ clock, nvml: { ...sound, ...nvml } })).find(
      ({ name }) => name === 'power-limit-moved',
    );
    if (words === null) expect(flag).toBeUndefined();
    else expect(flag?.reason).toMatch(words);
  });

  it('is not raised by who only draws', () => {
    const drawing = { pid: 7, bytes: 1, draws: true };
    expect(found({ processesBefore: [drawing] })).not.toContain('foreign-load');
    expect(found({ processesBefore: [drawing, { pid: 8, bytes: 1 }] })).toContain('foreign-load');
  });

  it('is told how hot the memory became, also where it had cooled at the end', () => {
    const heatOf = (nvml: Partial<NvmlTelemetry>) =>
      detectFlags(observe({ clock, nvml: { ...sound, reasons: bit('hardwareThermal', 0.1), ...nvml } })).find(
        ({ name }) => name === 'thermal',
      );
    const hot = heatOf({ memoryCelsius: 80, memoryCelsiusRange: { least: 70, median: 90, most: 105 } });
    expect(hot?.evidence.memoryCelsius).toBe(105);
    expect(hot?.reason).toMatch(/at up to 60 °C, its memory at up to 105 °C:/);
    // A document of an older version.
    expect(heatOf({ memoryCelsius: 80 })?.evidence.memoryCelsius).toBe(80);
  });

  it('has a slow link where copies keep it awake, and long enough to be seen', () => {
    const slow = { pcie: { generation: 3, width: 16, mostGeneration: 5, mostWidth: 16 } };
    const over = (nvml: Partial<NvmlTelemetry>, overHostLink = true) => {
      const observation = observe({ clock, nvml: { ...sound, ...nvml } }, { overHostLink });
      return {
        raised: detectFlags(observation).some(({ name }) => name === 'link-degraded'),
        checked: !notChecked(observation).some(({ flag }) => flag === 'link-degraded'),
      };
    };
    expect(over(slow)).toEqual({ raised: true, checked: true });
    expect(over({})).toEqual({ raised: false, checked: true });
    expect(over(slow, false)).toEqual({ raised: false, checked: true });
    expect(over({ ...slow, readings: 3 })).toEqual({ raised: false, checked: false });
    expect(over({ pcie: { ...slow.pcie, generation: null } })).toEqual({ raised: false, checked: false });
  });

  it('does not call a link that rests slow, nor one without a bridge down, nor an idle reading a brake', () => {
    expect(found({ pcie: { generation: 1, width: 16, mostGeneration: 5, mostWidth: 16 } })).toEqual([]);
    expect(found({ reasons: bit('idle', 1) })).toEqual([]);
    expect(found({ nvlinks: { up: 0, all: 12 } })).toEqual([]);
  });

  it('of which NVML tells nothing is a launch that was not checked', () => {
    expect(unseen({ problem: 'no library' })).toEqual(expect.arrayContaining(OWN));
    expect(found({ problem: 'no library', reasons: bit('powerCap', 1) })).toEqual([]);
  });

  it('counts as its own only what came in it', () => {
    const evidenceOf = (nvml: Partial<NvmlTelemetry>) =>
      detectFlags(observe({ clock, nvml: { ...sound, ...nvml } })).find(
        ({ name }) => name === 'device-errors',
      )?.evidence;
    const waiting = { ...ROWS, pending: true };
    expect(
      evidenceOf({ remappedRowsBefore: ROWS, remappedRows: { ...waiting, uncorrected: 3 } }),
    ).toMatchObject({
      newRowsCorrected: 0,
      newRowsUncorrected: 2,
      newRemapPending: true,
      newRemapFailed: false,
    });
    expect(evidenceOf({ remappedRowsBefore: waiting, remappedRows: waiting })).toMatchObject({
      remapPending: true,
      newRemapPending: false,
      newRowsUncorrected: 0,
    });
    // A document from before it was read twice.
    expect(evidenceOf({ remappedRowsBefore: null, remappedRows: waiting })).toMatchObject({
      newRemapPending: null,
      newRowsCorrected: null,
    });
  });

  it.each<[string, Partial<NvmlTelemetry>, string]>([
    ['device-errors', { remappedRowsBefore: null, remappedRows: null }, 'replaced rows'],
    ['device-errors', { eccUncorrected: null }, 'memory errors'],
    ['device-errors', { xids: null }, 'fault reports'],
    ['link-degraded', { nvlinkErrors: null }, 'NVLink errors'],
  ])('of which NVML does not tell all is not checked in full: %s %j', (flag, nvml, part) => {
    const why = notChecked(observe({ clock, nvml: { ...sound, ...nvml } })).find(
      (one) => one.flag === flag,
    )?.why;
    expect(why).toContain(part);
    for (const other of ['replaced rows', 'memory errors', 'fault reports', 'NVLink errors'])
      if (other !== part) expect(why).not.toContain(other);
  });

  it('is not blind to errors of links that it does not have, or that no bridge connects', () => {
    expect(unseen({ ...sound, nvlinks: null, nvlinkErrors: null })).toEqual([]);
    expect(unseen({ ...sound, nvlinks: { up: 0, all: 12 }, nvlinkErrors: null })).toEqual([]);
  });

  it('that was over too soon says so', () => {
    const short = { ...sound, readings: 0, series: [] };
    expect(unseen(short)).toEqual(expect.arrayContaining(['thermal', 'power-capped', 'clock-not-settled']));
  });
});

describe('a launch of ranks on several GPUs', () => {
  const slow = { ...sound, reasons: bit('hardwareThermal', 0.2) };
  const of = (...others: readonly NvmlTelemetry[]) =>
    observe({ clock: null, nvml: sound, others }, { onGpu: true });

  it('raises what any of them gives cause for, and says which', () => {
    const flags = detectFlags(of(sound, slow, { ...slow, eccCorrected: 1 }));
    expect(
      flags.filter(({ name }) => OWN.includes(name)).map(({ name, evidence }) => [name, evidence.rank]),
    ).toEqual([
      ['device-errors', 3],
      ['thermal', 2],
      ['thermal', 3],
    ]);
    expect(flags.find(({ name }) => name === 'thermal')?.reason).toMatch(/^rank 2: /);
  });

  it('was checked only where each of them was', () => {
    const names = (one: Observation) => notChecked(one).map(({ flag }) => flag);
    expect(names(of(sound, sound)).filter((name) => OWN.includes(name))).toEqual([]);
    expect(names(of(sound, { problem: 'no library' }))).toEqual(expect.arrayContaining(OWN));
  });

  it('says of each of them what it does not show', () => {
    const whys = (one: Observation) =>
      notChecked(one).flatMap(({ flag, why }) => (flag === 'device-errors' ? why : []));
    const noXids = { ...sound, xids: null };
    const text = 'nobody could watch the fault reports of this GPU’s driver';
    expect(whys(of(noXids, { problem: 'no library' }, noXids))).toEqual([
      `ranks 1, 3: ${text}`,
      'rank 2: NVML does not tell: no library',
    ]);
    expect(whys(observe({ clock: null, nvml: noXids, others: [noXids] }, { onGpu: true }))).toEqual([text]);
  });

  it('of which nobody watched the GPUs was not checked, which is no pass', () => {
    const names = notChecked(observe(undefined, { onGpu: true })).map(({ flag }) => flag);
    expect(names).toEqual(expect.arrayContaining(OWN));
  });
});

describe('a launch that copies to another GPU', () => {
  const moving = { ...sound, series: series(Array.from({ length: 30 }, (_, i) => 1e9 + i * 3e7)) };
  const to = (other: NvmlTelemetry) =>
    observe(
      { clock, nvml: sound, others: [other] },
      { onGpu: true, peer: { own: 'cuda:0', other: 'cuda:3' } },
    );

  it('has the errors of that one, by its name', () => {
    const [flag, ...more] = detectFlags(to({ ...sound, eccUncorrected: 2 })).filter(({ name }) =>
      OWN.includes(name),
    );
    expect(more).toEqual([]);
    expect(flag).toMatchObject({ name: 'device-errors', evidence: { eccUncorrected: 2, gpu: 'cuda:3' } });
    expect(flag?.reason).toMatch(/^cuda:3: /);
    const whys = notChecked(to({ problem: 'no library' })).map(({ why }) => why);
    expect(whys).toContain('cuda:3: NVML does not tell: no library');
  });

  it('does not mind that the clock of that one moves, which has nothing to do', () => {
    expect(detectFlags(to(moving)).map(({ name }) => name)).not.toContain('clock-not-settled');
    const own = observe({ clock, nvml: moving, others: [sound] }, { onGpu: true });
    expect(detectFlags(own).map(({ name }) => name)).toContain('clock-not-settled');
  });
});

it('a launch on the CPU is not asked for what only GPUs have', () => {
  const names = notChecked(observe(undefined)).map(({ flag }) => flag);
  for (const name of OWN) expect(names).not.toContain(name);
});

describe('a launch on a GPU that the host’s clock times', () => {
  const preempted = (of: GpuTelemetry['clock'], change: Partial<ThreadTelemetry>): boolean => {
    const { telemetry, ...rest } = observe({ clock: of, nvml: sound });
    const threads = [{ ...QUIET_THREAD, ...change }];
    const observation = { ...rest, telemetry: { ...telemetry, threads } };
    return detectFlags(observation).some(({ name }) => name === 'preempted');
  };

  it('is disturbed where its thread waits for a CPU, which is in no sample of the GPU’s own clock', () => {
    expect(preempted(null, { runDelay: 0.5 })).toBe(true);
    expect(preempted(clock, { runDelay: 0.5 })).toBe(false);
    // As documents of older versions have it.
    expect(preempted({ ...clock, groups: 0, samples: 0 }, { runDelay: 0.5 })).toBe(true);
  });

  it('is not where its thread sleeps until the GPU is done', () => {
    expect(preempted(null, { runDelay: null, cpuTime: 0.01 })).toBe(false);
  });
});

describe('the host’s memory of copies', () => {
  const near: HostMemory = { gpuNode: 0, memoryNodes: 2, asked: 'preferred', nodes: [{ node: 0, share: 1 }] };
  const of = (hostMemory: HostMemory | undefined, more: Partial<Observation> = {}) => {
    const gpu: GpuTelemetry = { clock, nvml: sound, ...(hostMemory === undefined ? {} : { hostMemory }) };
    const observation = observe(gpu, more);
    return {
      flag: detectFlags(observation).find(({ name }) => name === 'far-memory'),
      why: notChecked(observation).find(({ flag }) => flag === 'far-memory')?.why ?? null,
    };
  };

  it('that lies at the node of the GPU, but for a page here and there, is no matter', () => {
    const mostly = [0.95, 0.05].map((share, node) => ({ node, share }));
    for (const memory of [near, { ...near, nodes: mostly }, undefined])
      expect(of(memory)).toEqual({ flag: undefined, why: null });
  });

  it.each<[HostMemory['asked'], RegExp]>([
    ['preferred', /asked for there, and that node had too little/],
    ['kept', /numactl/],
    ['refused', /let nobody ask/],
  ])('that lies elsewhere is told with what was done (%s)', (asked, words) => {
    const { flag } = of({ ...near, asked, nodes: [0.5, 0.5].map((share, node) => ({ node, share })) });
    expect(flag?.reason).toMatch(
      /^50 % of the host’s memory of these copies lay on NUMA node 1, and the GPU is at node 0: /,
    );
    expect(flag?.reason).toMatch(words);
    expect(flag?.evidence).toEqual({ farShare: 0.5, gpuNode: 0, nodes: '1', asked });
  });

  it('of which nobody knows where it lies is not taken for near, but on a machine with one node', () => {
    expect(of({ ...near, gpuNode: null, asked: 'none' }).why).toMatch(/at which NUMA node the GPU is/);
    expect(of({ ...near, nodes: null }).why).toMatch(/asked for on that of the GPU, 0$/);
    expect(of({ ...near, nodes: null, asked: 'refused' }).why).toMatch(/these copies lies$/);
    expect(of({ ...near, gpuNode: null, nodes: null, memoryNodes: 1 }).why).toBeNull();
    expect(of({ ...near, nodes: null }).flag).toBeUndefined();
    expect(of({ ...near, nodes: [0.94, 0.06].map((share, node) => ({ node, share })) }).flag).toBeDefined();
    // A document of an older version.
    expect(of(undefined, { overHostLink: true }).why).toMatch(/^nobody looked/);
  });
});

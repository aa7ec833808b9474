import { describe, expect, it } from 'vitest';
import type { GpuDescription, GpuSurvey } from '../../src/machine/gpus.js';
import type { Context } from '../../src/qualify/criteria/criterion.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { isNotSeen } from '../../src/qualify/findings.js';
import type { SuiteCheck } from '../../src/qualify/suite-file.js';
import type { RecordInspection } from '../../src/record/schema.js';
import { machineOf } from '../support/machine.js';
import { contextOf, gpu, judgement, knownMachine, partsRecord, survey } from './support.js';

const at = (check: SuiteCheck, gpus: GpuSurvey) =>
  judgementsOf(check, contextOf(null, { machine: { ...machineOf(), gpus } }));

describe('a node with GPUs', () => {
  it('fails where the driver is loaded and shows none, and is inconclusive where NVML is silent', () => {
    expect(at({ check: 'driver' }, survey())[0]).toMatchObject({
      verdict: 'fail',
      cause: { name: 'no-driver' },
    });
    expect(at({ check: 'driver' }, survey(gpu()))[0]?.verdict).toBe('pass');
    expect(at({ check: 'driver' }, survey(gpu({ nvmlProblem: 'no library' })))[0]?.verdict).toBe(
      'inconclusive',
    );
  });

  it('fails where GPUs are expected and no driver shows any, and does not say that one is loaded', () => {
    const machine = { ...machineOf(), gpus: survey() };
    const [judged] = judgementsOf({ check: 'driver' }, contextOf(null, { machine, expected: { gpu: 8 } }));
    expect(judged?.verdict).toBe('fail');
    expect(judged?.findings.map(({ source }) => source)).toEqual(['--expect']);
  });

  const onPci = (hiddenBy: string | null, gpus?: GpuSurvey, container: 'docker' | null = null) => {
    const machine = machineOf();
    return {
      ...machine,
      virtualisation: { ...machine.virtualisation, container },
      pciGpus: { addresses: ['0000:01:00.0', '0000:4b:00.0'], hiddenBy },
      ...(gpus === undefined ? {} : { gpus }),
    };
  };
  const driverOf = (machine: Context['machine'], expected = {}) =>
    judgementsOf({ check: 'driver' }, contextOf(null, { machine, expected }))[0];

  it('is an open question where PCI has a GPU that the driver does not show, by its address', () => {
    expect(driverOf(onPci(null, survey(gpu())))).toMatchObject({
      verdict: 'inconclusive',
      cause: { name: 'missing-device' },
      reason: expect.stringContaining('does not show 0000:4b:00.0'),
    });
    const both = survey(gpu({ pciBusId: '0000:01:00.0' }), gpu({ ordinal: 1, pciBusId: '00000000:4B:00.0' }));
    expect(driverOf(onPci(null, both))).toMatchObject({ verdict: 'pass' });
  });

  it('is no CPU node where PCI has GPUs and no driver is loaded', () => {
    expect(driverOf(onPci(null))).toMatchObject({
      verdict: 'inconclusive',
      possible: true,
      cause: { name: 'no-driver' },
      reason: expect.stringContaining('0000:01:00.0, 0000:4b:00.0'),
    });
    expect(driverOf(onPci(null), { gpu: 0 })).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it('is not held to GPUs that the environment or a container may hide, and names them', () => {
    const hidden = 'CUDA_VISIBLE_DEVICES=0';
    for (const machine of [onPci(hidden, survey(gpu())), onPci(null, survey(gpu()), 'docker')]) {
      const judged = driverOf(machine);
      expect(judged).toMatchObject({ verdict: 'pass' });
      expect(judged?.reason).toMatch(
        /does not show 0000:4b:00.0, which may be by (CUDA_VISIBLE|the container)/,
      );
    }
    expect(driverOf(onPci(hidden))).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it('fails on the one GPU whose power limit is below its default', () => {
    const judged = at({ check: 'power-limit' }, survey(gpu(), gpu({ ordinal: 1, powerLimitWatts: 500 })));
    expect(judged.map(({ device, verdict }) => [device, verdict])).toEqual([
      ['cuda:0', 'pass'],
      ['cuda:1', 'fail'],
    ]);
    expect(judged[1]?.cause).toMatchObject({ name: 'power-limit', severity: 'config' });
  });

  it('fails on a power limit that is in force below the one that is set, and says so', () => {
    const judged = at({ check: 'power-limit' }, survey(gpu({ enforcedPowerLimitWatts: 450 })))[0];
    expect(judged).toMatchObject({ verdict: 'fail', findings: [{ measured: 450, limit: 700 }] });
    expect(judged?.findings[0]?.note).toMatch(/^700 W are set: another limiter/);
    const alike = at({ check: 'power-limit' }, survey(gpu({ enforcedPowerLimitWatts: 700 })))[0];
    expect(alike).toMatchObject({ verdict: 'pass', findings: [{ note: null }] });
  });

  it('fails without error correction, and cannot tell where NVML does not', () => {
    const verdicts = (ecc: boolean | null) =>
      at({ check: 'ecc' }, survey(gpu({ ecc }))).find(({ device }) => device === 'cuda:0');
    expect(verdicts(true)?.verdict).toBe('pass');
    expect(verdicts(false)).toMatchObject({ verdict: 'fail', cause: { name: 'ecc-off' } });
    expect(verdicts(null)).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it.each<[string, Partial<GpuDescription>, 'pass' | 'fail', string | null, RegExp]>([
    ['none at all', { eccErrors: { corrected: 0, uncorrected: 0 } }, 'pass', null, /^$/],
    ['corrected ones, which are told', { eccErrors: { corrected: 9, uncorrected: 0 } }, 'pass', null, /^$/],
    [
      'one that could not be corrected',
      { eccErrors: { corrected: 0, uncorrected: 1 } },
      'fail',
      'errors-stand',
      /^uncorrected memory errors 1, limit ≤ 0 \(none since the driver was loaded\)/,
    ],
    ['one of a life before', { eccErrorsEver: { corrected: 0, uncorrected: 3 } }, 'pass', null, /^$/],
    ['SRAM beyond what may stand', { sramThresholdExceeded: true }, 'fail', 'sram-exceeded', /^sram thresh/],
    ['what the driver asks for', { recoveryAction: 1 }, 'fail', 'recovery-needed', /reset the GPU/],
    ['nothing that it asks for', { recoveryAction: 0, sramThresholdExceeded: false }, 'pass', null, /^$/],
  ])('is held to errors of its memory that stand: %s', (_, more, verdict, cause, reason) => {
    const judged = at({ check: 'ecc' }, survey(gpu(more))).find(({ device }) => device === 'cuda:0');
    expect([judged?.verdict, judged?.cause?.name ?? null]).toEqual([verdict, cause]);
    if (verdict === 'fail') expect(judged?.reason).toMatch(reason);
  });

  it('is not judged by errors of its memory that it does not tell, and says so', () => {
    const of = (more: Partial<GpuDescription>) =>
      at({ check: 'ecc' }, survey(gpu(more))).find(({ device }) => device === 'cuda:0')?.findings ?? [];
    expect(of({ eccErrors: null }).map(isNotSeen)).toEqual([false, true]);
    expect(of({ eccErrors: { corrected: 0, uncorrected: null } }).map(isNotSeen)).toContain(true);
    // A record of an older version was not asked.
    expect(of({})).toHaveLength(1);
    // Of a card without error correction there is nothing to pass.
    const judged = at({ check: 'ecc' }, survey(gpu({ ecc: null, recoveryAction: 0 })));
    expect(judged.find(({ device }) => device === 'cuda:0')).toMatchObject({ verdict: 'skipped' });
  });

  it('fails while pages of its memory wait to be retired, where it replaces no rows', () => {
    const of = (retirementPending: boolean) =>
      at({ check: 'remapped-rows' }, survey(gpu({ remappedRows: null, retirementPending })))[0];
    expect(of(true)).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(/^pending retirement yes/),
      cause: { name: 'retirement-pending', severity: 'reset' },
    });
    expect(of(false)).toMatchObject({ verdict: 'pass', cause: null });
  });

  it('fails while a row of its memory waits to be replaced, or where none could take its place', () => {
    const rows = { corrected: 2, uncorrected: 1, pending: false, failed: false };
    const of = (remappedRows: NonNullable<GpuDescription['remappedRows']> | null) =>
      at({ check: 'remapped-rows' }, survey(gpu({ remappedRows })))[0];
    expect(of(rows)).toMatchObject({ verdict: 'pass', cause: null });
    expect(of({ ...rows, pending: true })).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(/^pending remap yes/),
      cause: { name: 'remap-pending', severity: 'reset' },
    });
    expect(of({ ...rows, pending: true, failed: true })).toMatchObject({
      verdict: 'fail',
      cause: { name: 'remap-failed', severity: 'isolate' },
    });
    expect(of(null)).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it('warns of MIG, and fails where its GPUs are not alike', () => {
    expect(at({ check: 'mig' }, survey(gpu({ mig: true })))[0]?.verdict).toBe('warn');
    expect(at({ check: 'identity' }, survey(gpu(), gpu({ ordinal: 1, vbios: '95.00' })))[0]).toMatchObject({
      verdict: 'fail',
      cause: { name: 'mixed-devices' },
    });
  });

  it('does not hold its GPUs to what one of them does not tell, and blames none that is well', () => {
    const lost = { vbios: null, driver: null, nvmlProblem: 'GPU is lost' };
    const one = (check: SuiteCheck, gpus: GpuSurvey) =>
      judgement(check, contextOf(null, { machine: { ...knownMachine(), gpus } }));
    for (const silent of [0, 1, 2]) {
      const gpus = survey(
        ...[0, 1, 2].map((ordinal) => gpu({ ordinal, ...(ordinal === silent ? lost : {}) })),
      );
      const identity = one({ check: 'identity' }, gpus);
      expect(identity).toMatchObject({ verdict: 'pass', cause: null });
      expect(identity.findings.filter(isNotSeen).map(({ note }) => note)).toEqual(
        Array.from({ length: 2 }, () => `cuda:${silent} does not tell`),
      );
      const driver = one({ check: 'driver' }, gpus);
      expect(driver).toMatchObject({ verdict: 'inconclusive', cause: { name: 'driver-fault' } });
      expect(driver.findings.filter(({ measured }) => measured === `cuda:${silent}`)).toHaveLength(1);
    }
    const mixed = one(
      { check: 'identity' },
      survey(gpu({ vbios: null }), gpu({ ordinal: 1 }), gpu({ ordinal: 2, vbios: '95.00' })),
    );
    expect(mixed).toMatchObject({
      verdict: 'fail',
      cause: { name: 'mixed-devices' },
      reason: 'vbios 95.00, limit = 96.00 (cuda:1): cuda:2',
    });
  });

  it('has no driver where NVML answers for none of its GPUs', () => {
    const [driver] = at({ check: 'driver' }, survey(gpu({ nvmlProblem: 'no library' })));
    expect(driver?.cause?.name).toBe('no-driver');
  });

  const linked = (more: Partial<GpuDescription> = {}): GpuDescription =>
    gpu({ pcieGeneration: 5, mostPcieGeneration: 5, pcieWidth: 16, mostPcieWidth: 16, ...more });

  it.each<[string, Partial<GpuDescription>, string]>([
    ['all its lanes', {}, 'pass'],
    ['all its lanes, at rest', { pcieGeneration: 1 }, 'pass'],
    ['half of its lanes', { pcieWidth: 8 }, 'fail'],
    ['half of its lanes, at rest, which may be why', { pcieWidth: 8, pcieGeneration: 1 }, 'warn'],
    ['a slot that has no more', { pcieWidth: 8, mostPcieWidth: 8 }, 'pass'],
    ['lanes that nobody can see', { pcieWidth: null }, 'skipped'],
    ['one of its NVLinks down', { nvlinks: { up: 17, all: 18 } }, 'fail'],
    ['no NVLink up, as no bridge connects it', { nvlinks: { up: 0, all: 18 } }, 'pass'],
  ])('with %s: %j is %s', (_, more, verdict) => {
    const [judged] = at({ check: 'link' }, survey(linked(more)));
    expect(judged).toMatchObject({ verdict, possible: verdict !== 'skipped' });
    expect(judged?.cause?.name ?? null).toBe(verdict === 'fail' || verdict === 'warn' ? 'link' : null);
  });

  it.each([
    ['NVIDIA A100 80GB PCIe', 'pass'],
    ['NVIDIA A100-SXM4-80GB', 'warn'],
    ['NVIDIA H100 80GB HBM3', 'warn'],
  ])('of the name %s whose NVLinks are all down leaves a trace: %s', (name, verdict) => {
    const [judged] = at({ check: 'link' }, survey(linked({ name, nvlinks: { up: 0, all: 12 } })));
    expect(judged?.verdict).toBe(verdict);
    const finding = judged?.findings.find(({ quantity }) => quantity === 'nvlinks_up');
    expect(finding).toMatchObject({ measured: 0, note: '0 of 12 up: no bridge, or all down' });
  });

  it('fails on the one GPU whose NVLinks are all down', () => {
    const up = (links: number, ordinal: number) => linked({ ordinal, nvlinks: { up: links, all: 18 } });
    const judged = at({ check: 'link' }, survey(up(18, 0), up(0, 1), up(18, 2)));
    expect(judged.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass']);
  });

  it('is not judged while others work on one of its GPUs, but as many as the suite allows', () => {
    const gpus = survey(gpu({ processes: 0 }), gpu({ ordinal: 1, processes: 2 }), gpu({ ordinal: 2 }));
    const of = (check: SuiteCheck) =>
      at(check, gpus)
        .filter(({ device }) => device !== null)
        .map(({ verdict, cause }) => [verdict, cause?.name ?? null]);
    expect(of({ check: 'load' })).toEqual([
      ['pass', null],
      ['inconclusive', 'busy'],
      ['skipped', null],
    ]);
    expect(of({ check: 'load', processesAtMost: 2 })[1]).toEqual(['pass', null]);
  });

  it('asks a GPU’s memory where nobody is listed, and cannot tell in a container without it', () => {
    const judgedAs = (more: Partial<GpuDescription>, ownPidNamespace?: boolean | null) => {
      const gpus = { ...survey(gpu({ processes: 0, ...more })) };
      const told = ownPidNamespace === undefined ? gpus : { ...gpus, ownPidNamespace };
      return at({ check: 'load' }, told).find(({ device }) => device === 'cuda:0');
    };
    const mib = 2 ** 20;
    expect(judgedAs({ bytesInUse: 3 * mib }, true)?.verdict).toBe('pass');
    expect(judgedAs({ bytesInUse: 2000 * mib }, true)).toMatchObject({
      verdict: 'inconclusive',
      cause: { name: 'busy' },
      reason: expect.stringMatching(/^gpu memory in use 2\.\d+ GB, limit .* nobody whom NVML lists$/),
    });
    expect(judgedAs({ bytesInUse: null }, true)).toMatchObject({ verdict: 'skipped', possible: false });
    expect(judgedAs({ bytesInUse: null }, null)?.verdict).toBe('skipped');
    expect(judgedAs({ bytesInUse: null }, false)?.verdict).toBe('pass');
    // A record of an older version.
    expect(judgedAs({})?.verdict).toBe('pass');
    // They are listed, so the memory is theirs.
    expect(
      judgedAs({ processes: 1, bytesInUse: 2000 * mib }, true)?.findings.map(({ quantity }) => quantity),
    ).toEqual(['gpu_processes']);
  });

  it('warns of what draws on a GPU, and computes nothing there', () => {
    const judged = at({ check: 'load' }, survey(gpu({ processes: 0, drawingProcesses: 1 })));
    expect(judged.find(({ device }) => device === 'cuda:0')).toMatchObject({
      verdict: 'warn',
      cause: { name: 'busy' },
    });
  });
});

type Evidence = RecordInspection['flags'][number]['evidence'];
const rows = (more: Partial<NonNullable<GpuDescription['remappedRows']>> = {}) => ({
  corrected: 2,
  uncorrected: 1,
  pending: false,
  failed: false,
  ...more,
});

describe('between the look before a run and the one after it', () => {
  const record = partsRecord([{ part: 'gemm', launches: [0.001] }]);
  const before = survey(gpu({ remappedRows: rows() }));
  const ofRun = (after: Context['after'], more: Partial<Context> = {}) =>
    judgementsOf(
      { check: 'counters' },
      contextOf(record, { machine: { ...machineOf(), gpus: before }, after, ...more }),
    ).filter(({ part }) => part === null);
  const gpuAfter = (gpus: NonNullable<Context['after']>['gpus']) =>
    ofRun({ memoryErrors: null, gpus }).find(({ device }) => device === 'cuda:0');

  it.each([
    [rows(), 'pass', null],
    [rows({ corrected: 3 }), 'fail', 'rows-replaced'],
    [rows({ uncorrected: 2, pending: true }), 'fail', 'remap-pending'],
    [rows({ failed: true }), 'fail', 'remap-failed'],
    [null, 'inconclusive', 'driver-fault'],
  ])('a GPU with %j afterwards is %s', (remappedRows, verdict, cause) => {
    const judged = gpuAfter(survey(gpu({ remappedRows })));
    expect(judged).toMatchObject({ id: 'counters@cuda:0', verdict });
    expect(judged?.cause?.name ?? null).toBe(cause);
  });

  it('a row that a boot replaced before the run went on is a new one', () => {
    const replaced = gpu({ remappedRows: rows({ uncorrected: 2 }) });
    const machine = { ...machineOf(), gpus: survey(replaced) };
    const goesOn = (gpus: readonly GpuDescription[]) =>
      ofRun(
        { memoryErrors: null, gpus: survey(replaced) },
        {
          machine,
          surroundings: { busy: 0, memoryErrors: null, gpus },
        },
      ).find(({ device }) => device === 'cuda:0');
    expect(goesOn([])).toMatchObject({ verdict: 'pass' });
    expect(goesOn([gpu({ remappedRows: rows() })])).toMatchObject({ verdict: 'fail' });
  });

  it('a GPU that the driver does not show any more is an open question', () => {
    const gone = { verdict: 'inconclusive', possible: true, cause: { name: 'driver-fault' } };
    expect(gpuAfter(survey(gpu({ ordinal: 1 })))).toMatchObject(gone);
    const problem = 'error 999 in cuInit';
    expect(gpuAfter({ problem, devices: [] })).toMatchObject({
      ...gone,
      reason: expect.stringContaining(problem),
    });
  });

  it.each([
    ['that it had', 'inconclusive', '15 s', false],
    ['that a deadline cut short', 'skipped', '4 s', true],
  ])('rows are, where the driver was not heard in the time %s, %s', (_, verdict, within, noTime) => {
    const unheard = `the NVIDIA driver did not answer within ${within}`;
    expect(gpuAfter({ unheard, noTime })).toMatchObject({
      verdict,
      possible: verdict === 'inconclusive',
      cause: null,
      reason: expect.stringContaining(`the GPUs could not be asked again: ${unheard}`),
    });
  });

  it('nothing is open of a GPU that never told its rows, though its driver is not heard', () => {
    const after = { memoryErrors: null, gpus: { unheard: 'not within 15 s', noTime: false } };
    const machine = { ...machineOf(), gpus: survey(gpu({ remappedRows: null })) };
    const judged = ofRun(after, { machine }).find(({ device }) => device === 'cuda:0');
    expect(judged).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it.each([
    [{ corrected: 5, uncorrected: 0 }, { corrected: 5, uncorrected: 0 }, 'pass', null],
    [{ corrected: 5, uncorrected: 0 }, { corrected: 7, uncorrected: 0 }, 'warn', 'corrected-errors'],
    [{ corrected: 0, uncorrected: 1 }, { corrected: 0, uncorrected: 2 }, 'fail', 'memory-errors'],
    // It was booted in between, and counts anew.
    [{ corrected: 9, uncorrected: 3 }, { corrected: 0, uncorrected: 1 }, 'fail', 'memory-errors'],
    [null, { corrected: 0, uncorrected: 0 }, 'skipped', null],
    [{ corrected: 0, uncorrected: 0 }, null, 'skipped', null],
  ])('memory errors of the host from %j to %j are %s', (memoryErrors, later, verdict, cause) => {
    const judged = ofRun(
      { memoryErrors: later, gpus: survey() },
      { surroundings: { busy: 0, memoryErrors } },
    );
    const host = judged.find(({ device }) => device === 'cpu');
    expect(host).toMatchObject({ id: 'counters@cpu', verdict, possible: verdict !== 'skipped' });
    expect(host?.cause?.name ?? null).toBe(cause);
  });

  it('is looked at once: not in another attempt, nor where nothing was measured', () => {
    const after = { memoryErrors: null, gpus: survey() };
    expect(ofRun(after, { reference: record })).toEqual([]);
    expect(ofRun(null)).toEqual([]);
    expect(ofRun(after, { record: { ...record, batches: [] } })).toMatchObject([{ possible: false }]);
  });
});

const during = (name: string, evidence: Evidence, notChecked: RecordInspection['notChecked'] = []) => {
  const flags = name === '' ? [] : [{ name, reason: `${name} happened`, evidence }];
  const record = partsRecord([{ part: 'gemm', launches: [{ seconds: 0.001, flags }] }]);
  const batches = record.batches.map((batch) => ({
    ...batch,
    device: 'cuda:0',
    inspections: batch.inspections.map((launch) => ({ ...launch, notChecked })),
  }));
  return contextOf({ ...record, batches });
};

describe('what happened while a GPU was measured', () => {
  const clock = { check: 'clock', atMost: 0.005 } as const;
  it.each([
    ['', {}, 'pass', null],
    ['thermal', { softwareShare: 0.02, hardwareShare: 0 }, 'fail', 'thermal'],
    ['thermal', { softwareShare: 0.002, hardwareShare: 0.001 }, 'pass', null],
    ['thermal', { softwareShare: 0, hardwareShare: 0.02 }, 'fail', 'thermal'],
    ['power-brake', { brakeShare: 0.5, hardwareSlowdownShare: 0 }, 'fail', 'power-brake'],
    ['power-brake', { brakeShare: 0, hardwareSlowdownShare: 0.5 }, 'fail', 'power-brake'],
    ['power-capped', { share: 0.9 }, 'pass', null],
    ['clock-held', { applicationClocksShare: 1, unexplainedLoss: null }, 'fail', 'clock-held'],
    ['clock-held', { syncBoostShare: 1, unexplainedLoss: null }, 'fail', 'clock-held'],
    ['clock-held', { applicationClocksShare: 0, unexplainedLoss: 0.39 }, 'inconclusive', 'clock-held'],
  ] as const)('clock events, each bit by itself: %s %j is %s', (name, evidence, verdict, cause) => {
    const judged = judgement(clock, during(name, evidence));
    expect(judged.verdict).toBe(verdict);
    expect(judged.cause?.name ?? null).toBe(cause);
  });

  it('is not taken for nothing where NVML did not tell', () => {
    const blind = ['thermal', 'power-brake', 'clock-held', 'power-capped'].map((flag) => ({
      flag,
      why: 'no NVML',
    }));
    expect(judgement(clock, during('', {}, blind))).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it.each([
    ['', {}, 'pass', null, null],
    ['device-errors', { eccUncorrected: 1 }, 'fail', 'memory-errors', 'isolate'],
    ['device-errors', { eccCorrected: 3 }, 'warn', 'corrected-errors', 'monitor'],
    ['device-errors', { xids: '79,31' }, 'fail', 'driver-fault', 'reset'],
    ['device-errors', { xids: '31' }, 'inconclusive', 'application-fault', 'triage'],
    ['device-errors', { xids: '13,43,45' }, 'inconclusive', 'application-fault', 'triage'],
    ['device-errors', { xids: '31', eccUncorrected: 1 }, 'fail', 'memory-errors', 'isolate'],
    ['link-degraded', { pcieWidth: 8, mostPcieWidth: 16 }, 'fail', 'link', 'triage'],
    ['link-degraded', { nvlinksUp: 17, nvlinks: 18, pcieReplays: 2 }, 'fail', 'link', 'triage'],
    ['link-degraded', { pcieWidth: 16, mostPcieWidth: 16, pcieReplays: 2 }, 'warn', 'link', 'triage'],
    ['link-degraded', { nvlinkReplays: 2 }, 'warn', 'link', 'triage'],
    ['link-degraded', { nvlinkChecksums: 1 }, 'warn', 'link', 'triage'],
    ['link-degraded', { nvlinkRecoveries: 1 }, 'fail', 'link', 'triage'],
    ['device-errors', { newRowsCorrected: 1 }, 'fail', 'rows-replaced', 'triage'],
    ['device-errors', { newRowsUncorrected: 1 }, 'fail', 'rows-replaced', 'triage'],
    ['device-errors', { newRowsUncorrected: 1, newRemapPending: true }, 'fail', 'remap-pending', 'reset'],
    ['device-errors', { newRemapPending: true, newRemapFailed: true }, 'fail', 'remap-failed', 'isolate'],
    // What waited before is no event of the launch; t0 looks at the state.
    ['device-errors', { remapPending: true, newRemapPending: false }, 'pass', null, null],
  ] as const)('counters: %s %j is %s', (name, evidence, verdict, cause, severity) => {
    const judged = judgement({ check: 'counters' }, during(name, evidence));
    expect([judged.verdict, judged.cause?.name ?? null, judged.cause?.severity ?? null]).toEqual([
      verdict,
      cause,
      severity,
    ]);
  });

  it('counters: several GPUs of one launch count together, and replaced rows that nobody could see are no pass', () => {
    const flag = (newRowsCorrected: number) => ({
      name: 'device-errors',
      reason: '',
      evidence: { newRowsCorrected },
    });
    const record = partsRecord([
      { part: 'gpu-collectives', launches: [{ seconds: 0.001, flags: [flag(1), flag(2)] }] },
    ]);
    const batches = record.batches.map((batch) => ({ ...batch, device: 'cuda:0' }));
    const { findings } = judgement({ check: 'counters' }, contextOf({ ...record, batches }));
    const of = (all: typeof findings, quantity: string) => all.find((one) => one.quantity === quantity);
    expect(of(findings, 'new_rows_corrected')?.measured).toBe(3);
    const why = 'NVML shows no replaced rows of this GPU’s memory';
    const blind = judgement({ check: 'counters' }, during('', {}, [{ flag: 'device-errors', why }]));
    expect(of(blind.findings, 'new_rows_corrected')?.verdict).toBe('skipped');
    expect(of(blind.findings, 'uncorrected_errors')?.verdict).toBe('pass');
  });

  const SILENT = 'NVML does not tell: Unknown Error';
  const XIDS_UNSEEN = 'nobody could watch the fault reports of this GPU’s driver';
  it.each([
    [[SILENT, XIDS_UNSEEN]],
    [[XIDS_UNSEEN, SILENT]],
  ])('counters: what one launch could not see is not seen, whatever another was blind to: %j', (whys) => {
    const record = partsRecord([{ part: 'gemm', launches: [0.001, 0.001] }]);
    const batches = record.batches.map((batch) => ({
      ...batch,
      device: 'cuda:0',
      inspections: batch.inspections.map((launch, i) => ({
        ...launch,
        notChecked: [{ flag: 'device-errors', why: whys[i] ?? '' }],
      })),
    }));
    const { findings } = judgement({ check: 'counters' }, contextOf({ ...record, batches }));
    const of = (quantity: string) => findings.find((one) => one.quantity === quantity);
    expect(of('uncorrected_errors')).toMatchObject({ verdict: 'skipped', note: SILENT });
    expect(of('xids')).toMatchObject({ verdict: 'skipped', note: whys.join('; ') });
  });

  const FAILED = 'cuEventSynchronize: CUDA_ERROR_UNKNOWN; NVML since the launch began: ';
  it.each([
    [`${FAILED}XID 48,63, uncorrected memory errors 2`, 'fail', 'memory-errors', 'isolate'],
    [`${FAILED}XID 79, memory errors not seen`, 'fail', 'driver-fault', 'reset'],
    [
      `${FAILED}XID 48, fault reports of 1 of 2 GPUs not seen, uncorrected memory errors 2, memory errors of 1 of 2 GPUs not seen, 1 of 2 GPUs silent: no GPU of that bus`,
      'fail',
      'memory-errors',
      'isolate',
    ],
    [`${FAILED}XID 31, memory errors not seen`, 'inconclusive', 'application-fault', 'triage'],
    [
      `${FAILED}XID none, uncorrected memory errors 0, a row could not be replaced`,
      'fail',
      'remap-failed',
      'isolate',
    ],
    ['cuEventSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE', 'fail', 'memory-errors', 'isolate'],
    // That nothing was counted does not say that nothing was.
    [`${FAILED}XID none, uncorrected memory errors 0`, 'inconclusive', 'lost-launch', 'triage'],
    ['crashed with SIGSEGV', 'inconclusive', 'lost-launch', 'triage'],
  ] as const)('counters: a launch that failed with %j is %s', (reason, verdict, cause, severity) => {
    const record = during('', {}).record;
    if (record === null) throw new Error('no record');
    const lost = { status: 'failed', reason, file: null, sha256: null, statistics: null, flags: [] } as const;
    const batches = record.batches.map((batch) => ({
      ...batch,
      inspections: batch.inspections.map((launch) => ({ ...launch, ...lost, flags: [] })),
    }));
    const judged = judgement({ check: 'counters' }, contextOf({ ...record, batches }));
    expect([judged.verdict, judged.cause?.name, judged.cause?.severity]).toEqual([verdict, cause, severity]);
  });

  it('counters: what a launch that failed counted is added to what the others did', () => {
    const record = partsRecord([{ part: 'gemm', launches: [0.001, 0.001] }]);
    const reason = `${FAILED}XID 79, uncorrected memory errors 0`;
    const batches = record.batches.map((batch) => ({
      ...batch,
      device: 'cuda:0',
      inspections: batch.inspections.map((launch, i) =>
        i === 0 ? launch : { ...launch, status: 'failed' as const, reason, file: null, statistics: null },
      ),
    }));
    const judged = judgement({ check: 'counters' }, contextOf({ ...record, batches }));
    expect(judged).toMatchObject({ verdict: 'fail', cause: { name: 'driver-fault' } });
  });

  it('counters: a card that no bridge connects has no degraded link', () => {
    const alone = { nvlinksUp: 0, nvlinks: 18, pcieReplays: 0 };
    expect(judgement({ check: 'counters' }, during('link-degraded', alone)).verdict).toBe('pass');
  });

  it.each([
    [{ pcieAwake: true, pcieGeneration: 3, mostPcieGeneration: 5 }, 'pinned', [], 'warn'],
    [{ pcieAwake: false, pcieGeneration: 1, mostPcieGeneration: 5 }, 'pinned', [], 'pass'],
    // Nothing went over the link, so its generation is not looked at.
    [{ pcieAwake: true, pcieGeneration: 3, mostPcieGeneration: 5 }, 'none', [], undefined],
    [{}, 'pinned', [{ flag: 'link-degraded', why: 'no PCIe generation' }], 'skipped'],
    // Between GPUs PCIe is looked at where a copy used it.
    [{ pcieAwake: true, pcieGeneration: 3, mostPcieGeneration: 5 }, 'peer', [], 'warn'],
    [{ pcieAwake: false, pcieGeneration: 1, mostPcieGeneration: 5 }, 'peer', [], undefined],
    [{}, 'peer', [{ flag: 'link-degraded', why: 'no PCIe generation' }], 'skipped'],
  ] as const)('counters: a link of copies with %j, memory of %s, %j: %s', (evidence, end, blind, verdict) => {
    const context = during(Object.keys(evidence).length === 0 ? '' : 'link-degraded', evidence, [...blind]);
    const record = context.record;
    if (record === null) throw new Error('no record');
    const batches = record.batches.map((batch) => ({
      ...batch,
      case: {
        ...batch.case,
        parameters: {
          ...batch.case.parameters,
          ...(end === 'peer' ? { host: 'none', peer: 'cuda:1' } : { host: end }),
        },
      },
    }));
    const { findings, cause } = judgement(
      { check: 'counters' },
      { ...context, record: { ...record, batches } },
    );
    expect(findings.find(({ quantity }) => quantity === 'slow_links')?.verdict).toBe(verdict);
    expect(cause?.name ?? null).toBe(verdict === 'warn' ? 'link' : null);
  });
});

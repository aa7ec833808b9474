import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  campaignFolder,
  launcher,
  type Running,
  readInspectionFile,
  readRecordFile,
  start,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';
import { cpuSeconds, measuringSeconds } from '../support/processes.js';

/** Measures until it is stopped, however late whoever comes after it is. */
const ENDLESS = ['matmul', '--size', '512', '--reps', '1000000', '--inspections', '1', '--warmup', '5'];
const SHORT = ['matmul', '--size', '64', '--reps', '50', '--inspections', '2'];

/** Calls `use` while a campaign measures, which `stop` ends cleanly. */
async function whileMeasuring(out: string, use: (stop: () => Promise<void>) => Promise<void>): Promise<void> {
  const { child, ended } = startPiBench([...ENDLESS, '--out', out]);
  try {
    const worker = await until(() => workerOf(child.pid ?? 0), 'the first campaign');
    await until(() => (measuringSeconds(worker) > 0.3 ? true : undefined), 'its repetitions');
    await use(async () => {
      child.kill('SIGINT');
      expect((await ended).code).toBe(130);
    });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

describe('two campaigns at once', () => {
  it('the second waits, says for whom, and then runs undisturbed', () =>
    withFolder(async (out) => {
      await whileMeasuring(`${out}/first`, async (stop) => {
        const second = startPiBench([...SHORT, '--out', `${out}/second`]);
        const waits = /waiting: campaign \S+ \(pid \d+\) is measuring on this machine/;
        await until(() => (waits.test(second.stderr()) ? true : undefined), 'the second to wait');
        const alone = () => (workerOf(second.child.pid ?? 0) === undefined ? true : undefined);
        await until(alone, 'the end of the worker that stood by');
        await stop();
        const { code, stderr } = await second.ended;
        expect(code).toBe(0);
        expect(stderr).toMatch(/^pi-bench: waited for \S+ m?s.*, which is no part of a budget$/m);
      });
      expect(readRecordFile(campaignFolder(`${out}/second`)).contendedBy).toBeNull();
      expect(readRecordFile(campaignFolder(`${out}/first`)).contendedBy).toBeNull();
    }));

  it('that do not wait for each other are both flagged', () =>
    withFolder(async (out) => {
      await whileMeasuring(`${out}/first`, async (stop) => {
        const second = await startPiBench([...SHORT, '--no-wait', '--out', `${out}/second`]).ended;
        expect(second.code).toBe(0);
        await stop();
      });
      for (const which of ['first', 'second']) {
        const record = readRecordFile(campaignFolder(`${out}/${which}`));
        expect(record.contendedBy).toMatch(/^campaign /);
        expect(record.batches[0]?.flags.map(({ name }) => name)).toContain('contended');
      }
    }));
});

/** A control group with half a CPU; null where this user may not make one. */
function makeQuota(): { enter: string; remove: () => void } | null {
  const v1 = '/sys/fs/cgroup/cpu/pi-bench-test';
  const v2 = '/sys/fs/cgroup/pi-bench-test';
  try {
    if (existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us')) {
      mkdirSync(v1, { recursive: true });
      writeFileSync(`${v1}/cpu.cfs_period_us`, '100000');
      writeFileSync(`${v1}/cpu.cfs_quota_us`, '50000');
      return { enter: `${v1}/cgroup.procs`, remove: () => rmdirSync(v1) };
    }
    if (readFileSync('/sys/fs/cgroup/cgroup.subtree_control', 'utf8').includes('cpu')) {
      mkdirSync(v2, { recursive: true });
      writeFileSync(`${v2}/cpu.max`, '50000 100000');
      return { enter: `${v2}/cgroup.procs`, remove: () => rmdirSync(v2) };
    }
  } catch {
    // Not allowed here.
  }
  return null;
}

const probe = makeQuota();
probe?.remove();
if (probe === null) console.warn('skipped: a control group with a CPU quota cannot be made here');

describe.skipIf(probe === null)('under a quota of half a CPU', () => {
  it('`throttled` fires, and the sustained rate, over the whole wall clock, is far below the burst', () =>
    withFolder(async (out) => {
      const quota = makeQuota();
      if (quota === null) throw new Error('the quota could be made a moment ago');
      try {
        const measured =
          'matmul --size 256 --reps 2000 --inspections 2 --threads 1 --warmup 20 --json --quiet';
        const command = `echo $$ > ${quota.enter}; exec ${process.execPath} ${launcher} ${measured} --out ${out}`;
        const run = await start('sh', ['-c', command]).ended;
        expect(run.code).toBe(0);
        const { batches, labels } = JSON.parse(run.stdout) as ReturnType<typeof readRecordFile>;
        const throttled = batches[0]?.flags.find(({ name }) => name === 'throttled');
        expect(throttled?.reason).toContain('0.5 CPU');
        expect(throttled?.evidence.throttledPeriods).toBeGreaterThan(0);
        expect(labels.cgroup_cpu_quota).toBe(0.5);
        const share = (batches[0]?.rate?.sustained ?? 0) / (batches[0]?.rate?.median ?? 1);
        expect(share).toBeLessThan(0.75);
        // How far below is up to who else takes this CPU; that the wall clock counts is not.
        for (const { index, rate } of batches[0]?.inspections ?? []) {
          const { wall, callsPerSample, samples } = readInspectionFile(campaignFolder(out), index);
          const work = samples.count * callsPerSample * (batches[0]?.work?.flop ?? 0);
          expect(((rate?.sustained ?? 0) * wall) / work).toBeCloseTo(1, 6);
        }
      } finally {
        await until(() => {
          try {
            quota.remove();
            return true;
          } catch {
            return undefined;
          }
        }, 'the control group to be empty');
      }
    }));
});

it('a load beside the launch is seen: preempted or contended', () =>
  withFolder(async (out) => {
    const spinners = [0, 1, 2, 3].map(() => start(process.execPath, ['-e', 'for (;;) {}']));
    try {
      const spins = ({ child }: Running): boolean => cpuSeconds(child.pid ?? 0) > 0.2;
      await until(() => (spinners.every(spins) ? true : undefined), 'the load');
      const run = await startPiBench([
        'matmul',
        '--size',
        // Longer than the scheduler's slice: with two spinners on each CPU, hardly a repetition keeps it.
        '768',
        '--reps',
        '100',
        '--inspections',
        '1',
        '--json',
        '--quiet',
        '--out',
        out,
      ]).ended;
      const [batch] = (JSON.parse(run.stdout) as ReturnType<typeof readRecordFile>).batches;
      const names = batch?.flags.map(({ name }) => name) ?? [];
      expect(names).toContain('preempted');
      expect(names).toContain('contended');
      expect(batch?.disturbedShare).toBeGreaterThan(0.25);
    } finally {
      for (const { child } of spinners) child.kill('SIGKILL');
    }
  }));

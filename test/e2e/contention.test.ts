import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  campaignFolder,
  launcher,
  readRecordFile,
  start,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';

const LONG = ['matmul', '--size', '256', '--reps', '4000', '--inspections', '2', '--warmup', '20'];
const SHORT = ['matmul', '--size', '64', '--reps', '50', '--inspections', '2'];

describe('two campaigns at once', () => {
  it('the second waits, says for whom, and then runs undisturbed', () =>
    withFolder(async (out) => {
      const first = startPiBench([...LONG, '--out', `${out}/first`]);
      await until(() => workerOf(first.child.pid ?? 0), 'the first campaign');
      const second = await startPiBench([...SHORT, '--out', `${out}/second`]).ended;
      expect(second.stderr).toMatch(/waiting: campaign \S+ \(pid \d+\) is measuring on this machine/);
      expect(second.code).toBe(0);
      expect((await first.ended).code).toBe(0);
      expect(readRecordFile(campaignFolder(`${out}/second`)).contendedBy).toBeNull();
      expect(readRecordFile(campaignFolder(`${out}/first`)).contendedBy).toBeNull();
    }));

  it('that do not wait for each other are both flagged', () =>
    withFolder(async (out) => {
      const first = startPiBench([...LONG, '--out', `${out}/first`]);
      await until(() => workerOf(first.child.pid ?? 0), 'the first campaign');
      const second = await startPiBench([...SHORT, '--no-wait', '--out', `${out}/second`]).ended;
      expect(second.code).toBe(0);
      await first.ended;
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
  it('`throttled` fires, and the sustained rate is about half the burst', () =>
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
        expect(share).toBeGreaterThan(0.3);
        expect(share).toBeLessThan(0.75);
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
      const run = await startPiBench([
        'matmul',
        '--size',
        // Longer than the scheduler's slice: with two spinners on each CPU, hardly a repetition keeps it.
        '768',
        '--reps',
        '200',
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

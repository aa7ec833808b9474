/** Launches that are killed, and what the kernel counted meanwhile. */
import { describe, expect, it } from 'vitest';
import { type OomKills, readOomKills } from '../../src/execution/oom-kills.js';
import { readerOf } from '../machine/fixtures/reader-of.js';
import { launchOf } from './support.js';

const VMSTAT = { '/proc/vmstat': 'nr_free_pages 17\noom_kill 9\n' };
const V2 = {
  ...VMSTAT,
  '/proc/self/cgroup': '0::/job/step\n',
  '/proc/self/mountinfo': '31 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
};
const V1 = {
  ...VMSTAT,
  '/proc/self/cgroup': '4:memory:/job\n1:cpu:/\n0::/\n',
  '/proc/self/mountinfo': '35 24 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n',
};

describe('kills for want of memory', () => {
  it.each([
    [
      'its own group’s, not those around it (cgroup v2)',
      {
        ...V2,
        '/sys/fs/cgroup/job/step/memory.events': 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n',
        '/sys/fs/cgroup/job/memory.events': 'oom_kill 5\n',
      },
      { count: 2, where: 'in its control group' },
    ],
    [
      'its own group’s (cgroup v1)',
      {
        ...V1,
        '/sys/fs/cgroup/memory/job/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 4\n',
      },
      { count: 4, where: 'in its control group' },
    ],
    ['the machine’s, where the group has no count', V2, { count: 9, where: 'on the machine' }],
    ['the machine’s, where there are no groups', VMSTAT, { count: 9, where: 'on the machine' }],
    ['unknown, where nobody counts', {}, null],
  ] as const)('are %s', (_, files, kills) => {
    expect(readOomKills(readerOf(files))).toEqual(kills);
  });
});

describe('a launch that was killed', () => {
  /** One look after the other. */
  const killedWhile = (...looks: readonly (OomKills | null)[]) => {
    const left = [...looks];
    return launchOf("process.kill(process.pid, 'SIGKILL');", () => left.shift() ?? null);
  };
  const inGroup = (count: number): OomKills => ({ count, where: 'in its control group' });
  const onMachine = (count: number): OomKills => ({ count, where: 'on the machine' });
  /** The reason with how it was killed. */
  const because = (how: string) =>
    expect.stringMatching(
      new RegExp(`^${how}, last heard of in phase start after 0 repetitions, \\S+ m?s before$`),
    );

  it('while the kernel killed in its own group had too little memory', async () => {
    expect(await killedWhile(inGroup(3), inGroup(4))).toMatchObject({
      status: 'out-of-memory',
      reason: because('killed by SIGKILL while the kernel killed for want of memory in its control group'),
    });
  });

  it('while the kernel killed somewhere need not be whom that was about', async () => {
    expect(await killedWhile(onMachine(3), onMachine(4))).toMatchObject({
      status: 'killed',
      reason: because('killed by SIGKILL while the kernel killed for want of memory on the machine'),
    });
  });

  it.each([
    ['nothing more', inGroup(3), inGroup(3)],
    ['nothing that is known before', null, inGroup(3)],
    ['nothing that is known after', inGroup(3), null],
    ['in two places that do not compare', inGroup(3), onMachine(9)],
  ])('while the kernel killed %s was killed by somebody', async (_, before, after) => {
    expect(await killedWhile(before, after)).toMatchObject({
      status: 'killed',
      reason: because('killed by SIGKILL'),
    });
  });
});

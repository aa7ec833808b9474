/** Where a process's control group is mounted. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWhole, locateCgroup } from '../../src/machine/linux/cgroup-location.js';
import { type Files, readerOf } from './fixtures/reader-of.js';

const V2_MOUNT =
  '26 20 0:23 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n';
const v2MountAt = (root: string): string => `26 20 0:23 ${root} /sys/fs/cgroup ro - cgroup2 cgroup rw\n`;

describe('locating a control group', () => {
  it('finds a v2 group and all its ancestors, the group first', () => {
    expect(locateCgroup('0::/user.slice/user-1000.slice/run.scope\n', V2_MOUNT, 'cpu')).toEqual({
      version: 2,
      path: '/user.slice/user-1000.slice/run.scope',
      directories: [
        '/sys/fs/cgroup/user.slice/user-1000.slice/run.scope',
        '/sys/fs/cgroup/user.slice/user-1000.slice',
        '/sys/fs/cgroup/user.slice',
        '/sys/fs/cgroup',
      ],
    });
  });

  it('finds a v1 group of the asked controller among those mounted together', () => {
    const cgroup = '4:memory:/job/m\n3:cpu,cpuacct:/job/c\n1:name=systemd:/\n';
    const mounts = `33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
`;
    expect(locateCgroup(cgroup, mounts, 'cpu')?.directories[0]).toBe('/sys/fs/cgroup/cpu,cpuacct/job/c');
    expect(locateCgroup(cgroup, mounts, 'memory')?.directories[0]).toBe('/sys/fs/cgroup/memory/job/m');
    expect(locateCgroup(cgroup, mounts, 'cpuset')).toBeNull();
  });

  it('takes v1 for a controller that a hybrid system keeps there, and v2 for the others', () => {
    const cgroup = '2:memory:/m\n0::/u\n';
    const mounts = `40 31 0:37 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`;
    expect(locateCgroup(cgroup, mounts, 'memory')).toMatchObject({ version: 1 });
    expect(locateCgroup(cgroup, mounts, 'cpu')).toEqual({
      version: 2,
      path: '/u',
      directories: ['/sys/fs/cgroup/unified/u', '/sys/fs/cgroup/unified'],
    });
  });

  it('finds the group at the mount point inside a cgroup namespace, whose root is /', () => {
    expect(locateCgroup('0::/\n', v2MountAt('/'), 'cpu')?.directories).toEqual(['/sys/fs/cgroup']);
  });

  it('finds the group at the mount point when a container shows the path of its host', () => {
    const mounts = '620 605 0:30 /docker/9f1c /sys/fs/cgroup/cpu ro master:11 - cgroup cgroup rw,cpu\n';
    expect(locateCgroup('4:cpu:/docker/9f1c\n', mounts, 'cpu')?.directories).toEqual(['/sys/fs/cgroup/cpu']);
    expect(locateCgroup('4:cpu:/docker/9f1c/sub\n', mounts, 'cpu')?.directories[0]).toBe(
      '/sys/fs/cgroup/cpu/sub',
    );
  });

  it('follows a path that climbs out of the namespace as far as the mount does', () => {
    expect(locateCgroup('0::/../..\n', v2MountAt('/../..'), 'cpu')?.directories).toEqual(['/sys/fs/cgroup']);
    expect(locateCgroup('0::/../pod/c2\n', v2MountAt('/..'), 'cpu')?.directories).toEqual([
      '/sys/fs/cgroup/pod/c2',
      '/sys/fs/cgroup/pod',
      '/sys/fs/cgroup',
    ]);
  });

  it("claims no directory when the namespace hides where the group is, so that no other group's limits are shown", () => {
    expect(locateCgroup('0::/../..\n', v2MountAt('/'), 'cpu')?.directories).toEqual([]);
    expect(locateCgroup('0::/\n', v2MountAt('/../../..'), 'cpu')?.directories).toEqual([]);
    expect(locateCgroup('0::/other\n', v2MountAt('/docker/9f1c'), 'cpu')?.directories).toEqual([]);
  });

  it('reads mount points with spaces, and says nothing without its files', () => {
    const mounts = '26 20 0:23 / /mnt/c\\040g rw - cgroup2 none rw\n';
    expect(locateCgroup('0::/\n', mounts, 'cpu')?.directories).toEqual(['/mnt/c g']);
    expect(locateCgroup('0::/a\n', null, 'cpu')?.directories).toEqual([]);
    expect(locateCgroup(null, mounts, 'cpu')).toBeNull();
  });

  it('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, root) => {
        const location = locateCgroup(`0::/${path}\n`, v2MountAt(`/${root}`), 'cpu');
        expect(location === null || location.directories.every((d) => d.startsWith('/'))).toBe(true);
        expect(() => locateCgroup(path, root, 'memory')).not.toThrow();
      }),
      { examples: [['', ' ']] },
    );
  });
});

describe('all groups that hold a process are seen', () => {
  const whole = (cgroup: string, mounts: string, files: Files) => {
    const location = locateCgroup(cgroup, mounts, 'cpu');
    return location === null ? null : isWhole(readerOf(files), location);
  };

  it('of v2 where the outermost directory lacks the file that every group but the root has', () => {
    expect(whole('0::/a\n', V2_MOUNT, { '/sys/fs/cgroup/a/cgroup.type': 'domain\n' })).toBe(true);
    expect(whole('0::/\n', v2MountAt('/'), { '/sys/fs/cgroup/cgroup.type': 'domain\n' })).toBe(false);
    expect(whole('0::/../b\n', v2MountAt('/..'), { '/sys/fs/cgroup/cgroup.type': 'domain\n' })).toBe(false);
  });

  it('of v1 where the outermost directory has the file that the root alone has', () => {
    const mountAt = (root: string) => `33 31 0:29 ${root} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n`;
    const root = { '/sys/fs/cgroup/cpu/release_agent': '\n' };
    expect(whole('4:cpu:/job\n', mountAt('/'), root)).toBe(true);
    expect(whole('4:cpu:/docker/9f1c\n', mountAt('/docker/9f1c'), {})).toBe(false);
    // A namespace calls its own group the root.
    expect(whole('4:cpu:/\n', mountAt('/'), {})).toBe(false);
  });

  it('never where none is mounted', () => {
    expect(whole('0::/a\n', '', {})).toBe(false);
  });
});

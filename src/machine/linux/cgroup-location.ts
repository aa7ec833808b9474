/**
 * Where the files of this process's control group are, from /proc/self/cgroup and /proc/self/mountinfo:
 * cgroup v1, v2, hybrid, and inside cgroup namespaces.
 */
import type { FileReader } from './reader.js';

/** The resource controllers whose limits matter to a measurement. */
export type Controller = 'cpu' | 'memory' | 'cpuset';

export interface CgroupLocation {
  readonly version: 1 | 2;
  /** The group as /proc/self/cgroup names it. */
  readonly path: string;
  /** Directories of the group and of each ancestor that is mounted, the group first; empty when it is not mounted here. */
  readonly directories: readonly string[];
}

/** By which a directory tells whether it is the root of its hierarchy: of v2 every group but the root has it, of v1 the root alone. */
export const ROOT_SIGNS: Readonly<Record<CgroupLocation['version'], string>> = {
  1: 'release_agent',
  2: 'cgroup.type',
};

export function isRootGroup(
  reader: FileReader,
  version: CgroupLocation['version'],
  directory: string,
): boolean {
  const isThere = reader(`${directory}/${ROOT_SIGNS[version]}`) !== null;
  return version === 1 ? isThere : !isThere;
}

/** Whether every group that holds this process is among the directories: a container's namespace or mount hides those above it. */
export function isWhole(reader: FileReader, { version, directories }: CgroupLocation): boolean {
  const outermost = directories.at(-1);
  return outermost !== undefined && isRootGroup(reader, version, outermost);
}

interface Membership {
  readonly id: number;
  readonly controllers: readonly string[];
  readonly path: string;
}

interface CgroupMount {
  readonly version: 1 | 2;
  readonly root: string;
  readonly mountPoint: string;
  readonly options: readonly string[];
}

/** Lines `id:controllers:path` of /proc/self/cgroup; lines of another form are left out. */
function parseMemberships(text: string): readonly Membership[] {
  const memberships: Membership[] = [];
  for (const line of text.split('\n')) {
    const match = /^(\d{1,9}):([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    memberships.push({
      id: Number(match[1]),
      controllers: match[2] === '' ? [] : (match[2] ?? '').split(','),
      path: (match[3] ?? '/').replace(/ \(deleted\)$/, ''),
    });
  }
  return memberships;
}

/** The cgroup file systems of /proc/self/mountinfo. */
function parseCgroupMounts(text: string): readonly CgroupMount[] {
  const mounts: CgroupMount[] = [];
  for (const line of text.split('\n')) {
    const separator = line.indexOf(' - ');
    if (separator < 0) continue;
    const left = line.slice(0, separator).split(' ');
    const right = line.slice(separator + 3).split(' ');
    const [root, mountPoint] = [left[3], left[4]];
    const type = right[0];
    if (!root?.startsWith('/') || !mountPoint?.startsWith('/')) continue;
    if (type !== 'cgroup' && type !== 'cgroup2') continue;
    mounts.push({
      version: type === 'cgroup2' ? 2 : 1,
      root: unescapeOctal(root),
      mountPoint: unescapeOctal(mountPoint),
      options: (right[2] ?? '').split(','),
    });
  }
  return mounts;
}

/** null when the kernel has no such controller for this process, or the files cannot be read. */
export function locateCgroup(
  cgroupText: string | null,
  mountinfoText: string | null,
  controller: Controller,
): CgroupLocation | null {
  if (cgroupText === null) return null;
  const memberships = parseMemberships(cgroupText);
  // A controller belongs to one hierarchy: a v1 hierarchy that names it, else the unified one.
  const v1 = memberships.find((membership) => membership.controllers.includes(controller));
  const unified = memberships.find(
    (membership) => membership.id === 0 && membership.controllers.length === 0,
  );
  const membership = v1 ?? unified;
  if (membership === undefined) return null;
  const version = v1 === undefined ? 2 : 1;
  const mounts = parseCgroupMounts(mountinfoText ?? '').filter(
    (mount) => mount.version === version && (version === 2 || mount.options.includes(controller)),
  );
  let directories: readonly string[] = [];
  for (const mount of mounts) {
    const below = pathBelow(mount.root, membership.path);
    // Of several mounts, the one that shows most ancestors.
    if (below !== null && below.length + 1 > directories.length) {
      directories = withAncestors(mount.mountPoint, below);
    }
  }
  return { version, path: membership.path, directories };
}

/** The names that lead from a mount's root to the group; null when the group is not beneath it. */
function pathBelow(root: string, path: string): readonly string[] | null {
  const from = climb(root);
  const to = climb(path);
  // Both are relative to the root of the cgroup namespace, and may climb above it. When they climb unequally, the
  // names between are hidden from this namespace: guessing the mount point would show the limits of another group.
  if (from.up !== to.up) return null;
  if (from.names.some((name, i) => to.names[i] !== name)) return null;
  return to.names.slice(from.names.length);
}

function climb(path: string): { readonly up: number; readonly names: readonly string[] } {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const firstName = segments.findIndex((segment) => segment !== '..');
  const up = firstName < 0 ? segments.length : firstName;
  return { up, names: segments.slice(up) };
}

function withAncestors(mountPoint: string, names: readonly string[]): readonly string[] {
  const base = mountPoint === '/' ? '' : mountPoint;
  return Array.from({ length: names.length + 1 }, (_, i) =>
    [base, ...names.slice(0, names.length - i)].join('/'),
  );
}

/** mountinfo writes space, tab, newline and backslash as octal. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

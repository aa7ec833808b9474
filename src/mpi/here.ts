/** This process and this system, as the choice of an MPI library asks them. The edge to the environment and other programs. */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { localSystem } from '../stacks/system.js';
import {
  chooseMpi,
  launcherKind,
  type MpiChoice,
  type MpiFlags,
  type MpiSystem,
  startsAllHere,
  wordsOf,
} from './choice.js';
import { type MpiPlace, mpiPlace } from './place.js';

const versions = new Map<string, string | null>();

const system: MpiSystem = {
  ...localSystem,
  path: (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
  versionOf(program) {
    const known = versions.get(program);
    if (known !== undefined) return known;
    const { status, stdout } = spawnSync(program, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    const version = status === 0 ? stdout : null;
    versions.set(program, version);
    return version;
  },
};

/** null: no launcher has started this process. */
export const mpiPlaceHere = (): MpiPlace | null => mpiPlace(process.env);

/** @throws UserError */
export const chooseMpiHere = (flags: MpiFlags, place: MpiPlace | null): MpiChoice =>
  chooseMpi(flags, place, system);

/** What the launcher's program says of itself; null: it cannot be run. */
export const launcherVersion = (program: string): string | null => system.versionOf(program);

/** Whether the ranks that a launcher starts are all on this host; false: on which hosts they are is not known. */
export function startsOnlyHere(launcher: string): boolean {
  const kind = launcherKind(system.versionOf(wordsOf(launcher)[0] ?? '') ?? '');
  return kind !== null && startsAllHere(launcher, kind, process.env);
}

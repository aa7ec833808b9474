/**
 * Which MPI library a campaign measures, and who starts its ranks: as flags say, or the launcher that this process runs
 * under, or what the search finds. Pure but for the system that it is given.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { UserError } from '../errors.js';
import { type LibrarySystem, searchLibrary } from '../stacks/search.js';
import type { LauncherKind, MpiPlace } from './place.js';

/** What the choice asks the system. */
export interface MpiSystem extends LibrarySystem {
  /** The folders of PATH. */
  readonly path: readonly string[];
  /** What the program prints for `--version`; null: it cannot be run. */
  versionOf(program: string): string | null;
}

export interface MpiChoice {
  /** The library, with every link followed. */
  readonly library: string;
  /** The command that starts ranks, or `within NAME` where ranks are what one has started. */
  readonly launcher: string;
}

export const WITHIN = 'within ';
export const isWithin = (launcher: unknown): boolean => String(launcher).startsWith(WITHIN);

/** The program and its arguments; no shell is asked. */
export const wordsOf = (launcher: string): readonly string[] => launcher.trim().split(/\s+/);

const OPEN_MPI = ['libmpi.so.40'];
const MPICH = ['libmpich.so.12', 'libmpi.so.12'];
const STANDARD = ['libmpi_abi.so.1', 'libmpi_abi.so.0'];
const SONAMES: Readonly<Record<LauncherKind, readonly string[]>> = {
  openmpi: [...OPEN_MPI, ...STANDARD],
  mvapich: [...MPICH, ...STANDARD],
  hydra: [...MPICH, ...STANDARD],
  flux: [...OPEN_MPI, ...MPICH, ...STANDARD],
  slurm: [...OPEN_MPI, ...MPICH, ...STANDARD],
  pmix: [...OPEN_MPI, ...STANDARD],
  rank: [],
};
/** In the order in which they are looked for. */
const PROGRAMS = ['mpirun', 'mpiexec', 'mpirun.openmpi', 'mpirun.mpich', 'mpiexec.hydra'];

/** Whose launcher a program is, by what it says of itself; null: of none that is known. */
export function launcherKind(version: string): LauncherKind | null {
  if (/Open ?MPI|OpenRTE|PRRTE/i.test(version)) return 'openmpi';
  if (/HYDRA|Intel\(R\) MPI/i.test(version)) return 'hydra';
  if (/^slurm/i.test(version)) return 'slurm';
  return /^flux/im.test(version) ? 'flux' : null;
}

function findProgram(name: string, system: MpiSystem): string | null {
  const places =
    isAbsolute(name) || name.includes('/') ? [name] : system.path.map((folder) => join(folder, name));
  return places.find((place) => system.realPath(place) !== null) ?? null;
}

/** Beside the launcher first: a library that was built apart from it would start alone. */
function findLibrary(kind: LauncherKind, program: string | null, system: MpiSystem): string | null {
  const real = program === null ? null : system.realPath(program);
  const beside = real === null ? [] : ['lib', 'lib64'].map((folder) => join(dirname(dirname(real)), folder));
  const usual = beside.filter((folder) => folder !== '/usr/lib' && folder !== '/usr/lib64');
  const spec = { sonames: SONAMES[kind], subfolders: [], folders: [] };
  const [first] = [
    ...usual.flatMap((folder) => SONAMES[kind].flatMap((name) => system.realPath(join(folder, name)) ?? [])),
    ...searchLibrary(spec, system),
  ];
  return first ?? null;
}

const belongsTo = (kind: LauncherKind): string =>
  kind === 'openmpi' ? 'Open MPI (libmpi.so.40)' : kind === 'hydra' ? 'MPICH (libmpich.so.12)' : 'MPI';

/** A file by its path, or a name as the loader knows it. */
function givenLibrary(given: string, system: MpiSystem): string {
  const isName = !given.includes('/');
  const named = isName ? searchLibrary({ sonames: [given], subfolders: [], folders: [] }, system) : [];
  const real = system.realPath(given) ?? named[0];
  if (real === undefined)
    throw new UserError(
      `--mpi-library ${given}: there is no such file${isName ? ', here or where the loader looks' : ''}`,
    );
  return real;
}

export interface MpiFlags {
  readonly library?: string | undefined;
  readonly launcher?: string | undefined;
}

/**
 * @param place of this process, where a launcher has started it
 * @throws UserError where there is no library, or nothing to start ranks with
 */
export function chooseMpi(flags: MpiFlags, place: MpiPlace | null, system: MpiSystem): MpiChoice {
  if (place !== null) {
    if (flags.launcher !== undefined)
      throw new UserError(
        `--launcher starts ranks, but ${place.launcher} has started ${place.size} already: leave one of them out`,
      );
    const library =
      flags.library === undefined
        ? findLibrary(place.launcher, null, system)
        : givenLibrary(flags.library, system);
    if (library === null)
      throw new UserError(
        `no library of ${belongsTo(place.launcher)} was found, which this job's launcher takes: name it with --mpi-library`,
      );
    return { library, launcher: `${WITHIN}${place.launcher}` };
  }
  const wanted = flags.launcher === undefined ? PROGRAMS : [wordsOf(flags.launcher)[0] ?? ''];
  const found = wanted.flatMap((name) => {
    const program = findProgram(name, system);
    const version = program === null ? null : system.versionOf(program);
    const kind = version === null ? null : launcherKind(version);
    return program === null || kind === null ? [] : [{ program, kind }];
  });
  const library = flags.library === undefined ? null : givenLibrary(flags.library, system);
  // Of several launchers, the one that the library belongs to.
  const suits = ({ program, kind }: { program: string; kind: LauncherKind }): boolean =>
    library === null ? findLibrary(kind, program, system) !== null : libraryKind(library) === kind;
  const chosen = found.find(suits) ?? found[0];
  if (chosen === undefined) {
    throw new UserError(
      flags.launcher === undefined
        ? `--transport mpi needs ${PROGRAMS.slice(0, 2).join(' or ')}, and none is in PATH: install Open MPI or MPICH, or name one with --launcher`
        : `--launcher ${flags.launcher}: there is no such program, or none that starts MPI ranks (mpirun of Open MPI or MPICH, srun, flux)`,
    );
  }
  const own = library ?? findLibrary(chosen.kind, chosen.program, system);
  if (own === null)
    throw new UserError(
      `${chosen.program} starts ranks of ${belongsTo(chosen.kind)}, and no such library was found: name it with --mpi-library`,
    );
  const words = flags.launcher === undefined ? [] : wordsOf(flags.launcher).slice(1);
  return { library: own, launcher: [chosen.program, ...words].join(' ') };
}

/** By its name: whose launcher starts its ranks. null: not known. */
function libraryKind(path: string): LauncherKind | null {
  if (/\/libmpi\.so\.40(\.|$)/.test(path)) return 'openmpi';
  return /\/libmpi(ch)?\.so\.12(\.|$)/.test(path) ? 'hydra' : null;
}

/** In a job of a scheduler, or with a list of hosts, a launcher starts ranks elsewhere, too. */
const HAS_HOSTS =
  /^(?:SLURM_JOB_?ID|PBS_JOBID|LSB_JOBID|PE_HOSTFILE|FLUX_JOB_ID|HYDRA_HOST_FILE|I_MPI_HYDRA_HOST_FILE|(?:OMPI|PRTE)_MCA_\w*hostfile)$/;

/** Whether a launcher that is asked for nothing but ranks starts all of them on this host; false: it is not known. */
export function startsAllHere(
  launcher: string,
  kind: LauncherKind,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (kind !== 'openmpi' && kind !== 'hydra') return false;
  // One of its own arguments may be about hosts.
  return wordsOf(launcher).length === 1 && !Object.keys(environment).some((name) => HAS_HOSTS.test(name));
}

/** Arguments of Open MPI's launcher that say where ranks run, and how many there. */
const NAMES_HOSTS =
  /^--?(?:H|N|host|hostfile|machinefile|default-hostfile|rankfile|rf|app|npernode|npersocket|ppr|map-by)(?:=|$)/;

/** What of this host ranks may use; its CPUs are more than its cores where cores have several threads. */
export interface HostCpus {
  readonly cpus: number;
  readonly cores: number;
}

/**
 * What Open MPI's launcher has to be told so that it has a place for each rank: of a host of which nobody says how many ranks it takes it
 * takes one for each core. null: nothing.
 * @param own what it is told otherwise
 */
function placesFlag(ranks: number, own: readonly string[], { cpus, cores }: HostCpus): string | null {
  // Whoever names hosts has said how many ranks each takes; this one's CPUs say nothing of them.
  if (ranks <= cores || own.includes('--oversubscribe') || own.some((word) => NAMES_HOSTS.test(word)))
    return null;
  // Ranks that share a CPU offer it to others whenever they wait, and are slower for it: not where each has one.
  return ranks > cpus ? '--oversubscribe' : '--use-hwthread-cpus';
}

export interface LaunchCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The command that starts ranks of a program.
 * @param host of which `root` says whether this user is root, whom Open MPI refuses unless told that this is meant
 */
export function launchCommand(
  launcher: string,
  kind: LauncherKind,
  ranks: number,
  program: readonly string[],
  { root, ...host }: HostCpus & { readonly root: boolean },
): LaunchCommand {
  const [command = '', ...own] = wordsOf(launcher);
  const places = placesFlag(ranks, own, host);
  const without = (flag: string, ...args: readonly string[]): readonly string[] =>
    own.includes(flag) ? [] : [flag, ...args];
  const some: readonly string[] =
    kind === 'openmpi'
      ? [
          ...(root ? without('--allow-run-as-root') : []),
          // Each rank binds the one thread that measures, and no other.
          ...without('--bind-to', 'none'),
          ...(places === null ? [] : without(places)),
        ]
      : kind === 'slurm'
        ? [
            '--input=0',
            // As other launchers do by themselves: where one rank is gone the others would wait for it.
            ...(own.some((word) => /^(?:-K|--kill-on-bad-exit)/.test(word)) ? [] : ['--kill-on-bad-exit=1']),
          ]
        : [];
  const count = kind === 'slurm' || kind === 'flux' ? ['-n', String(ranks)] : ['-np', String(ranks)];
  return { program: command, args: [...own, ...some, ...count, ...program] };
}

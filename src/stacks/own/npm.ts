/** npm packages in a folder: exactly those of a lockfile, without the scripts that they would run when installed. The edge to npm. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import type { Environment } from '../stack.js';
import { npmComplaint } from './complaints.js';
import { type NpmLock, npmPackages } from './lock.js';
import { ProgramError, runProgram } from './programs.js';

/** Where there is no network it should not take npm a minute to say so. */
const FLAGS = [
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

const npm = (args: readonly string[], cwd: string, environment: Environment = {}): Promise<string> =>
  runProgram({ command: 'npm', args: [...args, ...FLAGS], cwd, environment, complaint: npmComplaint });

/**
 * Versions of a package that a range allows, the oldest first.
 * @throws ProgramError when there are none, or the registry does not answer
 */
export async function publishedVersions(
  name: string,
  range: string,
  scratch: string,
): Promise<readonly string[]> {
  const answer = await npm(['view', `${name}@${range}`, 'version', '--json'], scratch);
  const versions: unknown = answer.trim() === '' ? [] : JSON.parse(answer);
  const all = (Array.isArray(versions) ? versions : [versions]).filter(
    (one): one is string => typeof one === 'string',
  );
  if (all.length === 0) throw new ProgramError(`npm: no version of ${name} is ${range}`);
  return semver.sort([...new Set(all)]);
}

/** What `npm` needs to see. */
function writeProject(folder: string, dependencies: Readonly<Record<string, string>>): void {
  const manifest = { name: 'stack', private: true, dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 1));
}

const readLockfile = (text: string): NpmLock['lockfile'] => JSON.parse(text) as NpmLock['lockfile'];

/** Of a lockfile's own project. */
function dependenciesOf(lockfile: NpmLock['lockfile']): Readonly<Record<string, string>> {
  const packages = lockfile.packages as Record<string, { dependencies?: Record<string, string> }> | undefined;
  return packages?.['']?.dependencies ?? {};
}

/**
 * @param given a lockfile that is to be obeyed; null: the newest versions in the ranges are taken
 * @throws ProgramError, UserError when there is no such set of packages
 */
export async function resolveNpm(
  packages: Readonly<Record<string, string>>,
  installScripts: NpmLock['installScripts'],
  given: string | null,
  scratch: string,
): Promise<NpmLock> {
  if (given !== null) {
    let lockfile: NpmLock['lockfile'];
    try {
      lockfile = readLockfile(given);
    } catch {
      throw new ProgramError('npm’s lockfile is no JSON');
    }
    npmPackages(lockfile);
    const dependencies = Object.keys(packages).length > 0 ? { ...packages } : { ...dependenciesOf(lockfile) };
    return { dependencies, installScripts, lockfile };
  }
  writeProject(scratch, packages);
  await npm(
    ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'],
    scratch,
  );
  const lockfile = readLockfile(readFileSync(join(scratch, 'package-lock.json'), 'utf8'));
  npmPackages(lockfile);
  return { dependencies: { ...packages }, installScripts, lockfile };
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly gypfile?: boolean;
}

/** As npm decides it: scripts of its own, or a build that npm would start by itself. */
function wantsScript(folder: string): boolean {
  const { scripts = {}, gypfile } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  if (['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined)) return true;
  return gypfile !== false && existsSync(join(folder, 'binding.gyp'));
}

/**
 * Exactly what the lock says, into `folder`/node_modules. npm checks each package against its integrity.
 * @param environment for the scripts that may run
 * @throws ProgramError; also when a package wants to run a script and the lock does not say what of it
 */
export async function installNpm(lock: NpmLock, folder: string, environment: Environment): Promise<void> {
  const { dependencies, installScripts, lockfile } = lock;
  writeProject(folder, dependencies);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile, null, 1));
  await npm(['ci', '--ignore-scripts'], folder);
  const wanting = npmPackages(lockfile).filter(({ folder: at }) => {
    const path = join(folder, at);
    // Those for other systems are not installed.
    return existsSync(path) && wantsScript(path);
  });
  const unsaid = wanting.find(({ name }) => installScripts[name] === undefined);
  if (unsaid !== undefined) {
    throw new ProgramError(
      `${unsaid.name} ${unsaid.version} wants to run a script when it is installed: under npm, installScripts: {${unsaid.name}: run} lets it, skip does without`,
    );
  }
  const running = [...new Set(wanting.map(({ name }) => name))].filter(
    (name) => installScripts[name] === 'run',
  );
  if (running.length === 0) return;
  // npm would believe the lockfile which packages have scripts; without its note of it, it looks at the packages.
  rmSync(join(folder, 'node_modules', '.package-lock.json'), { force: true });
  await npm(['rebuild', '--ignore-scripts=false', '--foreground-scripts', ...running], folder, environment);
}

/**
 * Debian packages in a folder: what they depend on is found by apt in its own lists, for a system on which nothing is installed;
 * they are downloaded, checked and unpacked there. Needs no root and changes nothing on the system. The edge to apt and dpkg.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { aptComplaint } from './complaints.js';
import type { DebianLock } from './lock.js';
import { ProgramError, runProgram } from './programs.js';

/**
 * What every process on this system has before it loads anything: its C and C++ runtime. A second copy would be mixed with the first,
 * which no process survives whose versions differ.
 */
const RUNTIME = /^(libc6|libc-bin|libcrypt1|libgcc-s1|libstdc\+\+6|gcc-\d+-base|libc6-.*)$/;
/** Of that, what cannot be replaced even where somebody asks for it. */
const FIXED = /^(libc6|libc-bin)$/;

/** As if nothing were installed; without locks and caches of the system. */
function aptOptions(scratch: string): readonly string[] {
  const status = join(scratch, 'status');
  writeFileSync(status, '');
  mkdirSync(join(scratch, 'archives', 'partial'), { recursive: true });
  const settings = {
    'Dir::State::status': status,
    'Dir::State::extended_states': join(scratch, 'extended'),
    'Dir::Cache::archives': join(scratch, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Debug::NoLocking': 'true',
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '2',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

const apt = (command: string, scratch: string, args: readonly string[], cwd = scratch): Promise<string> =>
  runProgram({ command, args: [...aptOptions(scratch), ...args], cwd, complaint: aptComplaint });

/** Of `apt-cache show`: one for each stanza. */
function stanzas(text: string): readonly ReadonlyMap<string, string>[] {
  return text.split(/\n\n+/).map(
    (stanza) =>
      new Map(
        stanza.split('\n').flatMap((line) => {
          const [, key, value] = /^([A-Za-z0-9-]+): (.*)$/.exec(line) ?? [];
          return key === undefined || value === undefined ? [] : [[key, value] as const];
        }),
      ),
  );
}

/**
 * @param names `name` or `name=version`
 * @param scratch a folder that may be filled
 * @throws ProgramError when apt knows no such packages, or they do not fit together
 */
export async function resolveDebian(names: readonly string[], scratch: string): Promise<DebianLock> {
  const asked = new Set(names.map((name) => name.split('=')[0] ?? ''));
  const fixed = [...asked].find((name) => FIXED.test(name));
  if (fixed !== undefined)
    throw new ProgramError(`${fixed} cannot be another one than the system’s: every process has it already`);
  const simulated = await apt('apt-get', scratch, [
    'install',
    '--simulate',
    '-qq',
    '--no-install-recommends',
    ...names,
  ]);
  const found = [...simulated.matchAll(/^Inst (\S+) \((\S+) .*\[(\w+)\]\)/gm)].map(
    ([, name = '', version = '', architecture = '']) => ({ name, version, architecture }),
  );
  const staying = (name: string): boolean => RUNTIME.test(name) && !asked.has(name);
  const wanted = found.filter(({ name }) => !staying(name));
  if (wanted.length === 0) throw new ProgramError(`apt-get: nothing to unpack for ${names.join(', ')}`);
  const shown = stanzas(
    await apt('apt-cache', scratch, ['show', ...wanted.map(({ name, version }) => `${name}=${version}`)]),
  );
  const packages = wanted.map(({ name, version }) => {
    const [plain] = name.split(':');
    const facts = shown.find((one) => one.get('Package') === plain && one.get('Version') === version);
    const sha256 = facts?.get('SHA256');
    if (sha256 === undefined) throw new ProgramError(`apt-cache: no checksum of ${name} ${version}`);
    return { name, version, sha256, bytes: Number(facts?.get('Size') ?? 0), asked: asked.has(name) };
  });
  const ofAll = (await runProgram({ command: 'dpkg', args: ['--print-architecture'], cwd: scratch })).trim();
  return {
    architecture: ofAll,
    packages: packages.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    system: found
      .map(({ name }) => name)
      .filter(staying)
      .sort(),
  };
}

/** Versions by name, of those that are installed, as `dpkg-query` lists all packages. Pure. */
export const versionsIn = (listed: string, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...listed.matchAll(/^(\S+)\tinstalled\t(\S+)$/gm)].flatMap(([, name = '', version = '']) =>
      names.includes(name) ? [[name, version]] : [],
    ),
  );

/**
 * What this system has of packages that a stack leaves to it.
 * @throws ProgramError
 */
export const installedVersions = async (
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const fields = ['Package', 'db:Status-Status', 'Version'].map((field) => `$\{${field}}`);
  const format = `--showformat=${fields.join('\\t')}\\n`;
  return versionsIn(await runProgram({ command: 'dpkg-query', args: ['--show', format], cwd: '/' }), names);
};

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Files of a package that are shared libraries, as `dpkg-deb --contents` lists them: `/usr/lib/.../libblis.so.4`. */
export const librariesIn = (contents: string): readonly string[] =>
  [...contents.matchAll(/^[-l]\S+ +\S+ +\d+ +\S+ +\S+ \.(\/.*?)(?: -> .*)?$/gm)]
    .map(([, path = '']) => path)
    .filter((path) => /\.so(\.|$)/.test(path));

/** Which package a library is of: `libblis4-pthread 0.9.0-1` by its path from the root. */
export type Owners = Readonly<Record<string, string>>;

/**
 * Exactly what the lock says, unpacked below `root`.
 * @throws ProgramError when it cannot be had, or is not what the lock says
 */
export async function unpackDebian(lock: DebianLock, scratch: string, root: string): Promise<Owners> {
  const here = (await runProgram({ command: 'dpkg', args: ['--print-architecture'], cwd: scratch })).trim();
  if (here !== lock.architecture)
    throw new ProgramError(`the lock is for ${lock.architecture} and this system is ${here}`);
  const folder = join(scratch, 'debs');
  mkdirSync(folder);
  mkdirSync(root, { recursive: true });
  const names = lock.packages.map(({ name, version }) => `${name}=${version}`);
  await apt('apt-get', scratch, ['download', '-qq', ...names], folder);
  const files = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    const path = join(folder, file);
    files.set(await sha256Of(path), path);
  }
  const owners: Record<string, string> = {};
  for (const { name, version, sha256 } of lock.packages) {
    const path = files.get(sha256);
    if (path === undefined)
      throw new ProgramError(
        `${name} ${version} was published with another content than the lock’s SHA-256 ${sha256}`,
      );
    await runProgram({ command: 'dpkg-deb', args: ['--extract', path, root], cwd: scratch });
    const contents = await runProgram({ command: 'dpkg-deb', args: ['--contents', path], cwd: scratch });
    for (const library of librariesIn(contents)) owners[library] = `${name} ${version}`;
  }
  rmSync(folder, { recursive: true });
  return owners;
}

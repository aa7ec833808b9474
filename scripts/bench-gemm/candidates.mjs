// What can be compared on this machine: our own kernels, and the libraries that are here. A library's settings that make it
// choose other kernels are tried out, for it does not always know the CPU that it runs on.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { blis } from '../../dist/stacks/blis.js';
import { libxsmm } from '../../dist/stacks/libxsmm.js';
import { mkl } from '../../dist/stacks/mkl.js';
import { onednn } from '../../dist/stacks/onednn.js';
import { openblas } from '../../dist/stacks/openblas.js';
import { searchLibrary } from '../../dist/stacks/search.js';
import { localSystem } from '../../dist/stacks/system.js';
import { sharedFromArchives } from './build.mjs';
import { operationsOf, square } from './shapes.mjs';

/** Where libxsmm's generated code, which cannot block for caches, still applies. */
const JIT_OPERATIONS = operationsOf(square(512));

const REAL = ['float32', 'float64'];
const PROGRAM_KINDS = {
  cblas: [{ suffix: '', kind: 'cblas', types: REAL }],
  mkl: [
    { suffix: '', kind: 'cblas', types: [...REAL, 'bfloat16'] },
    { suffix: ' u8s8', kind: 'cblas', types: ['int8'], as: 'uint8' },
  ],
  onednn: [
    { suffix: ' gemm', kind: 'onednn-gemm', types: ['float32', 'int8'] },
    { suffix: '', kind: 'onednn-matmul', types: ['float32', 'bfloat16', 'int8'] },
    { suffix: ' u8s8', kind: 'onednn-matmul', types: ['int8'], as: 'uint8' },
    {
      suffix: ' prepacked',
      kind: 'onednn-prepacked',
      types: ['float32', 'bfloat16', 'int8'],
      role: 'prepacked',
    },
  ],
  libxsmm: [{ suffix: '', kind: 'libxsmm', types: REAL, role: 'jit' }],
};

const cpuFlags = () =>
  new Set(/^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1].split(' '));

/** What makes a library take other kernels than those that it finds best itself: BLIS knows its own by numbers. */
const CHOICES = {
  blis: { variable: 'BLIS_ARCH_TYPE', values: { skx: '0', haswell: '3', zen3: '6' }, wide: 'skx' },
  openblas: {
    variable: 'OPENBLAS_CORETYPE',
    values: { SkylakeX: 'SkylakeX', Haswell: 'Haswell' },
    wide: 'SkylakeX',
  },
};
const OWN_CHOICE = { label: '', environment: {} };

/** Settings that may find a better kernel than the library by itself, with their labels. */
function settings(name, flags) {
  const choice = CHOICES[name];
  if (choice === undefined || !flags.has('avx2')) return [OWN_CHOICE];
  const wide = flags.has('avx512f') && flags.has('avx512bw');
  return [
    OWN_CHOICE,
    ...Object.entries(choice.values)
      .filter(([label]) => wide || label !== choice.wide)
      .map(([label, value]) => ({ label, environment: { [choice.variable]: value } })),
  ];
}

/** The candidate calls with integers of 32 bits. */
const hasShortIntegers = (name) => !name.includes('64');

/**
 * The build that is compared of those which are found, as stacks find them: one from the preferred folders, else the first.
 * @param {import('../../dist/stacks/stack.js').Stack} stack
 * @param {import('../../dist/stacks/search.js').LibrarySystem} system
 * @param {readonly string[]} [preferred] folders in which Debian has variants of one library
 */
function locate({ library: spec }, system, preferred = []) {
  const { folders } = spec;
  const [sonames, subfolders] = [spec.sonames, spec.subfolders].map((names) =>
    names.filter(hasShortIntegers),
  );
  const builds = searchLibrary({ sonames, subfolders, folders }, system);
  const inPreferred = preferred.flatMap((folder) => builds.filter((path) => path.includes(`/${folder}/`)));
  return inPreferred[0] ?? builds[0] ?? null;
}

function xsmm(system) {
  const shared = locate(libxsmm, system);
  if (shared !== null) return shared;
  const archives = ['/usr/lib/libxsmm.a', '/usr/lib/libxsmmnoblas.a'];
  return archives.every((path) => system.realPath(path) !== null) ? sharedFromArchives(archives) : null;
}

/**
 * What a library that was asked for is called: by its file where that says what it is, else by its family and the version in
 * its file's name, so that it can stand beside one that is here.
 * @param {string} family
 * @param {string} path
 */
export function nameOf(family, path) {
  const [, stem, version] = /^lib(.*?)\.so\.?(.*)$/.exec(basename(path)) ?? ['', basename(path), ''];
  return family === 'cblas' ? stem : `${family} ${version}`.trim();
}

/** The libraries of this machine and those asked for: { name, family, path }. BLIS with threads of its own starts them in
 * each call, so the other one is preferred. */
function libraries(asked, system) {
  const here = [
    {
      name: 'openblas',
      family: 'cblas',
      path: locate(openblas, system, ['openblas-pthread', 'openblas-openmp']),
    },
    { name: 'blis', family: 'cblas', path: locate(blis, system, ['blis-openmp', 'blis-pthread']) },
    { name: 'mkl', family: 'mkl', path: locate(mkl, system) },
    { name: 'onednn', family: 'onednn', path: locate(onednn, system) },
    { name: 'libxsmm', family: 'libxsmm', path: xsmm(system) },
  ].filter(({ path }) => path !== null);
  const more = asked.map((text) => {
    const [family, path] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
    if (!(family in PROGRAM_KINDS))
      throw new Error(`--library takes cblas:, mkl:, onednn: or libxsmm: and a file, not ${text}`);
    if (!existsSync(path)) throw new Error(`there is no ${path}`);
    const real = realpathSync(path);
    return { name: nameOf(family, family === 'cblas' ? path : real), family, path: real };
  });
  return [...here, ...more];
}

/** Every runtime that a library may bring counts its threads by a variable of its own, read when it is loaded. */
const threadVariables = (threads) =>
  Object.fromEntries(
    [
      'OMP_NUM_THREADS',
      'OPENBLAS_NUM_THREADS',
      'BLIS_NUM_THREADS',
      'MKL_NUM_THREADS',
      'GOTO_NUM_THREADS',
    ].map((name) => [name, String(threads)]),
  );

const mklLayer = (threads) => ({ MKL_THREADING_LAYER: threads > 1 ? 'GNU' : 'SEQUENTIAL' });

/** How the program takes a product. */
const wordsOf = ({ m, n, k, transpose, batch }) => [m, n, k, transpose, batch].map(String);

/** The libraries as candidates: { name, role, path, settings, applies(case), processFor(case, setting) }. */
export function libraryCandidates({ libraries: asked, only, prepack }, program, system = localSystem) {
  const flags = cpuFlags();
  return libraries(asked, system).flatMap(({ name, family, path }) =>
    PROGRAM_KINDS[family]
      .map(({ suffix, kind, types, as, role = 'library' }) => ({
        name: `${name}${suffix}`,
        role,
        path,
        types,
        settings: settings(name, flags),
        applies: ({ type, shape, threads }) =>
          types.includes(type) &&
          (role !== 'jit' || (threads === 1 && operationsOf({ ...shape, batch: 1 }) <= JIT_OPERATIONS)),
        processFor: ({ type, shape, cpus }, setting) => ({
          command: program,
          args: [kind, path, cpus.join(','), as ?? type, ...wordsOf(shape)],
          environment: {
            ...threadVariables(cpus.length),
            ...(family === 'mkl' ? mklLayer(cpus.length) : {}),
            ...setting.environment,
          },
        }),
      }))
      .filter(({ role }) => prepack || role !== 'prepacked')
      .filter(({ name: full }) => only.length === 0 || only.some((word) => full.includes(word))),
  );
}

const ownProcess = (program, kind, isa, { type, shape, cpus }) => ({
  command: program,
  args: [kind, isa, cpus.join(','), type, ...wordsOf(shape)],
  environment: {},
});

/**
 * Our own kernels, `stacks` as embedded or embedded:avx2, those of an earlier build, and the peak: multiply-adds in registers
 * only.
 * @throws Error where there is no such build
 */
export function ownCandidates({ stacks, prepack, before }, program) {
  if (before !== undefined && !existsSync(before)) throw new Error(`--before: there is no ${before}`);
  const candidate = (name, role, kind, isa, built = program) => ({
    name,
    role,
    path: null,
    settings: [OWN_CHOICE],
    applies: () => true,
    processFor: (situation) => ownProcess(built, kind, isa, situation),
  });
  const isaOf = (name) => name.split(':')[1] ?? '';
  const own = stacks.flatMap((name) => {
    const isa = isaOf(name);
    const plain = candidate(name, 'own', 'plain', isa);
    return prepack ? [plain, candidate(`${name} prepacked`, 'own prepacked', 'prepacked', isa)] : [plain];
  });
  // Of several of ours it is the best that it has; of one, the same.
  const isaBefore = stacks.length === 1 ? isaOf(stacks[0]) : '';
  const earlier = before === undefined ? [] : [candidate('before', 'before', 'plain', isaBefore, before)];
  return [...own, ...earlier, candidate('peak', 'peak', 'peak', '')];
}

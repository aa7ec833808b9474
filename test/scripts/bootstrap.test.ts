// Making a fresh clone ready, with npm, tsc, node-gyp and make that only note that they were called: who does it, and how often.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CUDA_MODULES } from '../../scripts/lib/cuda-kernels.mjs';
import { until } from '../support/pi-bench.js';

let clone = '';
let children: ChildProcess[] = [];

const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text, { mode });
};

/** Waits until the file `go` is there, so that a test decides how long it takes. */
const NPM = `#!/bin/sh
echo "npm $1" >>log
command -v node >/dev/null || exit 1
while [ ! -e go ]; do sleep 0.05; done
if [ -e npm-fails ]; then echo 'npm error because' >&2; exit 1; fi
mkdir -p node_modules/typescript/bin
case "$*" in *--include=dev*) cp tsc.js node_modules/typescript/bin/tsc ;; esac
touch node_modules/.package-lock.json
`;
const TSC = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('log', 'tsc\\n');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(out + '/cli', { recursive: true });
writeFileSync(out + '/cli/main.js', 'new');
if (existsSync('edited')) writeFileSync('src/one.ts', 'edited meanwhile');
process.exit(existsSync('tsc-fails') ? 2 : 0);
`;
const BUNDLE = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('log', 'bundle\\n');
mkdirSync(process.argv[2] + '/bundle/cli', { recursive: true });
writeFileSync(process.argv[2] + '/bundle/cli/main.js', 'new');
process.exit(existsSync('bundle-fails') ? 1 : 0);
`;
/** What it has linked is no addon where a file says so, unless it began from nothing. */
const NODE_GYP = `
const { appendFileSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const commands = process.argv.slice(2).filter((word) => /^(configure|build|rebuild)$/.test(word));
appendFileSync('log', 'node-gyp ' + commands.join(' ') + '\\n');
mkdirSync('build/Release', { recursive: true });
if (commands.includes('rebuild')) {
  rmSync('build', { recursive: true });
  mkdirSync('build/Release', { recursive: true });
}
if (!commands.includes('build') && !commands.includes('rebuild')) process.exit(0);
for (const name of ['pibench', 'pibench_first_avx512', 'pibench_first_avx2'])
  copyFileSync('addon.node', 'build/Release/' + name + '.node');
if (existsSync('links-half') && commands.includes('build')) writeFileSync('build/Release/pibench.node', 'half');
`;
const MAKE = `#!/bin/sh
shift 5 # of where and how
echo "make $*" >>log
for goal in "$@"; do
  case $goal in pibench | pibench_first_avx512 | pibench_first_avx2) cp addon.node build/Release/$goal.node ;; esac
done
`;
const LIBRARIES = ['pibench_core', 'pibench_more', 'pibench_inspection'];
const BINDING = {
  target_defaults: { cflags: [], cflags_cc: [] },
  targets: [
    ...LIBRARIES.map((target_name) => ({ target_name, sources: ['native/one.cc'] })),
    { target_name: 'pibench', sources: [], dependencies: LIBRARIES },
    ...['pibench_first_avx512', 'pibench_first_avx2'].map((target_name) => ({
      target_name,
      sources: [],
      dependencies: ['pibench_core', 'pibench_inspection'],
    })),
  ],
};

/** An addon that does nothing. */
let addons = '';

beforeAll(() => {
  addons = mkdtempSync(join(tmpdir(), 'pi-bench-addon-'));
  const source = 'extern "C" void* napi_register_module_v1(void*, void* exports) { return exports; }';
  const args = ['-shared', '-fPIC', '-x', 'c++', '-', '-o', join(addons, 'addon.node')];
  execFileSync(process.env.CXX ?? 'g++', args, { input: source });
});

afterAll(() => rmSync(addons, { recursive: true, force: true }));

beforeEach(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'pi-bench-clone-')));
  children = [];
  for (const path of ['scripts/lib', 'scripts/native-sources.mjs', 'scripts/bootstrap.mjs'])
    cpSync(path, join(clone, path), { recursive: true });
  put('package.json', '{"type":"module"}');
  for (const path of ['package-lock.json', 'tsconfig.json', 'src/one.ts', 'native/one.cc', 'kernels/one.cc'])
    put(path, '');
  put('binding.gyp', JSON.stringify(BINDING));
  put('tsc.js', TSC);
  put('scripts/bundle.mjs', BUNDLE);
  cpSync(join(addons, 'addon.node'), join(clone, 'addon.node'));
  put('node-gyp.cjs', NODE_GYP);
  put('bin/npm', NPM, 0o755);
  put('bin/make', MAKE, 0o755);
  // Whatever this machine has.
  put('scripts/lib/gpu-here.mjs', 'export const gpuHere = () => false;\n');
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(clone, { recursive: true, force: true });
});

/** What makes the clone ready for what needs no more than a part of the addon. */
const forPart = (part: string): string[] => [
  '--input-type=module',
  '--eval',
  `const { bootstrap } = await import('./scripts/lib/bootstrap.mjs');
   const failure = await bootstrap('${part}');
   if (failure !== null) { console.error(failure); process.exitCode = 1; }`,
];

/** What makes the clone ready; `said` grows as it speaks. */
function begin(
  program: readonly string[] = [join(clone, 'scripts', 'bootstrap.mjs')],
  more: NodeJS.ProcessEnv = {},
  node = process.execPath,
) {
  const child = spawn(node, [...program], {
    cwd: clone,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(clone, 'bin')}:${process.env.PATH}`,
      MAKE: join(clone, 'bin', 'make'),
      npm_config_node_gyp: join(clone, 'node-gyp.cjs'),
      ...more,
    },
  });
  children.push(child);
  const running = { pid: child.pid, said: '', ended: once(child, 'close').then(([code]) => code as number) };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    running.said += text;
  });
  return running;
}

const called = (): string[] =>
  existsSync(join(clone, 'log')) ? readFileSync(join(clone, 'log'), 'utf8').trim().split('\n') : [];

/** What must not be left behind: locks, and what was compiled but did not come into its place. */
const leftovers = (): string[] =>
  readdirSync(clone).filter((name) => name.startsWith('build.lock') || name.startsWith('dist.'));

test('two first runs at once install, compile and build once: the second waits for the first', async () => {
  const first = begin();
  await until(() => (called().includes('npm ci') ? true : undefined), 'the installation');
  const second = begin();
  await until(
    () => (second.said.includes(`waiting for process ${first.pid}`) ? true : undefined),
    'the second to wait',
  );
  put('go', '');
  expect([await first.ended, await second.ended], first.said + second.said).toEqual([0, 0]);
  expect(called().sort()).toEqual([
    'bundle',
    'make pibench pibench_first_avx512 pibench_first_avx2',
    'make pibench_core pibench_more',
    'node-gyp configure',
    'npm ci',
    'tsc',
  ]);
  for (const path of ['dist/cli/main.js', 'dist/bundle/cli/main.js'])
    expect(readFileSync(join(clone, path), 'utf8')).toBe('new');
  expect(leftovers()).toEqual([]);
});

test('what the first command needs is built by itself, and the rest when something else needs it', async () => {
  put('go', '');
  const first = begin(forPart('firstAvx2'));
  expect(await first.ended, first.said).toBe(0);
  expect(called().sort()).toEqual([
    'bundle',
    'make pibench_core',
    'make pibench_first_avx2',
    'node-gyp configure',
    'npm ci',
    'tsc',
  ]);
  expect(existsSync(join(clone, 'build', 'Release', 'pibench.node'))).toBe(false);

  // What is there is not made again, and who reads records needs no more.
  for (const part of ['firstAvx2', 'none']) {
    const again = begin(forPart(part));
    expect([await again.ended, again.said]).toEqual([0, '']);
  }
  const rest = begin();
  expect(await rest.ended, rest.said).toBe(0);
  expect(called().slice(6)).toEqual(['node-gyp configure build']);
  expect(leftovers()).toEqual([]);
});

test('who needs more than the first command waits until that has what it needs, and is told what is built', async () => {
  const first = begin(forPart('firstAvx2'));
  await until(() => (called().includes('npm ci') ? true : undefined), 'the installation');
  const rest = begin();
  await until(
    () => (rest.said.includes(`waiting for process ${first.pid}`) ? true : undefined),
    'the other to wait',
  );
  put('go', '');
  expect([await first.ended, await rest.ended], first.said + rest.said).toEqual([0, 0]);
  expect(first.said).toContain('building what this command needs of the native addon');
  expect(rest.said).toContain('building the native addon');
  const steps = called();
  expect(steps.indexOf('node-gyp configure build')).toBeGreaterThan(
    steps.findIndex((step) => step.startsWith('make ')),
  );
  for (const step of ['npm ci', 'tsc', 'bundle'])
    expect(called().filter((call) => call === step)).toHaveLength(1);
  expect(leftovers()).toEqual([]);
});

test('a first command that was killed while it built leaves nothing that the next one stumbles over', async () => {
  put('go', '');
  put(
    'bin/make',
    '#!/bin/sh\ntouch making\nwhile [ -e package.json ] && [ ! -e ended ]; do sleep 0.05; done\nexit 2\n',
    0o755,
  );
  const killed = begin(forPart('firstAvx2'));
  const isThere = (path: string) => existsSync(join(clone, path));
  // All else is there by then.
  await until(() => (isThere('making') && isThere('dist/bundle/cli/main.js') ? true : undefined), 'make');
  process.kill(killed.pid ?? 0, 'SIGKILL');
  await killed.ended;
  put('ended', '');
  put('bin/make', MAKE, 0o755);
  const next = begin(forPart('firstAvx2'));
  expect(await next.ended, next.said).toBe(0);
  expect(called()).toContain('make pibench_first_avx2');
  expect(isThere('build/Release/pibench_first_avx2.node')).toBe(true);
  expect(leftovers()).toEqual([]);
});

test('where the part that the first command needs cannot be built, all is tried, and why that fails is told', async () => {
  put('go', '');
  put('bin/make', '#!/bin/sh\nexit 2\n', 0o755);
  put('node-gyp.cjs', 'console.error("gyp ERR! stack Error: because"); process.exit(1);');
  const run = begin(forPart('firstAvx2'));
  expect(await run.ended).toBe(1);
  expect(run.said).toContain('the native addon could not be built: gyp ERR! stack Error: because');
  expect(leftovers()).toEqual([]);
});

/** Knows what is asked of it, and compiles unless a file says otherwise. */
const NVCC = `#!/bin/sh
case "$1" in
  --version) echo 'release 13.0' ;;
  --list-gpu-code) echo sm_80 sm_89 sm_90 sm_100 ;;
  --list-gpu-arch) echo compute_80 compute_100 ;;
  *)
    echo nvcc >>log
    if [ -e nvcc-fails ]; then echo 'peak.cu: error: because' >&2; exit 1; fi
    for out in "$@"; do :; done
    echo kernels >"$out" ;;
esac
`;

test('the kernels for GPUs are built with the addon where there are a GPU and a compiler for it', async () => {
  put('go', '');
  put('bin/nvcc', NVCC, 0o755);
  for (const module of Object.keys(CUDA_MODULES)) put(`kernels/cuda/${module}.cu`, '');
  const nvcc = { CUDACXX: join(clone, 'bin', 'nvcc') };
  const without = begin(undefined, nvcc);
  expect(await calledBy(without)).not.toContain('nvcc');

  put('scripts/lib/gpu-here.mjs', 'export const gpuHere = () => true;\n');
  rmSync(join(clone, 'build'), { recursive: true });
  put('nvcc-fails', '');
  const failing = begin(undefined, nvcc);
  expect(await failing.ended).toBe(0);
  expect(failing.said).toMatch(/peak\.cu could not be compiled: .*because/);

  rmSync(join(clone, 'nvcc-fails'));
  rmSync(join(clone, 'build'), { recursive: true });
  const building = begin(undefined, nvcc);
  expect(await building.ended).toBe(0);
  expect(building.said).toContain('building the kernels for GPUs');
  expect(readdirSync(join(clone, 'build', 'plugins', 'cuda'))).toHaveLength(Object.keys(CUDA_MODULES).length);
});

test('an installation that fails is told, and holds nobody up', async () => {
  put('go', '');
  put('npm-fails', '');
  const run = begin();
  expect(await run.ended).toBe(1);
  expect(run.said).toMatch(/`npm ci .*` failed in .*:\nnpm error because/);
  expect(called()).not.toContain('tsc');
  expect(leftovers()).toEqual([]);
});

test.each([
  ['compiled', 'tsc-fails', /tsc .*failed/],
  ['bundled', 'bundle-fails', /bundle.mjs .*failed/],
])('what was compiled before stays where the sources cannot be %s', async (_, fails, message) => {
  put('go', '');
  put('dist/bundle/cli/main.js', 'old');
  // Newer than what was compiled.
  await new Promise((resolve) => setTimeout(resolve, 20));
  put('src/one.ts', '');
  put(fails, '');
  const run = begin();
  expect(await run.ended).toBe(1);
  expect(run.said).toMatch(message);
  expect(readFileSync(join(clone, 'dist/bundle/cli/main.js'), 'utf8')).toBe('old');
  expect(leftovers()).toEqual([]);
});

const isThere = (path: string): boolean => existsSync(join(clone, path));

/** A clone that is ready, with an empty log. */
async function ready(): Promise<void> {
  put('go', '');
  const run = begin();
  expect(await run.ended, run.said).toBe(0);
  rmSync(join(clone, 'log'));
}

async function calledBy(run: ReturnType<typeof begin>): Promise<string[]> {
  expect(await run.ended, run.said).toBe(0);
  return called();
}

test('what compiles is installed whatever the environment says, and again where it was left out', async () => {
  await ready();
  rmSync(join(clone, 'node_modules', 'typescript'), { recursive: true });
  // Nothing is to be compiled, so nothing is missed.
  expect(await calledBy(begin())).toEqual([]);
  rmSync(join(clone, 'dist'), { recursive: true });
  expect(await calledBy(begin())).toEqual(['npm ci', 'tsc', 'bundle']);
});

test('the Node that runs is found by what installs, also where it is not in PATH', async () => {
  put('go', '');
  for (const tool of ['sleep', 'mkdir', 'cp', 'touch']) symlinkSync(`/bin/${tool}`, join(clone, 'bin', tool));
  const run = begin(undefined, { PATH: join(clone, 'bin') });
  expect(await run.ended, run.said).toBe(0);
});

test('a source that is edited while it is compiled is compiled again', async () => {
  put('edited', '');
  await ready();
  rmSync(join(clone, 'edited'));
  expect(await calledBy(begin())).toEqual(['tsc', 'bundle']);
  expect(await calledBy(begin())).toEqual(['tsc', 'bundle']);
});

test('sources that were unpacked over others are built of, though they are older than the build', async () => {
  await ready();
  const before = new Date(statSync(join(clone, 'native', 'one.cc')).mtimeMs - 86_400_000);
  for (const path of ['native/one.cc', 'src/one.ts']) {
    put(path, 'another');
    utimesSync(join(clone, path), before, before);
  }
  // make would not see it.
  expect((await calledBy(begin())).sort()).toEqual(['bundle', 'node-gyp rebuild', 'tsc']);
  expect((await calledBy(begin())).length).toBe(3);
  put('native/one.cc', 'newer');
  expect((await calledBy(begin())).at(-1)).toBe('node-gyp configure build');
});

test('another compiler compiles all of it, when something is compiled', async () => {
  await ready();
  put('build/compiler', 'g++\ng++ 2.95');
  expect(await calledBy(begin())).toEqual([]);
  put('native/one.cc', 'newer');
  expect(await calledBy(begin())).toEqual(['node-gyp rebuild']);
});

test('an addon that a killed linker left half is built from nothing, and one that was refused here is built once', async () => {
  await ready();
  put('links-half', '');
  put('native/one.cc', 'newer');
  expect(await calledBy(begin())).toEqual(['node-gyp configure build', 'node-gyp rebuild']);
  expect(isThere('build/Release/pibench.node')).toBe(true);
  rmSync(join(clone, 'links-half'));
  rmSync(join(clone, 'log'));
  put('build/Release/pibench.node.refused', '');
  expect(await calledBy(begin())).toEqual(['node-gyp configure build']);
  rmSync(join(clone, 'log'));
  expect(await calledBy(begin())).toEqual([]);
});

test('an addon that is built and cannot be loaded is told, and is not what is run', async () => {
  await ready();
  put('addon.node', 'of another machine');
  put('native/one.cc', 'newer');
  const run = begin();
  expect(await run.ended).toBe(1);
  expect(run.said).toMatch(
    /the native addon was built and cannot be loaded: .*(invalid ELF header|too short)/,
  );
});

test('a part that cannot be loaded is not taken for built: all is tried', async () => {
  put('go', '');
  put('bin/make', MAKE.replace('cp addon.node', 'echo half >'), 0o755);
  const run = begin(forPart('firstAvx2'));
  expect(await run.ended, run.said).toBe(0);
  // TypeScript is compiled beside it, so that either may be the last.
  expect(called()).toContain('node-gyp configure build');
});

test('where Node’s headers cannot be fetched that is what is told', async () => {
  put('go', '');
  // As node-gyp says it of an installation without headers.
  put(
    'node-gyp.cjs',
    'console.error("gyp ERR! stack FetchError: request to https://nodejs.org failed"); process.exit(1);',
  );
  const node = join(clone, 'node', 'bin', 'node');
  mkdirSync(dirname(node), { recursive: true });
  cpSync(realpathSync(process.execPath), node);
  const run = begin(undefined, {}, node);
  expect(await run.ended).toBe(1);
  expect(run.said).toContain(
    `Node’s headers are not in ${join(clone, 'node', 'include', 'node')} and could not be fetched: gyp ERR! stack FetchError: request to`,
  );
});

test('what was built for GPUs and is not any more is told, with what builds it', async () => {
  await ready();
  put('build/plugins/cuda/memory.fatbin', '');
  put('native/one.cc', 'newer');
  put('broken-nvcc', '#!/bin/sh\nexit 1\n', 0o755);
  const run = begin(undefined, { CUDACXX: join(clone, 'broken-nvcc') });
  expect(await run.ended, run.said).toBe(0);
  expect(run.said).toContain(
    `broken-nvcc does not run; then: node ${join(clone, 'scripts', 'build-plugins.mjs')}`,
  );
});

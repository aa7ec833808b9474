// Brings a clone, or an installed package whose addon npm did not build, to where pi-bench runs.
import { spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildEnvironment } from './build-environment.mjs';
import { commitOfSources, noteCommit } from './commit.mjs';
import { buildCudaKernels, cudaKernelsThere, cudaKernelsToBuild } from './cuda-kernels.mjs';
import { gpuHere } from './gpu-here.mjs';
import { asOnlyBuilder, beginNative, compileNative } from './native-build.mjs';
import { noteSources } from './source-record.mjs';
import {
  addonReplaced,
  addonStale,
  COMPILED,
  COMPILER,
  compiledOf,
  compiledStale,
  dependenciesMissing,
  isClone,
  isReady,
  packageRoot,
  typescriptFiles,
} from './tree.mjs';

/** The cause of a failure stands at the top; npm's manual follows. */
const MOST_LOG_LINES = 20;

const BUILDING = {
  whole: 'building the native addon (one to two minutes on two cores)',
  first: 'building what this command needs of the native addon; the rest follows when something else does',
};

const say = (line) => process.stderr.write(`pi-bench: ${line}\n`);

const BUNDLE = join(packageRoot, 'scripts', 'bundle.mjs');

/** What a clone comes with was checked before it was committed, and nobody reads its declarations: a sixth of the time. */
const AS_CLONED = ['--noCheck', '--declaration', 'false'];

const dependenciesLacking = () => isClone && dependenciesMissing();

/** Runs a command to its end. Resolves with null, or with why it failed. */
function step(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: packageRoot,
      env: buildEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    const failed = (why) => {
      const log = `${output}${why}`.split('\n').filter((line) => !line.startsWith('npm warn'));
      const cause = log.slice(0, MOST_LOG_LINES).join('\n').trim();
      resolve(`\`${command} ${args.join(' ')}\` failed in ${packageRoot}:\n${cause}`);
    };
    child.on('error', (error) => failed(error.message));
    child.on('close', (code, signal) => (code === 0 ? resolve(null) : failed(signal ?? '')));
  });
}

/**
 * Makes everything ready, one after the other where several begin at once. Resolves with null when everything is there, or
 * with the reason why it is not. Prints what it does to stderr.
 * @param {import('./tree.mjs').Part} [part] how much of the addon is needed
 * @returns {Promise<string | null>}
 */
export async function bootstrap(part = 'whole') {
  if (isReady(part)) return null;
  try {
    return await asOnlyBuilder(
      () => makeReady(part),
      (whom) => say(`waiting for ${whom}: it makes pi-bench ready`),
    );
  } catch (error) {
    if (error.syscall === undefined) throw error;
    return `pi-bench cannot be made ready in ${packageRoot}: ${error.message}`;
  }
}

/** What another one has made ready meanwhile is left alone. */
async function makeReady(part) {
  const builds = part === 'whole' && addonStale();
  // What is only completed is of the commit that was noted when the first of it was built.
  const [replaced, commit] = [isClone && addonReplaced(part), commitOfSources()];
  const begun = part !== 'whole' || dependenciesLacking() ? beginNative(part) : undefined;
  if (dependenciesLacking()) {
    say('first run in this clone: installing dependencies');
    // The scripts of this package are left out: the addon is built below, where a failure can be told. What compiles is
    // needed here, whatever the environment says of production.
    const failure = await step('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (failure !== null) {
      await begun?.stop();
      return failure;
    }
  }
  const built = begun?.finish();
  const compiled = compiledStale() ? compileTypeScript() : null;
  if (addonStale(part)) say(part === 'whole' ? BUILDING.whole : BUILDING.first);
  await built;
  const failure = addonStale(part) ? compileNative() : null;
  // Nobody else may begin before both have ended.
  const uncompiled = await compiled;
  if (replaced && failure === null && uncompiled === null) noteCommit(COMPILED, commit);
  if (builds && failure === null && gpuHere()) buildForGpus();
  return failure ?? uncompiled;
}

/**
 * With the addon, which is of the same sources. What fails is told, and told again with the advice by who would have used them:
 * never a reason for the rest not to run.
 */
function buildForGpus() {
  // Those that were there before are built anew with the addon.
  if (!cudaKernelsToBuild() || cudaKernelsThere()) return;
  say('building the kernels for GPUs (minutes on a few cores)');
  try {
    for (const why of buildCudaKernels().failed) say(why.split('\n', 1)[0]);
  } catch (error) {
    say(`the kernels for GPUs are not built: ${error.message}`);
  }
}

/** Compiles and bundles beside dist/ and puts the whole in its place: who starts meanwhile sees what was before, or all that is new. */
async function compileTypeScript() {
  say('compiling TypeScript');
  const [fresh, old] = [`${COMPILED}.new`, `${COMPILED}.old`];
  // Before anything is read: what is changed meanwhile has to be compiled again.
  const [sources, began] = [typescriptFiles(), new Date()];
  try {
    // What one that was ended has left.
    remove(fresh, old);
    const how = existsSync(COMPILED) ? [] : AS_CLONED;
    const compile = [COMPILER, '-p', 'tsconfig.json', '--outDir', fresh, ...how];
    const failure =
      (await step(process.execPath, compile)) ?? (await step(process.execPath, [BUNDLE, fresh]));
    if (failure === null) {
      noteSources(compiledOf(fresh), sources, began);
      if (existsSync(COMPILED)) renameSync(COMPILED, old);
      renameSync(fresh, COMPILED);
    }
    remove(fresh, old);
    return failure;
  } catch (error) {
    return `${COMPILED} cannot be written: ${error.message}`;
  }
}

function remove(...folders) {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

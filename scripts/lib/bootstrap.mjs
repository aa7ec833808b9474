// Brings a clone, or an installed package whose addon npm did not build, to where pi-bench runs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildNative } from './native-build.mjs';
import { addonStale, compiledStale, dependenciesMissing, isClone, packageRoot } from './tree.mjs';

/** The cause of a failure stands at the top; npm's manual follows. */
const MOST_LOG_LINES = 20;

const say = (line) => process.stderr.write(`pi-bench: ${line}\n`);

function step(command, args) {
  const done = spawnSync(command, args, {
    cwd: packageRoot,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (done.status === 0) return null;
  const log = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}`
    .split('\n')
    .filter((line) => !line.startsWith('npm warn'))
    .slice(0, MOST_LOG_LINES)
    .join('\n')
    .trim();
  return `\`${command} ${args.join(' ')}\` failed in ${packageRoot}:\n${log}`;
}

/** Returns null when everything is there, or the reason why it is not. Prints what it does to stderr. */
export function bootstrap() {
  if (isClone && dependenciesMissing()) {
    say('first run in this clone: installing dependencies');
    // The scripts of this package are left out: the addon is built below, where a failure can be told.
    const failure = step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (failure !== null) return failure;
  }
  if (addonStale()) {
    say('building the native addon (about a minute on two cores)');
    const failure = buildNative();
    if (failure !== null) return failure;
  }
  if (compiledStale()) {
    say('compiling TypeScript');
    const failure = step(process.execPath, [
      join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc'),
      '-p',
      'tsconfig.json',
    ]);
    if (failure !== null) return failure;
  }
  return null;
}

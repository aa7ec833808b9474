// Brings a clone, or an installed package whose addon npm did not build, to where pi-bench runs.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beginNative, buildNative } from './native-build.mjs';
import { addonStale, compiledStale, dependenciesMissing, isClone, packageRoot } from './tree.mjs';

/** The cause of a failure stands at the top; npm's manual follows. */
const MOST_LOG_LINES = 20;

const say = (line) => process.stderr.write(`pi-bench: ${line}\n`);

const TYPESCRIPT = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');

/** Runs a command to its end. Resolves with null, or with why it failed. */
function step(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Resolves with null when everything is there, or with the reason why it is not. Prints what it does to stderr. */
export async function bootstrap() {
  let built = Promise.resolve();
  if (isClone && dependenciesMissing()) {
    say('first run in this clone: installing dependencies');
    // The addon, which takes longest, is compiled meanwhile as far as it needs none of them.
    const begun = beginNative();
    // The scripts of this package are left out: the addon is built below, where a failure can be told.
    const failure = await step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (failure !== null) {
      await begun.stop();
      return failure;
    }
    built = begun.finish();
  }
  const compiled = compiledStale() ? compileTypeScript() : null;
  if (addonStale()) {
    say('building the native addon (somewhat over a minute on two cores)');
    await built;
    const failure = buildNative({ onWait: (whom) => say(`waiting for ${whom}: it builds the addon`) });
    if (failure !== null) return failure;
  }
  return compiled;
}

function compileTypeScript() {
  say('compiling TypeScript');
  return step(process.execPath, [TYPESCRIPT, '-p', 'tsconfig.json']);
}

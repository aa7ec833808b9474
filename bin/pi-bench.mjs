#!/usr/bin/env node
// The launcher: plain JavaScript without dependencies. Makes a fresh clone ready, builds what is missing, runs dist/bundle/.
import { existsSync, readFileSync } from 'node:fs';

const EXIT_INCOMPLETE = 2;
const EXIT_USAGE = 64;
const EXIT_INTERNAL = 70;

function refuse(message, exitCode = EXIT_INTERNAL) {
  process.stderr.write(`pi-bench: ${message}\n`);
  process.exit(exitCode);
}

function nodeIsSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
}

if (!nodeIsSupported(process.versions.node)) {
  refuse(`Node ${process.versions.node} is too old or unsupported: use 20.19+, 22.12+ or 24+`);
}

/**
 * A monitor asks every minute: no look at the build, nothing loaded but what answers. null: it takes the whole command line.
 * @param {string[]} args
 * @param {URL} answer
 */
async function cachedVerdict(args, answer) {
  if (args[0] !== 'verdict' || !existsSync(answer)) return null;
  const { verdict } = await import(answer.href);
  mindStreams(null);
  return verdict(
    args.slice(1),
    (line) => process.stdout.write(`${line}\n`),
    (line) => process.stderr.write(`${line}\n`),
  );
}

/**
 * A reader that goes away is no error; a full disk is one that nobody else would tell of.
 * @param exitCode then; null: what it is, because the answer is in it, too
 */
function mindStreams(exitCode) {
  process.stdout.on('error', ({ code, message }) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`pi-bench: cannot write to stdout: ${message}\n`);
    process.exitCode = exitCode ?? process.exitCode;
  });
  process.stderr.on('error', () => {});
}

function workingDirectoryIsThere() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

/** @param {string[]} args */
async function run(args) {
  const { ADDONS, bundled, isReady, packageRoot } = await import('../scripts/lib/tree.mjs');
  const answered = await cachedVerdict(args, bundled('cli/verdict'));
  if (answered !== null) {
    process.exitCode = answered;
    return;
  }
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    mindStreams(EXIT_INCOMPLETE);
    const { version } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'));
    process.stdout.write(`${version}\n`);
    return;
  }
  if (!workingDirectoryIsThere())
    refuse('the working directory was deleted: change to another one', EXIT_USAGE);
  const { neededPart } = await import('../scripts/lib/needed-part.mjs');
  const part = neededPart(args);
  if (!isReady(part)) {
    const { bootstrap } = await import('../scripts/lib/bootstrap.mjs');
    const failure = await bootstrap(part);
    if (failure !== null) refuse(failure);
  }
  // What was built first is used where there is nothing more.
  if (part !== 'none' && part !== 'whole' && !existsSync(ADDONS.whole))
    process.env.PIBENCH_ADDON ??= ADDONS[part];
  const { main } = await import(bundled('cli/main').href);
  await main(args);
}

// Node itself ends with 1 where a module is missing or cannot be read, and 1 is an answer here: the node, or the target, is not good.
const args = process.argv.slice(2);
/** @param {unknown} error */
function broken(error) {
  if (args.includes('--debug') && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  refuse(`internal error: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
}
process.on('uncaughtException', broken);
try {
  await run(args);
} catch (error) {
  broken(error);
}

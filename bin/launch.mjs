// The launcher: plain JavaScript without dependencies. Makes a fresh clone ready, builds what is missing, runs dist/bundle/.
import { existsSync, readFileSync } from 'node:fs';

const EXIT_INCOMPLETE = 2;
const EXIT_USAGE = 64;
const EXIT_INTERNAL = 70;
/** With what a command ends that had no addon: 1 is doctor's, which says so. */
const WITHOUT_ADDON = [1, EXIT_INCOMPLETE, EXIT_INTERNAL];

const say = (text) => process.stderr.write(`pi-bench: ${text}\n`);

function refuse(message, exitCode = EXIT_INTERNAL) {
  say(message);
  process.exit(exitCode);
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
    say(`cannot write to stdout: ${message}`);
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

/**
 * Builds what is missing of what a command line needs. Refuses where that cannot be; but who says what is missing here goes on.
 * @param {import('../scripts/lib/tree.mjs').Part} part
 * @param {boolean} goesOn
 */
async function makeReady(part, goesOn) {
  const { isReady } = await import('../scripts/lib/tree.mjs');
  if (isReady(part)) return;
  const { bootstrap } = await import('../scripts/lib/bootstrap.mjs');
  const failure = await bootstrap(part);
  if (failure === null) return;
  if (!goesOn || !isReady('none')) refuse(failure);
  // The compiler's log is for who cannot go on.
  say(failure.split('\n', 2).join('\npi-bench: '));
}

/** Where a command may have failed because the addon is refused here, the next one builds it anew. */
async function mindAddon() {
  const { loadProblem, refuseAddon } = await import('../scripts/lib/load-addon.mjs');
  const { ADDONS } = await import('../scripts/lib/tree.mjs');
  const addon = process.env.PIBENCH_ADDON ?? ADDONS.whole;
  if (!Object.values(ADDONS).includes(addon) || !existsSync(addon)) return;
  const problem = loadProblem(addon);
  if (problem !== null && refuseAddon(addon))
    say(`${addon} cannot be loaded here (${problem}): the next command builds it anew`);
}

/** @param {string[]} args */
export async function launch(args) {
  const { ADDONS, bundled, packageRoot } = await import('../scripts/lib/tree.mjs');
  const answered = await cachedVerdict(args, bundled('cli/verdict'));
  if (answered !== null) {
    process.exitCode = answered;
    return;
  }
  if (args.length === 1 && ['--version', '-V', '-v', 'version'].includes(args[0])) {
    mindStreams(EXIT_INCOMPLETE);
    const { version } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'));
    process.stdout.write(`${version}\n`);
    return;
  }
  if (!workingDirectoryIsThere())
    refuse('the working directory was deleted: change to another one', EXIT_USAGE);
  const { goesOnWithout, neededPart } = await import('../scripts/lib/needed-part.mjs');
  const part = neededPart(args);
  await makeReady(part, goesOnWithout(args));
  // What was built first is used where there is nothing more.
  if (part !== 'none' && part !== 'whole' && !existsSync(ADDONS.whole))
    process.env.PIBENCH_ADDON ??= ADDONS[part];
  const { main } = await import(bundled('cli/main').href);
  await main(args);
  if (part !== 'none' && WITHOUT_ADDON.includes(Number(process.exitCode))) await mindAddon();
}

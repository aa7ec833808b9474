// Runs command lines one after the other in one process, which is a fraction of a process for each: they come as messages of who has
// started it, and what each said and its exit code go back to it.
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../../scripts/lib/bootstrap.mjs';
import { bundled } from '../../scripts/lib/tree.mjs';

// As the launcher does.
const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
const { main } = await import(bundled('cli/main').href);

const LAUNCHER = fileURLToPath(new URL('../../bin/pi-bench.mjs', import.meta.url));
// Each call of main() listens.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

/** Keeps what is written to the streams while `work` is done; returns it. */
async function kept(streams, work) {
  const texts = streams.map(() => '');
  const writes = streams.map((stream) => stream.write);
  streams.forEach((stream, i) => {
    stream.write = (text, ...rest) => {
      texts[i] += text;
      const written = rest.at(-1);
      if (typeof written === 'function') process.nextTick(written);
      return true;
    };
  });
  try {
    await work();
  } finally {
    streams.forEach((stream, i) => {
      stream.write = writes[i];
    });
  }
  return texts;
}

/**
 * As each would find it in a process of its own.
 * @param {import('./command-server.js').CommandLine} line
 */
function beginAs({ args, cwd, env }) {
  process.argv = [process.execPath, LAUNCHER, ...args];
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
}

process.on('message', async (message) => {
  const line = /** @type {import('./command-server.js').CommandLine} */ (message);
  beginAs(line);
  const [stdout, stderr] = await kept([process.stdout, process.stderr], () => main(line.args));
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.send?.({ code, stdout, stderr });
});
process.on('disconnect', () => process.exit());

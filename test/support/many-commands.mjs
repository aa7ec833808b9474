// Runs command lines one after the other in one process, which is a fraction of a process for each: they come as JSON in the
// only argument, and what each said and its exit code go as JSON to a file, the second one.
import { writeFileSync } from 'node:fs';
import { bootstrap } from '../../scripts/lib/bootstrap.mjs';
import { bundled } from '../../scripts/lib/tree.mjs';

// As the launcher does.
const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
const { main } = await import(bundled('cli/main').href);

const [lines, to] = process.argv.slice(2);
// Each call of main() listens.
process.stdout.setMaxListeners(0);

/** Keeps what is written to a stream while `work` is done; returns it. */
async function kept(streams, work) {
  const texts = streams.map(() => '');
  const writes = streams.map((stream) => stream.write);
  streams.forEach((stream, i) => {
    stream.write = (text) => {
      texts[i] += text;
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

const runs = [];
const environment = { ...process.env };
for (const args of JSON.parse(lines)) {
  process.exitCode = 0;
  const [stdout, stderr] = await kept([process.stdout, process.stderr], () => main(args));
  // As each would find it in a process of its own.
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  runs.push({ code: process.exitCode ?? 0, stdout, stderr });
}
process.exitCode = 0;
writeFileSync(to, JSON.stringify(runs));

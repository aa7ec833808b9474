// npm run pretest: makes a fresh clone ready.
import { bootstrap } from './lib/bootstrap.mjs';

const failure = await bootstrap();
if (failure !== null) {
  process.stderr.write(`pi-bench: ${failure}\n`);
  process.exitCode = 1;
}

// npm run build:native: builds the addon, whether or not it is stale.
import { buildNative } from './lib/native-build.mjs';

const failure = buildNative({ force: true });
if (failure !== null) {
  process.stderr.write(`pi-bench: ${failure}\n`);
  process.exitCode = 1;
}

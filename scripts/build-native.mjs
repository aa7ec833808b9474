// npm run build:native: builds the addon, whether or not it is stale.
import { commitOfSources, noteCommit } from './lib/commit.mjs';
import { buildNative } from './lib/native-build.mjs';
import { COMPILED } from './lib/tree.mjs';

const commit = commitOfSources();
const failure = buildNative({ force: true });
if (failure === null) {
  noteCommit(COMPILED, commit);
} else {
  process.stderr.write(`pi-bench: ${failure}\n`);
  process.exitCode = 1;
}

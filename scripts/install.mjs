// npm's install step. Never a reason for an install to fail: where it cannot build (a bare clone that npx has only
// linked, a machine without a compiler) the launcher builds, or says why not, when pi-bench is first used.
import { buildNative, dependenciesThere } from './lib/native-build.mjs';

if (dependenciesThere()) {
  const failure = buildNative();
  if (failure !== null) process.stderr.write(`pi-bench: ${failure.split('\n', 2).join(' ')}\n`);
}

// npm's install step. Never a reason for an install to fail: where it cannot build (a bare clone that npx has only
// linked, a machine without a compiler) the launcher builds, or says why not, when pi-bench is first used. As the launcher's
// first lines, these are for a Node of any age: no `?.`, no `??`, no `await` outside of functions.
import { unsupported } from '../bin/supported.mjs';

const say = (text) => process.stderr.write(`pi-bench: ${text}\n`);

async function run() {
  const why = unsupported(process.versions.node, process.platform);
  if (why !== null) return say(why);
  const { install } = await import('./lib/install.mjs');
  install();
}

run().catch((error) => say(`nothing was built: ${error.message}`));

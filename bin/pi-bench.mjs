#!/usr/bin/env node
// The launcher's first lines: a Node of any age reads them, and can say that it is too old. So no `?.`, no `??` and no `await`
// outside of functions here, and nothing imported that has them before that is known.

const EXIT_INTERNAL = 70;

function refuse(message) {
  process.stderr.write(`pi-bench: ${message}\n`);
  process.exit(EXIT_INTERNAL);
}

/**
 * Node itself ends with 1 where a module is missing or cannot be read, and 1 is an answer here: the node, or the target, is not good.
 * @param {unknown} error
 */
function broken(error) {
  const known = error instanceof Error;
  if (known && process.argv.includes('--debug')) process.stderr.write(`${error.stack}\n`);
  refuse(`internal error: ${known ? error.message.split('\n')[0] : error}`);
}

async function start() {
  const { unsupported } = await import('./supported.mjs');
  const why = unsupported(process.versions.node, process.platform);
  if (why !== null) refuse(why);
  const { launch } = await import('./launch.mjs');
  await launch(process.argv.slice(2));
}

process.on('uncaughtException', broken);
start().catch(broken);

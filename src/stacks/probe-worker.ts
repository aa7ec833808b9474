/** The process of a probe: opens one library or framework, says in one line what it is, and ends. */
import { writeSync } from 'node:fs';
import type { FrameworkJob } from '../inspection/job.js';
import { native } from '../native.js';

const CHANNEL = 3;
const [speaks = '', what = '', plugin] = process.argv.slice(2);

async function ask(): Promise<unknown> {
  if (speaks !== 'framework') return native().probeLibrary(speaks, what, plugin);
  const job = JSON.parse(what) as FrameworkJob;
  const { openFramework } = await import('../frameworks/index.js');
  const { version, chose } = await openFramework(job);
  return { version, chose, dtypes: [] };
}

async function answer(): Promise<string> {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

writeSync(CHANNEL, await answer());
process.exit(0);

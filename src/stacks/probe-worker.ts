/** The process of a probe: opens one library, says in one line what it is, and ends. */
import { writeSync } from 'node:fs';
import { native } from '../native.js';

const CHANNEL = 3;
const [speaks = '', path = ''] = process.argv.slice(2);

function answer(): string {
  try {
    return JSON.stringify(native().probeLibrary(speaks, path));
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

writeSync(CHANNEL, answer());
process.exit(0);

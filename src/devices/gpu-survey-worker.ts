/** The process of a survey: opens the driver, says in one line what it shows, and ends. */
import { writeSync } from 'node:fs';
import { messageOf } from '../errors.js';
import { noGpus } from '../machine/gpus.js';
import { native } from '../native.js';

const CHANNEL = 3;

function answer(): string {
  try {
    return native().describeGpus();
  } catch (error) {
    return JSON.stringify(noGpus(`the addon could not be loaded: ${messageOf(error)}`));
  }
}

writeSync(CHANNEL, answer());
process.exit(0);

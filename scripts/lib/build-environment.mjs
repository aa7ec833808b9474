// What the programs that install, compile and build have in their environment.
import { delimiter, dirname } from 'node:path';

/**
 * Ours, with the Node that runs behind all else in its PATH: npm and node-gyp call `node`, which a job of a scheduler may not
 * find there. Behind, so that no compiler beside that Node takes the place of the one that is meant.
 */
export function buildEnvironment() {
  const folders = [process.env.PATH, dirname(process.execPath)].filter((one) => one);
  return { ...process.env, PATH: folders.join(delimiter) };
}

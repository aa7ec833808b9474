// Whether a built addon can be loaded here. Asked in a process of its own, for half a file may end the one that loads it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { refusalOf } from './tree.mjs';

/**
 * Node's arguments to load an addon and nothing else.
 * @param {string} addon
 */
export const loading = (addon) => ['--eval', 'require(process.argv[1])', addon];

/**
 * Why an addon cannot be loaded, in one line; null: it can.
 * @param {string} addon
 */
export function loadProblem(addon) {
  const { status, signal, stderr } = spawnSync(process.execPath, loading(addon), {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return null;
  const cause = /^Error: (.*)$/m.exec(stderr)?.[1];
  return cause ?? `loading it ended with ${status ?? signal}`;
}

/**
 * Notes that an addon was refused, for whoever looks next what has to be built. Returns whether that could be.
 * @param {string} addon
 */
export function refuseAddon(addon) {
  try {
    writeFileSync(refusalOf(addon), '');
    return true;
  } catch {
    return false;
  }
}

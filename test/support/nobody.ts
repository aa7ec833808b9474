/** Commands of a user without any permission. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launcher, type Running, start } from './pi-bench.js';

/** A user who may do nothing here, in a home of its own. A sentence where it cannot be one. */
export function nobodyIn(
  home: string,
  env: NodeJS.ProcessEnv,
): string | ((...args: readonly string[]) => Running) {
  const numberOf = (flag: string): number =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout || Number.NaN);
  const [user, group] = [numberOf('-u'), numberOf('-g')];
  if (process.getuid?.() !== 0 || Number.isNaN(user + group))
    return 'another user takes root, and a user nobody';
  const become = [`--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
  const sees = spawnSync('setpriv', [
    ...become,
    process.execPath,
    '-e',
    `require('fs').accessSync('${launcher}')`,
  ]);
  if (sees.status !== 0) return `nobody cannot read ${launcher}`;
  mkdirSync(home);
  chownSync(home, user, group);
  const own = {
    ...env,
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
  };
  return (...args) => start('setpriv', [...become, process.execPath, launcher, ...args], home, own);
}

/** Which launchers wait for nothing: told by real processes. */
import { describe, expect, it } from 'vitest';
import { endDetached, isStranded, processTree, startDetached } from '../../src/submit/detached.js';
import { until, withFolder } from '../support/pi-bench.js';

/** A launcher that looks after none of what it started, once all of these are there and so many have ended. */
async function strandedAfter(started: string, all: number, ended: number): Promise<boolean> {
  let stranded = false;
  await withFolder(async (folder) => {
    // `exec` leaves the children to a program that never waits for them.
    const pid = startDetached(folder, 'node', 1, ['sh', '-c', `${started} exec sleep 600`]);
    try {
      stranded = await until(() => {
        const tree = processTree();
        const below = (tree.get(pid) ?? []).flatMap((launcher) => tree.get(launcher.pid) ?? []);
        const lying = below.filter(({ state }) => state === 'Z').length;
        return below.length === all && lying === ended ? isStranded(tree, pid) : undefined;
      }, 'what the launcher started');
    } finally {
      endDetached(pid, 'SIGKILL');
    }
  });
  return stranded;
}

describe('a launcher', () => {
  it('is stranded when all that it started has ended and one of them failed', async () => {
    expect(await strandedAfter('(exit 255) & (exit 0) &', 2, 2)).toBe(true);
  });

  it('is stranded when what it started was killed', async () => {
    expect(await strandedAfter("sh -c 'kill -9 $$' &", 1, 1)).toBe(true);
  });

  it('is not when what it started ended well: that may have gone to the background', async () => {
    expect(await strandedAfter('(exit 0) &', 1, 1)).toBe(false);
  });

  it('is not while anything of it runs', async () => {
    expect(await strandedAfter('(exit 255) & sleep 600 &', 2, 1)).toBe(false);
  });
});

/** Ranks on two hosts whose cable is cut in mid-run: neither hears that the other has ended, and both end all the same. */
import { expect, it } from 'vitest';
import { expectLost, expectOneLine, measuredSome, startMetRank } from '../support/met-ranks.js';
import { withFolder } from '../support/pi-bench.js';
import { makeTwoHosts } from '../support/two-hosts.js';

/** Longer than any machine takes to start both ranks. */
const LONG = 100;
/** A rank waits for 10 s, and then for 20 s for an answer of the other's kernel. */
const MOST_MS = 60_000;

it('a cable that is cut ends the ranks of both hosts, and what was measured before is kept', ({ skip }) =>
  withFolder(async (folder) => {
    const hosts = makeTwoHosts();
    if (hosts === null) return skip('namespaces cannot be made here');
    try {
      const of = { ranks: 2, place: `tcp:${hosts.addresses[0]}:29500`, seconds: LONG };
      const what = ['all-reduce', '--bytes', '8', '--inspections', '200'];
      const [first, second] = hosts.on.map((on, rank) => startMetRank(folder, what, { ...of, rank, on }));
      await measuredSome(folder);
      hosts.cut();
      const cut = performance.now();
      expectLost(await first?.ended, /^rank 1 of 2 did not arrive within 10 s$/);
      expectOneLine(await second?.ended, 2, /rank 0 has ended$/m);
      expect(performance.now() - cut).toBeLessThan(MOST_MS);
    } finally {
      hosts.remove();
    }
  }));

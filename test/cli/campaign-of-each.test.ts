/** Where a launcher has started more processes than one, and each would make a campaign of its own. */
import { describe, expect, it } from 'vitest';
import {
  campaignOfEachText,
  qualificationOfEachText,
  ranksOfJobText,
} from '../../src/cli/campaign-of-each.js';
import type { MpiPlace } from '../../src/mpi/place.js';

const place = (size: number, localSize: number, localRank = 0): MpiPlace => ({
  launcher: 'openmpi',
  rank: localRank,
  size,
  localRank,
  localSize,
});
type Asked = Parameters<typeof campaignOfEachText>[0];
const campaign = (parameters: Readonly<Record<string, unknown>>): Asked =>
  ({ batches: [{ case: { parameters } }] }) as unknown as Asked;
const OWN = campaign({ transport: 'shm', ranks: 2 });

describe('processes that a launcher has started on one host, each with a campaign of its own', () => {
  it('are told of by the first of them, with what to do', () => {
    expect(campaignOfEachText(OWN, place(4, 2))).toMatch(
      /^openmpi has started 4 processes, and each makes this campaign for itself: start pi-bench once, or .* --transport mpi$/,
    );
    expect(campaignOfEachText(OWN, place(4, 2, 1))).toBeNull();
  });

  it('are nothing to tell of where they are ranks of one campaign already, or do not share a host', () => {
    expect(campaignOfEachText(campaign({ transport: 'mpi', ranks: 4 }), place(4, 4))).toBeNull();
    expect(
      campaignOfEachText(campaign({ transport: 'nccl', rendezvous: 'file:/place' }), place(4, 4)),
    ).toBeNull();
    expect(campaignOfEachText(OWN, place(1, 1))).toBeNull();
    expect(campaignOfEachText(OWN, place(4, 1))).toBeNull();
    expect(campaignOfEachText(OWN, null)).toBeNull();
  });

  it('are told so, too, where each qualifies the node', () => {
    expect(qualificationOfEachText(OWN, place(4, 2))).toBe(
      'openmpi has started 4 processes, and each qualifies this node for itself: start pi-bench once on each node',
    );
    // A look without load is no other.
    expect(qualificationOfEachText({ batches: [] }, place(4, 2))).toMatch(/qualifies this node/);
    expect(qualificationOfEachText(OWN, place(4, 2, 1))).toBeNull();
    expect(qualificationOfEachText(OWN, place(4, 1))).toBeNull();
    expect(qualificationOfEachText(OWN, null)).toBeNull();
  });
});

describe('a suite that measures between ranks', () => {
  const between = (launcher: string) => campaign({ transport: 'mpi', ranks: 4, launcher });

  it('cannot be judged by the processes that a launcher has started: each qualifies the node for itself', () => {
    expect(ranksOfJobText('own', between('within openmpi'), place(4, 4))).toBe(
      'suite own measures between ranks, and those that openmpi has started would each qualify this node for itself: start pi-bench once on each node, without a launcher, and it starts them',
    );
    const met = campaign({ transport: 'nccl', rendezvous: 'file:/place', launcher: 'within openmpi' });
    expect(ranksOfJobText('own', met, place(4, 4, 1))).toMatch(/^suite own measures between ranks/);
  });

  it('can where they are started for it, also in a step of one task, and where it has none', () => {
    expect(ranksOfJobText('own', between('/usr/bin/mpirun'), place(1, 1))).toBeNull();
    expect(ranksOfJobText('own', between('/usr/bin/mpirun'), null)).toBeNull();
    expect(ranksOfJobText('own', OWN, place(4, 4))).toBeNull();
  });
});

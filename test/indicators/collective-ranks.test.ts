/** Who the ranks of a collective are, where a launcher has started more processes than one. */
import { describe, expect, it } from 'vitest';
import { JobError } from '../../src/errors.js';
import { refuseCampaignOfEach } from '../../src/indicators/collective-ranks.js';
import type { MpiPlace } from '../../src/mpi/place.js';

const place = (size: number, localSize: number): MpiPlace => ({
  launcher: 'openmpi',
  rank: 0,
  size,
  localRank: 0,
  localSize,
});

describe('processes that a launcher has started on one host, each with ranks of its own', () => {
  it('are refused, with what makes them the ranks of one campaign', () => {
    for (const [transport, says] of [
      ['shm', 'add --transport mpi to make'],
      ['gloo', 'give --transport mpi to make'],
      ['nccl', 'add --rendezvous tcp:HOST:PORT or file:PATH to make'],
    ] as const) {
      const refused = (): void => refuseCampaignOfEach(transport, {}, place(4, 2));
      expect(refused).toThrow(JobError);
      expect(refused).toThrow(
        `openmpi has started 4 processes, and each would measure ranks of its own: ${says}`,
      );
    }
  });

  it('are let alone where they are ranks of one campaign already, or do not share a host', () => {
    expect(() => refuseCampaignOfEach('mpi', {}, place(4, 4))).not.toThrow();
    expect(() => refuseCampaignOfEach('nccl', { rendezvous: 'file:/place' }, place(4, 4))).not.toThrow();
    expect(() => refuseCampaignOfEach('shm', {}, place(1, 1))).not.toThrow();
    expect(() => refuseCampaignOfEach('shm', {}, place(4, 1))).not.toThrow();
    expect(() => refuseCampaignOfEach('shm', {}, null)).not.toThrow();
  });
});

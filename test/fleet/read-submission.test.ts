import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/fleet/read-fleet.js';
import { withFolder } from '../support/pi-bench.js';

const node = (target: string, more: object) => ({
  target,
  node: target,
  status: 'lost',
  exitCode: null,
  reason: null,
  record: null,
  lostAttempts: [],
  ...more,
});

/** What `submit` leaves where no node brought anything. */
function submission(folder: string, ...nodes: readonly object[]): void {
  mkdirSync(join(folder, 'nodes'));
  const kind = 'pi-bench submission';
  writeFileSync(join(folder, 'submission.json'), JSON.stringify({ kind, schemaVersion: 1, nodes }));
}

describe('the folder of a submission', () => {
  it('has its lost nodes too, each with the scheduler’s reason', () =>
    withFolder(async (folder) => {
      submission(
        folder,
        node('n2', { reason: 'killed by signal 9' }),
        node('3', { node: null, status: 'refused' }),
      );
      const lines = readLines([folder]);
      expect(lines.map(({ node: name, problems }) => [name, problems])).toEqual([
        ['n2', [{ kind: 'lost', what: 'campaign', why: 'lost: killed by signal 9' }]],
        ['3', [{ kind: 'lost', what: 'campaign', why: 'refused' }]],
      ]);
    }));

  it('calls a lost one by its target where the cluster gave one node two turns', () =>
    withFolder(async (folder) => {
      submission(folder, node('0', { node: 'n1' }), node('1', { node: 'n1' }));
      const place = basename(folder);
      expect(readLines([folder]).map((line) => line.node)).toEqual([join(place, '0'), join(place, '1')]);
    }));

  it('tells once of a node whose folder has no record', () =>
    withFolder(async (folder) => {
      submission(folder, node('n2', { reason: 'killed' }));
      mkdirSync(join(folder, 'nodes', 'n2'));
      expect(readLines([folder]).map((line) => line.node)).toEqual(['n2']);
    }));

  it('whose summary is damaged is one clear line', () =>
    withFolder(async (folder) => {
      submission(folder, { target: 'n1' });
      expect(() => readLines([folder])).toThrow(/submission\.json is damaged: /);
    }));
});

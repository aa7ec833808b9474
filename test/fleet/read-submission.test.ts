import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFleet, readLines } from '../../src/fleet/read-fleet.js';
import { digestOf } from '../../src/record/digest.js';
import { appendToSubmission } from '../../src/submit/journal.js';
import { AT, headOf } from '../submit/support.js';
import { withFolder } from '../support/pi-bench.js';
import { aboutSeconds, recordOf } from '../support/records.js';

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

const problemsOf = (folder: string) =>
  readLines([folder]).map(({ node: name, problems }) => [name, problems]);

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

  it('says why of a node whose record may be there and cannot be looked at, as in a folder that may not be searched', () =>
    withFolder(async (folder) => {
      submission(folder, node('n2', { record: 'nodes/n2/record.json' }));
      mkdirSync(join(folder, 'nodes', 'n2'));
      symlinkSync('record.json', join(folder, 'nodes', 'n2', 'record.json'));
      expect(problemsOf(folder)).toEqual([
        ['n2', [expect.objectContaining({ why: expect.stringMatching(/^cannot read the record: ELOOP/) })]],
      ]);
    }));

  it('whose summary is damaged is one clear line', () =>
    withFolder(async (folder) => {
      submission(folder, { target: 'n1' });
      expect(() => readLines([folder])).toThrow(/submission\.json is damaged: /);
    }));
});

/** A record that a node brought, whose host calls itself otherwise than the scheduler calls the node. */
function brought(folder: string, name: string, hostname: string, own?: string): void {
  const batches = [{ launches: aboutSeconds(1, 3) }];
  const made = recordOf({ id: `of-${hostname}`, labels: { hostname }, batches });
  const campaign = { ...made.campaign, ...(own === undefined ? {} : { labels: { node_name: own } }) };
  const record = { ...made, campaign };
  mkdirSync(join(folder, 'nodes', name), { recursive: true });
  const text = JSON.stringify({ ...record, digest: digestOf(record) });
  writeFileSync(join(folder, 'nodes', name, 'record.json'), text);
}

/** A submission whose pi-bench was killed: n1 had come to its end, n2 was lost for good, n3 and n4 were still measuring. */
function killed(folder: string): void {
  const targets = ['n1', 'n2', 'n3', 'n4'];
  appendToSubmission(folder, headOf({ targets }));
  const jobs = targets.map((target) => ({ target, job: target }));
  appendToSubmission(folder, { event: 'submitting', targets, attempt: 1, at: AT });
  appendToSubmission(folder, { event: 'submitted', jobs, attempt: 1, at: AT });
  const end = { event: 'ended', attempt: 1, again: false, at: AT, record: null, reason: null } as const;
  appendToSubmission(folder, {
    ...end,
    target: 'n1',
    node: 'n1',
    exitCode: 0,
    record: 'nodes/n1/record.json',
  });
  appendToSubmission(folder, { ...end, target: 'n2', node: null, exitCode: null, reason: 'the node failed' });
  brought(folder, 'n1', 'host-1');
}

describe('the folder of a submission that did not come to its end', () => {
  const unended = (folder: string) => [
    {
      kind: 'lost',
      what: 'campaign',
      why: `the submission did not end: pi-bench resume ${folder} goes on with it`,
    },
  ];
  const lost = [{ kind: 'lost', what: 'campaign', why: 'lost: the node failed' }];

  it('has the nodes that were still measuring as lost ones, and says so', () =>
    withFolder(async (folder) => {
      killed(folder);
      expect(problemsOf(folder)).toEqual([
        ['n1', []],
        ['n2', lost],
        ['n3', unended(folder)],
        ['n4', unended(folder)],
      ]);
      expect((await readFleet([folder])).nodes).toHaveLength(4);
    }));

  it('is told of by its journal, whatever an earlier end left', () =>
    withFolder(async (folder) => {
      killed(folder);
      writeFileSync(join(folder, 'submission.json'), JSON.stringify({ nodes: [] }));
      expect(problemsOf(folder).map(([name]) => name)).toEqual(['n1', 'n2', 'n3', 'n4']);
    }));

  it('has a record that was brought and not noted before the kill once', () =>
    withFolder(async (folder) => {
      killed(folder);
      brought(folder, 'n3', 'host-3');
      expect(problemsOf(folder)).toEqual([
        ['n1', []],
        ['n3', []],
        ['n2', lost],
        ['n4', unended(folder)],
      ]);
    }));
});

describe('a node of a submission', () => {
  it('is called as the scheduler calls it, not as its pod calls itself, unless its campaign names it', () =>
    withFolder(async (folder) => {
      submission(folder);
      brought(folder, 'n1', 'pi-bench-1-0-xyz');
      brought(folder, 'n2', 'pi-bench-1-1-xyz', 'rack3-n2');
      expect(readLines([folder]).map((line) => line.node)).toEqual(['n1', 'rack3-n2']);
      for (const path of [join(folder, 'nodes', 'n1'), join(folder, 'nodes', 'n1', 'record.json')])
        expect(readLines([path]).map((line) => line.node)).toEqual(['n1']);
    }));

  it('is not taken for two where two submissions are given together', () =>
    withFolder(async (folder) => {
      const both = ['a', 'b'].map((name) => join(folder, name));
      for (const [i, one] of both.entries()) {
        mkdirSync(one);
        submission(one);
        brought(one, 'n1', `pod-${i}`);
      }
      expect(() => readLines(both)).toThrow(/two nodes are called n1 /);
      await expect(readFleet(both)).rejects.toThrow(/two nodes are called n1 /);
    }));

  it('is called by its host name where the folder is nobody’s submission', () =>
    withFolder(async (folder) => {
      brought(folder, 'first', 'host-1');
      expect(readLines([folder]).map((line) => line.node)).toEqual(['host-1']);
    }));
});

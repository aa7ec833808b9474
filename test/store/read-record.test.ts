/** What is no record is refused with what it is, and with what to give in its place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { toLine, unknownNode } from '../../src/fleet/node-line.js';
import { readRecord } from '../../src/store/read-record.js';

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nodes = join(folder, 'nodes.jsonl');
writeFileSync(nodes, toLine(unknownNode('a', 'dcgm')).repeat(2));
mkdirSync(join(folder, 'begun'));
writeFileSync(join(folder, 'begun', 'journal.ndjson'), '');
mkdirSync(join(folder, 'elsewhere'));
writeFileSync(join(folder, 'elsewhere', 'journal.ndjson'), '');
writeFileSync(join(folder, 'elsewhere', 'lock'), 'pid 7 on pod-a, since then\n');

describe('a record that cannot be read', () => {
  it.each([
    [
      'is nowhere',
      'nope',
      /^there is no \S*nope: a campaign’s results lie in a folder of its own, below results/,
    ],
    ['is in none of its folder', '', /^\S+ holds no record\.json: give the folder of one campaign/],
    ['has not ended', 'begun', /has not ended; pi-bench resume \S+begun finishes it, unless it still runs$/],
    [
      'has not ended, and may be worked on where nothing but its folder tells',
      'elsewhere',
      /elsewhere finishes it, unless it still runs, as a lock there says \(pid 7 on pod-a, since then\)$/,
    ],
    [
      'is the nodes of a fleet',
      'nodes.jsonl',
      /holds nodes of a fleet.*: pi-bench fleet check \S+nodes\.jsonl/,
    ],
  ])('because it %s is refused in one plain line', (_, name, says) => {
    const reading = () => readRecord(join(folder, name));
    expect(reading).toThrow(UserError);
    expect(reading).toThrow(says);
    expect(reading).toThrow(/^(?!.*ENOENT)[^\n]+$/);
  });
});

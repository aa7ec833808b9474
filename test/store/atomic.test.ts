/** What a killed process left behind keeps nobody from writing, not even one that has its number. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/store/atomic.js';
import { openStore } from '../../src/store/store.js';
import { withFolder } from '../support/pi-bench.js';
import { recordOf } from '../support/records.js';

/** As versions that named it by their number left it. */
const leftover = (path: string): string => `${path}.${process.pid}.tmp`;

describe('a file that is whole or absent', () => {
  it('is written beside a leftover, and leaves nothing of its own', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'record.json');
      writeFileSync(leftover(path), 'half');
      writeFileAtomic(path, 'whole');
      writeFileAtomic(path, 'new');
      expect(readFileSync(path, 'utf8')).toBe('new');
      expect(readdirSync(folder)).toEqual(['record.json', `record.json.${process.pid}.tmp`]);
    }));

  it('leaves nothing behind when it cannot be written', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'taken', 'by'), { recursive: true });
      expect(() => writeFileAtomic(join(folder, 'taken'), 'text')).toThrow();
      expect(readdirSync(folder)).toEqual(['taken']);
    }));

  it('does not send a campaign to another folder because of a leftover', () =>
    withFolder(async (folder) => {
      const moves: string[] = [];
      const record = recordOf({ batches: [{ launches: [1] }] });
      const store = openStore(join(folder, 'campaign'), 'atomic-test', ({ to }) => {
        moves.push(to);
      });
      writeFileSync(leftover(join(store.folder(), 'record.json')), 'half');
      expect(store.writeRecord(record)).toBe(join(folder, 'campaign', 'record.json'));
      expect(moves).toEqual([]);
    }));
});

/** `pi-bench history` on folders of campaigns: answers, exit codes, what it leaves out, and the page. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HistoryDocument } from '../../src/readers/history/document.js';
import { hasBrowser, launchBrowser, NO_BROWSER, openReport } from '../support/browser.js';
import { piBench, piBenchIn, withFolder } from '../support/pi-bench.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

const FIRST = Date.parse('2026-01-01T00:00:00.000Z');
const DAY = 86_400_000;
const STEADY = [1, 1.004, 0.997, 1.002, 0.999, 1.003, 0.998, 1.001];

/** Nights of one case, each of another speed. @returns their folders */
const writeNights = (folder: string, speeds: readonly number[]): readonly string[] =>
  speeds.map((speed, i) =>
    writeRecord(
      folder,
      recordOf({
        id: `night-${i}`,
        createdAt: new Date(FIRST + i * DAY).toISOString(),
        batches: [{ launches: aboutSeconds(1 / speed, 6) }],
      }),
    ),
  );

describe('pi-bench history', () => {
  it('ends with 0 where nothing changed, 1 where the newest is slower, 2 where nothing tells', async () => {
    await withFolder(async (folder) => {
      const nights = join(folder, 'nightly');
      const [first = ''] = writeNights(nights, [...STEADY, 0.9]);
      const slower = await piBench('history', nights);
      expect(slower.code).toBe(1);
      expect(slower.stdout).toMatch(/night-8, among 9 campaigns/);
      expect(slower.stdout).toMatch(/answer +slower: something is slower than the level before it/);
      const before = await piBench('history', nights, '--of', join(nights, 'night-7'));
      expect([before.code, before.stderr]).toEqual([0, '']);
      expect(before.stdout).toMatch(/same within 5.0 %: everything that has a history lies on/);
      const one = await piBench('history', first);
      expect(one.code).toBe(2);
      expect(one.stdout).toMatch(/new: nothing has a history yet/);
    });
  });

  it('looks below results by itself, and leaves out what cannot be read there', async () => {
    await withFolder(async (folder) => {
      const results = join(folder, 'results');
      writeNights(results, STEADY);
      const broken = join(results, '20251231T000000Z-matmul-000000');
      mkdirSync(broken);
      writeFileSync(join(broken, 'record.json'), '{"kind": "pi-bench record", "schemaVersion": 1');
      const run = await piBenchIn({ cwd: folder }, 'history', '--json');
      expect(run.code).toBe(0);
      const document = JSON.parse(run.stdout) as HistoryDocument;
      expect(document).toMatchObject({
        kind: 'pi-bench history',
        judged: 'night-7',
        campaigns: 8,
        answer: 'same',
      });
      expect(document.leftOut).toEqual([
        {
          record: expect.stringContaining('20251231'),
          why: expect.stringContaining('is not JSON'),
          isNewer: false,
        },
      ]);
      // What is named by itself has to be a record.
      const named = await piBenchIn({ cwd: folder }, 'history', broken);
      expect([named.code, named.stderr]).toEqual([64, expect.stringContaining('is not JSON')]);
    });
  });

  it('ends with 2 where the last night left no record, and says which it was', async () => {
    await withFolder(async (folder) => {
      const nights = join(folder, 'nightly');
      writeNights(nights, STEADY);
      const killed = join(nights, '20260301T000000Z-matmul-000000');
      mkdirSync(killed);
      writeFileSync(join(killed, 'journal.ndjson'), '');
      const run = await piBench('history', nights);
      expect(run.code).toBe(2);
      expect(run.stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /left out \S*20260301T000000Z-matmul-000000, newer than what is judged: .* the campaign has not ended/,
      );
      expect((await piBench('history', nights, '--of', join(nights, 'night-7'))).code).toBe(0);
    });
  });

  it('says in one line what is wrong with what it was given', async () => {
    await withFolder(async (folder) => {
      const nights = join(folder, 'nightly');
      writeNights(nights, STEADY);
      const refused = async (...args: string[]) => {
        const { code, stderr } = await piBench('history', ...args);
        expect([code, stderr.trim().split('\n').length]).toEqual([64, 1]);
        return stderr;
      };
      expect(await refused(join(folder, 'nowhere'))).toContain('there is no');
      mkdirSync(join(folder, 'empty'));
      expect(await refused(join(folder, 'empty'))).toContain('holds no campaign');
      expect(await refused(nights, '--margin', '2')).toContain('--margin takes a share');
      expect(await refused(nights, '--together', '0')).toContain('--together takes a whole number');
      expect(await refused(nights, '--across', 'mashine')).toContain('machine');
    });
  });

  it.skipIf(!hasBrowser)(
    `makes a page that draws each case${hasBrowser ? '' : ` (${NO_BROWSER})`}`,
    async () => {
      await withFolder(async (folder) => {
        const nights = join(folder, 'nightly');
        writeNights(nights, [...STEADY, ...STEADY.map((speed) => 0.8 * speed)]);
        const page = join(folder, 'history.html');
        const run = await piBench('history', nights, '--format', 'html', '--out', page);
        expect([run.code, run.stdout.trim()]).toEqual([0, page]);
        expect(existsSync(page)).toBe(true);
        const browser = await launchBrowser();
        try {
          const {
            page: opened,
            complaints,
            requests,
          } = await openReport(browser, page, { width: 400, height: 900 });
          expect([complaints, requests]).toEqual([[], []]);
          expect(await opened.locator('figure').count()).toBe(1);
          expect(await opened.locator('li').first().textContent()).toContain('0.800 times the rate before');
          expect(await opened.locator('main').innerText()).not.toMatch(/undefined|NaN/);
          expect(await opened.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
        } finally {
          await browser.close();
        }
      });
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAge } from '../../src/cli/verdict.js';
import { answerOf, type CachedVerdict, cut } from '../../src/qualify/answer.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3600;
const cached = (more: Partial<CachedVerdict> = {}): string =>
  JSON.stringify({
    kind: 'pi-bench verdict',
    schemaVersion: 1,
    outcome: 'qualified',
    suite: 't1',
    at: '2026-11-21T10:00:00Z',
    hostname: 'node17',
    why: null,
    checks: 24,
    record: '/r',
    ...more,
  });
const answer = (text: string | null, maxAge = 24 * HOUR) => answerOf(text, maxAge, NOW, 'node17');

describe('the cached verdict', () => {
  it.each([
    [cached(), 0, 'qualified t1 2 h ago: 24 checks'],
    [
      cached({ outcome: 'not-qualified', why: 'quota cpu-quota' }),
      1,
      'not-qualified t1 2 h ago: quota cpu-quota',
    ],
    [cached({ outcome: 'inconclusive', why: 'load busy' }), 2, 'inconclusive t1 2 h ago: load busy'],
    [null, 2, 'inconclusive: no verdict yet; run: pi-bench qualify'],
    ['{"kind":', 2, 'inconclusive: the cached verdict is broken; run: pi-bench qualify'],
    [cached({ hostname: 'node18' }), 2, 'inconclusive: the verdict is of node18; run: pi-bench qualify'],
    [
      cached({ at: '2026-11-22T10:00:00Z' }),
      2,
      'inconclusive: the verdict is from the future: look at the clock',
    ],
  ] as const)('%s', (text, code, line) => {
    expect(answer(text)).toEqual({ code, line });
  });

  it('that is too old is none', () => {
    expect(answer(cached(), HOUR)).toEqual({
      code: 2,
      line: 'inconclusive: the verdict is 2 h old; run: pi-bench qualify',
    });
  });

  it('is one line of fewer than 80 bytes, whatever stands in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 50 }),
        (why, suite) => {
          const { line } = answer(
            cached({ outcome: 'not-qualified', why: why.replaceAll(/\s/g, ' '), suite }),
          );
          expect(Buffer.byteLength(line)).toBeLessThan(80);
        },
      ),
    );
    expect(cut('x'.repeat(100)).endsWith('~')).toBe(true);
  });
});

describe('an age', () => {
  it.each([
    ['30s', 30],
    ['10min', 600],
    ['24h', 86_400],
    ['7d', 604_800],
    ['24', null],
    ['soon', null],
    ['-1h', null],
  ])('%s is %s seconds', (text, seconds) => {
    expect(parseAge(text)).toBe(seconds);
  });
});

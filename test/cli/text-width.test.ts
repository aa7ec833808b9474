/** How help is laid out without the tables of the package that yargs has for it. */
import { describe, expect, it } from 'vitest';
import textWidth from '../../src/cli/text-width.js';
import { piBenchEach } from '../support/pi-bench.js';

describe('the width of a text', () => {
  it('is its characters, whatever colours they have', () => {
    expect(textWidth('')).toBe(0);
    expect(textWidth('the shell’s: 10 µs – “so”')).toBe(25);
    expect(textWidth('\u001b[1mbold\u001b[22m, not')).toBe(9);
  });

  it('is right for all help: no character there takes two columns, or none', async () => {
    const [all] = await piBenchEach([['--help']]);
    const names = [...(all?.stdout ?? '').matchAll(/^ {2}pi-bench ([\w-]+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    const help = await piBenchEach(names.map((name) => [name, '--help']));
    const texts = [all, ...help].map((run) => run?.stdout).join('');
    expect(texts).toContain('--help');
    const wideOrNone = /[\p{Mark}\p{Format}\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u{10ffff}]/gu;
    expect(texts.match(wideOrNone)).toBeNull();
    for (const line of texts.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(110);
  });
});

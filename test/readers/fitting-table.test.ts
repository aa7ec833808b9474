import { describe, expect, it } from 'vitest';
import { type Cell, renderFitting, renderFittings } from '../../src/readers/terminal/fitting-table.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';

const CPU = 'Some(R) Very Long(TM) CPU Name';
const row = (check: string, of: string, measured: Partial<Cell>, source: string): readonly Cell[] => [
  { head: 'check', align: 'left', text: check },
  { head: 'of', align: 'left', text: of },
  { head: 'measured', align: 'right', text: '', ...measured },
  { head: 'limit from', align: 'left', text: source },
];
const ROWS = [
  row('identity', 'cpu model', { text: CPU, words: true }, ''),
  row('quota of all CPUs', 'allowed cpus', { text: '12.34 TFLOP/s' }, 'CPUs that are online'),
];

const shown = (width: number): string =>
  renderFitting(
    ROWS,
    { optional: ['limit from', 'of'], shortened: 'check' },
    { ...terminalStyle({}), width },
  );
const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));

describe('a table that has to fit', () => {
  it('has everything where there is room', () => {
    expect(shown(120)).toContain(CPU);
    expect(shown(120)).toContain('CPUs that are online');
  });

  it('cuts words before it leaves out a column, and no more of them than it takes', () => {
    const text = shown(widest(shown(120)) - 3);
    expect(text).toContain(` ${CPU.slice(0, -4)}…`);
    expect(text).toContain('CPUs that are online');
  });

  it('keeps what a figure is of as long as figures have room, and never cuts one', () => {
    const text = shown(55);
    expect(widest(text)).toBeLessThanOrEqual(55);
    expect(text).toMatch(/^ +check +of +measured$/m);
    expect(text).toContain('12.34 TFLOP/s');
    expect(text).toMatch(/cpu model +Some\(R\) \S*…?/);
    // The words have the room that the column left.
    expect(widest(text)).toBe(55);
  });

  it('leaves that out, and shortens names, where it is narrower still', () => {
    const text = shown(30);
    expect(widest(text)).toBeLessThanOrEqual(30);
    expect(text).toMatch(/^ +check +measured$/m);
    expect(text).toContain('12.34 TFLOP/s');
  });

  it('says which columns it leaves out, and how wide a terminal has room for them', () => {
    expect(shown(120)).not.toContain('not shown');
    const room = widest(shown(120).replaceAll(/…/g, ''));
    const below = (width: number) => shown(width).replaceAll(/\s+/g, ' ');
    expect(below(55)).toContain(` not shown at 55 columns: limit from (a terminal of ${room} shows it)`);
    expect(below(30)).toContain(
      ` not shown at 30 columns: of, limit from (a terminal of ${room} shows them)`,
    );
    // No terminal is taken for wider than 120.
    const long = ROWS.map((cells) => [
      ...cells,
      { head: 'long', align: 'left' as const, text: 'x'.repeat(120) },
    ]);
    const style = { ...terminalStyle({}), width: 80 };
    expect(renderFitting(long, { optional: ['long'], shortened: 'check' }, style)).toMatch(
      /not shown at 80 columns: long$/,
    );
  });
});

describe('tables of one page', () => {
  const tableOf = (measured: string) => [row('quota', 'allowed cpus', { text: measured }, 'online CPUs')];

  it('leave out the same columns where only one of them has no room, and say so once, below the last', () => {
    const texts = renderFittings(
      [tableOf('1'), tableOf('12345678901234567890'), tableOf('2')],
      { optional: ['limit from', 'of'], shortened: 'check' },
      { ...terminalStyle({}), width: 45 },
    );
    expect(texts.map((text) => text.split('\n')[0]?.trim().split(/ +/))).toEqual(
      texts.map(() => ['check', 'of', 'measured']),
    );
    expect(texts.map((text) => text.includes('not shown'))).toEqual([false, false, true]);
  });
});

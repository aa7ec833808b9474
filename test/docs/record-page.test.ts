/** docs/record.md says of files what the code writes into them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/report/formats/index.js';
import { mergePerformance } from '../../src/report/formats/performance-json.js';
import { box } from '../../src/statistics/box.js';
import { summarise } from '../../src/statistics/summary.js';
import { violin } from '../../src/statistics/violin.js';
import { pageOf } from '../support/documents.js';
import { root } from '../support/pi-bench.js';

const page = pageOf('docs/record.md');
/** From a heading to the next one. */
const under = (heading: string): string => {
  const [, text = ''] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ )`, 'm').exec(page) ?? [];
  return text;
};
const named = (text: string): readonly string[] =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

it('each schema stands beside what it is of', () => {
  const told = [...under('Schemas').matchAll(/^\| `([\w-]+\.schema\.json)` \| \S/gm)].map(([, file]) => file);
  expect(told.toSorted()).toEqual(readdirSync(join(root, 'schema')).toSorted());
});

describe('statistics', () => {
  const values = Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 101) / 100);
  const told = named(under('Statistics'));
  const summary = summarise(values);

  it.each([
    ['a summary', summary],
    ['its drift', summary.drift],
    ['a box', box(values)],
    ['a violin', violin(values)],
  ])('of %s have each member named', (_, of) => {
    const members = Object.keys(of ?? {});
    expect(members.length).toBeGreaterThan(6);
    expect(members.filter((member) => !told.includes(member))).toEqual([]);
  });
});

describe('performance.json', () => {
  const beside = { compile_time: 0, est_samples_per_sec: 0, programming_time: 1 };
  const rank = { calls: 3, seconds: 2 };
  const { ordinals, ...merged } = mergePerformance([rank, rank], beside);
  const rows = new Map(
    [...under('What each rank reached').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (.+) \|$/gm)].flatMap(
      ([, names = '', text = '']) => named(names).map((name) => [name, text] as const),
    ),
  );

  it('has the fields that are told, and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual([...Object.keys(merged), 'ordinals'].toSorted());
  });

  it('has of each rank the fields that are told', () => {
    expect(named(rows.get('ordinals') ?? '').toSorted()).toEqual(Object.keys(ordinals?.[0] ?? {}).toSorted());
  });
});

it('a report without --out goes where is told', () => {
  const [, places = ''] = /\*\*Where it goes\.\*\* (Without `--out`[^\n]*\n)/.exec(page) ?? [];
  for (const { kind, place } of formats) if (kind !== 'text') expect(places).toContain(`\`${place}`);
});

/** Who adds something by the pages finds all that it takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pageOf } from '../support/documents.js';
import { root } from '../support/pi-bench.js';

const source = (path: string): string => readFileSync(join(root, path), 'utf8');

it('a workload: each method that it has to have is named', () => {
  const pure = [...source('native/measure/workload.h').matchAll(/virtual .*?(\w+)\([^)]*\).* = 0;/g)].map(
    ([, name]) => name,
  );
  const [, named = ''] = /a `Workload` \(([^;]+);/.exec(pageOf('docs/working-on-it.md')) ?? [];
  expect(pure.length).toBeGreaterThan(5);
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(pure.toSorted());
});

it('a criterion: its member has a place in the file that is named', () => {
  const [, file = ''] = /its member in `([^`]+)`/.exec(pageOf('ARCHITECTURE.md')) ?? [];
  expect(source(file)).toContain("discriminatedUnion('check'");
});

it('an indicator: places of another kind of work are those that are named', () => {
  const page = pageOf('docs/working-on-it.md');
  expect(page).toContain('`rateCounts` (`src/record/schema/batch.ts`)');
  expect(source('src/record/schema/batch.ts')).toMatch(/rateCounts: z\s+\.enum/);
  expect(page).toContain('`src/record/rate-kpis.ts`');
  expect(source('src/record/rate-kpis.ts')).toContain("'loads'");
});

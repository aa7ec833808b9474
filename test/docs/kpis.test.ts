/** The table of KPIs in docs/record.md is that of the code: names, units, statistics, what regressions count. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indicators } from '../../src/indicators/index.js';
import type { CurveDeclaration, KpiDeclaration } from '../../src/record/kpi.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { blocksOf, pageOf } from '../support/documents.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

const page = pageOf('docs/record.md');

/** Cells of the rows whose first is a name in code. */
const rows = [...page.matchAll(/^\| `(pibench_[^`]+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => {
  const [unit = '', statistic = '', regression = '', meaning = ''] = rest
    .split(' | ')
    .map((cell) => cell.trim());
  return { name, unit, statistic, regression, meaning };
});

/** By the word in a name, as the page says. */
const WORK: Readonly<Record<string, string>> = {
  flops: 'FLOP/s',
  bytes: 'B/s',
  launches: 'launches/s',
  loads: 'loads/s',
};

const everyOne = indicators.map(({ name }) => name.replaceAll('-', '_'));

/** Of a row that is of several indicators, or of rates of several kinds, each. */
function expanded(name: string): readonly string[] {
  return (name.includes('INDICATOR') ? everyOne : ['']).flatMap((indicator) =>
    (name.includes('WORK') ? Object.keys(WORK) : ['']).map((work) =>
      name.replace('INDICATOR', indicator).replace('WORK', work),
    ),
  );
}

const declared: readonly (KpiDeclaration | CurveDeclaration)[] = indicators.flatMap(({ kpis, curves }) => [
  ...kpis,
  ...curves,
]);

/** As far as a batch does not decide it. */
function unitOf(kpi: KpiDeclaration | CurveDeclaration): string {
  const batch = { rateUnit: 'RATE' } as RecordBatch;
  const unit = 'unit' in kpi ? kpi.unit(batch) : kpi.yUnit(batch);
  return unit === 'RATE' ? 'that of the rate' : unit;
}

describe('the table of KPIs', () => {
  const byName = new Map(rows.flatMap((row) => expanded(row.name).map((name) => [name, row] as const)));

  // Packages that are downloaded before, and the analysis after, are in neither.
  it('says of the time to a result what it is, as the code does', () => {
    const name = 'pibench_matmul_time_to_result_seconds';
    const kpi = indicators.flatMap(({ kpis }) => kpis).find((one) => one.name === name);
    for (const text of [kpi?.help, byName.get(name)?.meaning])
      expect(text).toMatch(/from its first launch to the end of its last/);
  });

  it('has each that an indicator declares, and no other', () => {
    expect(declared.map(({ name }) => name).filter((name) => !byName.has(name))).toEqual([]);
    const names = new Set(declared.map(({ name }) => name));
    expect(rows.filter(({ name }) => !expanded(name).some((one) => names.has(one)))).toEqual([]);
  });

  it.each(declared.map((kpi) => [kpi.name, kpi] as const))('says of %s what it is', (name, kpi) => {
    const row = byName.get(name);
    expect(row).toMatchObject({
      unit: unitOf(kpi),
      statistic: kpi.statistic,
      regression: `${kpi.direction}${kpi.regression ? ', yes' : ''}`,
    });
    expect(row?.meaning).toMatch(/\w/);
  });

  it('names the units of rates', () => {
    for (const [word, unit] of Object.entries(WORK))
      if (declared.some(({ name }) => name.endsWith(`_rate_${word}_per_second`)))
        expect(page).toContain(`\`${word}\` (${unit}`);
  });
});

describe('the digest', () => {
  it('is reproduced by the lines of Python that the page has', () => {
    const [script = ''] = blocksOf(page, 'python').filter((block) => block.includes('sha256'));
    const folder = mkdtempSync(join(tmpdir(), 'pi-bench-digest-'));
    try {
      const record = recordOf({
        labels: { ümlaut: '"\\\u0001\u007f\n€😀', tiny: 1e-7, large: 1e21, half: 0.5, none: null, yes: true },
        batches: [{ launches: aboutSeconds(1) }],
      });
      const path = join(writeRecord(folder, record), 'record.json');
      writeFileSync(join(folder, 'digest.py'), script);
      const printed = execFileSync('python3', [join(folder, 'digest.py'), path], { encoding: 'utf8' });
      expect(printed.trim()).toBe(`${record.digest} True`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

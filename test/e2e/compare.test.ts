/** `pi-bench compare` and `pi-bench score` on campaigns that were really measured, and on what they must refuse. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ComparisonDocument } from '../../src/readers/comparison/document.js';
import { digestOf } from '../../src/record/digest.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import type { ScoreDocument } from '../../src/score/score.js';
import { describeText } from '../import/support.js';
import {
  campaignFolder,
  piBench,
  piBenchEach,
  printedRecord,
  readInspectionFile,
  readRecordFile,
  withFolder,
} from '../support/pi-bench.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

/** A small campaign of both stacks, launches in turns until it is settled, or fourteen of each. */
async function bothStacks(folder: string): Promise<string> {
  const file = join(folder, 'campaign.yaml');
  writeFileSync(
    file,
    'defaults: {settle: 2%, inspections: 14, repetitions: 60, warmup: 20}\nmeasure:\n  - {indicator: matmul, parameters: {size: 96, threads: 1}, stacks: ["embedded:portable", embedded]}\n',
  );
  const out = join(folder, 'both');
  const run = await piBench('run', file, '--out', out, '--quiet');
  if (run.code !== 0) throw new Error(run.stderr);
  expect(run.stdout).toMatch(/embedded against embedded:portable, by stack/);
  return campaignFolder(out);
}

const comparisonOf = (stdout: string): ComparisonDocument => JSON.parse(stdout) as ComparisonDocument;

describe('pi-bench compare', () => {
  it('compares and scores the stacks inside one campaign, and what it writes for Thoth imports again', async () => {
    await withFolder(async (folder) => {
      const both = await bothStacks(folder);
      const compared = await piBench('compare', both);
      // Which of the two is faster, and whether these launches tell, is the machine's to say.
      expect([0, 1, 2]).toContain(compared.code);
      expect(compared.stdout).toMatch(/embedded against embedded:portable, by stack/);
      const { answer, cases, margin } = comparisonOf((await piBench('compare', both, '--json')).stdout);
      expect(margin).toBe(0.02);
      const [{ launches, method } = {}] = cases[0]?.comparisons ?? [];
      expect([10, 14]).toContain(launches?.[0]);
      expect(launches?.[1]).toBe(launches?.[0]);
      expect(method).toMatch(/within rounds.*reserve for looking/);
      expect(compared.code).toBe({ faster: 0, same: 0, slower: 1 }[String(answer)] ?? 2);
      expect(compared.stdout).not.toMatch(/did not take turns/);

      const scored = await piBench(
        'score',
        both,
        '--reference-stack',
        'embedded:portable',
        '--format',
        'json',
      );
      expect([scored.code, scored.stderr]).toEqual([0, '']);
      const { scores, definition } = JSON.parse(scored.stdout) as ScoreDocument;
      expect([definition.name, definition.version]).toEqual(['pi-bench-score', 1]);
      expect(scores.map(({ name }) => name).sort()).toEqual(['embedded', 'embedded:portable']);
      const record = readRecordFile(both);
      const rates = record.batches.map(({ rate }) => rate?.median ?? 0);
      const scoreOf = (stack: string) => scores.find(({ name }) => name === stack);
      expect(scoreOf('embedded')?.score).toBeCloseTo((rates[1] ?? 0) / (rates[0] ?? 1), 9);
      expect(scoreOf('embedded:portable')).toMatchObject({ score: 1, reason: 'it is the reference' });

      // Without a word on the reference it is the first stack, which is the same one.
      const prescribed = await piBench('score', both, '--format', 'prescription');
      expect(prescribed.stderr).toMatch(/^pi-bench: .*first stack, embedded:portable, scores 1/);
      const units = parse(prescribed.stdout)?.units as
        | { steps: { match: { package_version: { name: string } } }[] }
        | undefined;
      // Its hardware cannot be asked for on a CPU without family and model.
      const isNamed = /^\d+-\d+-/.test(String(record.labels.cpu_family_model_stepping));
      expect(units?.steps[0]?.match.package_version.name).toBe(isNamed ? 'embedded' : undefined);

      const thoth = join(folder, 'thoth');
      const written = await piBench('score', both, '--format', 'thoth', '--out', thoth);
      expect(written.code).toBe(0);
      expect(readdirSync(thoth)).toHaveLength(2);
      const imported = await piBench('import', 'thoth', thoth, '--out', join(folder, 'back'), '--json');
      const back = printedRecord(imported);
      const medians = ({ batches }: PiBenchRecord) =>
        batches
          .map((batch) => (batch.launches?.medians as number[]).map((value) => Number(value.toPrecision(12))))
          .sort(([a = 0], [b = 0]) => a - b);
      expect(medians(back)).toEqual(medians(record));
      expect(back.imported?.notRead).toEqual([]);
      const { usage } = readInspectionFile(both, 0);
      expect(usage?.userSeconds).toBeGreaterThan(0);
      expect(usage?.maxResidentBytes).toBeGreaterThan(2 ** 20);

      // Of a batch that is found wrong afterwards Thoth would go on to load the documents.
      const path = join(both, 'record.json');
      const batches = record.batches.map((batch, i) => (i === 0 ? { ...batch, verified: 'failed' } : batch));
      const found = { ...record, batches };
      writeFileSync(path, JSON.stringify({ ...found, digest: digestOf(found) }));
      const again = (to: string) => piBench('score', both, '--format', 'thoth', '--out', to);
      const refused = await again(thoth);
      expect([refused.code, refused.stdout]).toEqual([64, '']);
      expect(refused.stderr.trim().split('\n').at(-1)).toMatch(
        /holds documents of this campaign .* \(inspection-pi-bench-embedded-portable-.*\).*: remove it, or give another folder with --out$/,
      );
      expect(readdirSync(thoth)).toHaveLength(2);
      const elsewhere = join(folder, 'elsewhere');
      expect((await again(elsewhere)).code).toBe(3);
      expect(readdirSync(elsewhere)).toHaveLength(1);
    });
  });
});

describe('the exit code of score', () => {
  it('is 0 for stacks with a score of every case, 2 where one lacks any, and 3 where an output was wrong', async () => {
    await withFolder(async (folder) => {
      const right = { stack: { provider: 'x' }, launches: aboutSeconds(1) };
      const other = { ...right, parameters: { m: 7 } };
      const wrong = { ...other, launches: [{ seconds: 1, passed: false }] };
      const described = {
        reference: [right, other],
        all: [right, other],
        some: [right],
        wrong: [right, wrong],
      };
      const folders = Object.entries(described).map(([id, batches]) =>
        writeRecord(folder, recordOf({ id, batches })),
      );
      const [reference = '', ...results] = folders;
      const runs = await piBenchEach(results.map((one) => ['score', one, '--reference', reference]));
      expect(runs.map(({ code }) => code)).toEqual([0, 2, 3]);
    });
  });
});

describe('a folder of prescriptions', () => {
  const labels = { cpu_family_model_stepping: '25-17-1' };
  const blis = { stack: { provider: 'blis', version: '1.0' } };
  const openblas = { stack: { provider: 'openblas', version: '0.3.26' } };

  it('has those of the same results only: what they do not renew would be added up with them', async () => {
    await withFolder(async (folder) => {
      const wrong = { ...blis, launches: [{ seconds: 0.6, passed: false }] };
      const right = (seconds: number) => ({ ...blis, launches: aboutSeconds(seconds) });
      const described = {
        yesterday: [{ ...openblas, launches: aboutSeconds(1) }, right(0.6)],
        today: [{ ...openblas, launches: aboutSeconds(1.1) }, right(0.5)],
        tomorrow: [{ ...openblas, launches: aboutSeconds(1) }, wrong],
      };
      const [yesterday, today, tomorrow] = Object.entries(described).map(([id, batches]) =>
        writeRecord(folder, recordOf({ id, batches, labels })),
      );
      const out = join(folder, 'prescriptions');
      const prescribe = (record = '', to = out) =>
        piBench('score', record, '--reference-stack', 'openblas', '--format', 'prescription', '--out', to);
      const texts = () => readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]);
      expect((await prescribe(yesterday)).code).toBe(0);
      const before = texts();
      expect(before.map(([name]) => name)).toEqual([
        expect.stringMatching(/^pi-bench-blis-1\.0-[0-9a-f]{8}\.yaml$/),
        expect.stringMatching(/^pi-bench-openblas-0\.3\.26-[0-9a-f]{8}\.yaml$/),
      ]);
      expect((await prescribe(today)).code).toBe(0);
      const renewed = texts();
      expect(renewed.map(([name]) => name)).toEqual(before.map(([name]) => name));
      expect(renewed).not.toEqual(before);

      const refused = await prescribe(tomorrow);
      expect([refused.code, refused.stdout]).toEqual([64, '']);
      expect(refused.stderr.trim().split('\n').at(-1)).toMatch(
        /holds 1 prescription that these results do not renew \(pi-bench-blis-.*\).*: remove it, or give another folder with --out$/,
      );
      expect(texts()).toEqual(renewed);
      const elsewhere = join(folder, 'elsewhere');
      expect((await prescribe(tomorrow, elsewhere)).code).toBe(3);
      expect(readdirSync(elsewhere)).toHaveLength(1);
    });
  });

  it('is not complete, which the exit code says, where no resolver could be told for which CPU it is', async () => {
    await withFolder(async (folder) => {
      const batches = [blis, openblas].map((one, i) => ({ ...one, launches: aboutSeconds(1 + i) }));
      const record = writeRecord(
        folder,
        recordOf({ batches, labels: { cpu_family_model_stepping: '?-?-?', architecture: 'arm64' } }),
      );
      const { code, stdout, stderr } = await piBench('score', record, '--format', 'prescription');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/no prescription for blis: .*this one tells none \(arm64\)/);
    });
  });
});

describe('what compare and score refuse, in one line', () => {
  it('is bad input, each with what to do', async () => {
    await withFolder(async (folder) => {
      const record = (id: string, m: number, labels = {}): string =>
        writeRecord(
          folder,
          recordOf({ id, labels, batches: [{ parameters: { m }, launches: aboutSeconds(1) }] }),
        );
      const [a, b, c] = [record('a', 100), record('b', 100, { cpu_model: 'Another' }), record('c', 7)];
      const text = join(folder, 'text.json');
      writeFileSync(text, '{"kind": "something else"}');
      const cases: readonly (readonly [args: readonly string[], says: RegExp])[] = [
        [['compare', text, a], /text\.json is not a record of pi-bench/],
        [
          ['compare', join(folder, 'nowhere'), a],
          /there is no .*nowhere: a campaign’s results lie in a folder of its own/,
        ],
        [['compare', a], /one batch has nothing to be compared with: give a second record/],
        [['compare', a, a], /are the same record/],
        [['compare', a, b], /not comparable.*cpu_model \(not known \/ Another\); --across cpu_model/],
        [['compare', a, c], /have no case in common: the nearest differ in m \(100 \/ 7\)/],
        [['compare', a, b, '--margin', '0'], /--margin takes a share such as 1% or 0\.01/],
        [['compare', a, b, '--across', 'cpumodel'], /--across cpumodel: there is no such label/],
        [
          ['compare', a, b, '--by', 'nothing'],
          /--by nothing: there is no such label; there is record, stack(, \w+)*$/m,
        ],
        [['compare', a, b, '--margin', '1%', '--margin', '2%'], /--margin was given more than once/],
        [
          ['compare'],
          /compare needs <records> \(.*\), as in pi-bench compare results\/before results\/after$/,
        ],
        [['score'], /score needs <record> \(.*\), as in pi-bench score /],
        [['import', 'thoth'], /import needs <path> \(.*\), as in pi-bench import thoth /],
        [['score', a], /a score needs a reference: --reference RECORD/],
        [['score', text, '--reference', a], /is not a record of pi-bench/],
        [['score', a, '--reference', c], /no case in common/],
        [['score', a, '--reference', b], /not comparable.*cpu_model/],
        [['score', a, '--reference-stack', 'x'], /--reference-stack x is not in a; it has embedded/],
        [['score', a, '--format', 'thoth'], /nothing that Thoth has a place for/],
      ];
      const runs = await piBenchEach(cases.map(([args]) => args));
      expect(runs).toHaveLength(cases.length);
      for (const [i, { code, stdout, stderr }] of runs.entries()) {
        const [args, says] = cases[i] ?? [[], /there is such a case/];
        expect([args, code, stdout]).toEqual([args, 64, '']);
        expect(stderr.trim().split('\n').at(-1)).toMatch(says);
      }
    });
  });

  it('is what nobody verified', async () => {
    await withFolder(async (folder) => {
      const records = await Promise.all(
        ['x', 'y'].map(async (name) => {
          const table = join(folder, `${name}.csv`);
          writeFileSync(table, describeText(name === 'x' ? 1 : 2));
          await piBench('import', 'thoth', table, '--out', join(folder, name));
          return campaignFolder(join(folder, name));
        }),
      );
      const { code, stderr } = await piBench('compare', ...records);
      expect(code).toBe(64);
      expect(stderr).toMatch(/never verified, so its speed may be that of a wrong result; --force/);
      const forced = await piBench('compare', ...records, '--force');
      expect(forced.code).toBe(2);
      expect(forced.stdout).toMatch(/output not verified/);
      expect(forced.stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /the launches of \S+ were not published, only a table of them/,
      );
    });
  });
});

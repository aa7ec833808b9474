import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/errors.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { mergePerformance, PROGRAMMING, performanceJson } from '../../src/report/formats/performance-json.js';
import { readReport } from '../../src/report/read-report.js';
import { withCampaign } from '../support/report.js';

const BESIDE = { compile_time: 120.5, est_samples_per_sec: 140, programming_time: 3.25 };

describe('performance.json', () => {
  it('of two workers has the layout that Cerebras’ Model Zoo writes', () => {
    const merged = mergePerformance(
      [
        { calls: 1024, seconds: 8 },
        { calls: 896, seconds: 8 },
      ],
      BESIDE,
    );
    expect(merged).toEqual({
      compile_time: 120.5,
      est_samples_per_sec: 140,
      ordinals: [
        { samples_per_sec: 128, total_samples: 1024, total_time: 8 },
        { samples_per_sec: 112, total_samples: 896, total_time: 8 },
      ],
      programming_time: 3.25,
      samples_per_sec: 240,
      total_samples: 1920,
      total_time: 8,
    });
    const keys = Object.keys(merged);
    expect(keys).toEqual([...keys].sort());
  });

  it('of one worker has no ordinals', () => {
    expect(mergePerformance([{ calls: 1024, seconds: 8 }], BESIDE)).toEqual({
      ...BESIDE,
      samples_per_sec: 128,
      total_samples: 1024,
      total_time: 8,
    });
  });

  it('adds samples and rates and takes the slowest time, in any order of workers', () => {
    const workers = fc.array(
      fc.record({ calls: fc.integer({ min: 0, max: 1e6 }), seconds: fc.integer({ min: 0, max: 1000 }) }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(workers, (some) => {
        const forward = mergePerformance(some, BESIDE);
        const backward = mergePerformance(some.toReversed(), BESIDE);
        expect(backward.total_samples).toBe(forward.total_samples);
        expect(backward.total_time).toBe(forward.total_time);
        expect(backward.samples_per_sec).toBeCloseTo(forward.samples_per_sec, 6);
        expect(forward.total_time).toBe(Math.max(...some.map(({ seconds }) => seconds)));
      }),
    );
  });
});

describe('performance.json of a record', () => {
  const toldOf = async (folder: string, change = (record: PiBenchRecord) => record) => {
    const read = readReport(folder);
    const said: string[] = [];
    let text = '';
    for await (const piece of performanceJson.text?.({
      read: { ...read, record: change(read.record) },
      warn: (line) => said.push(line),
      samples: false,
    }) ?? [])
      text += piece;
    return { performance: JSON.parse(text), said };
  };
  const performanceOf = async (...asked: Parameters<typeof toldOf>) => (await toldOf(...asked)).performance;

  it('counts every call of a sample, and all their seconds', () =>
    withCampaign([{ repetitions: 30, inspections: 2 }], async (folder) => {
      const change = (text: string) => text.replace(/"callsPerSample":\s*1\b/, '"callsPerSample": 409');
      for (const n of [0, 1]) {
        const path = join(folder, 'inspections', `${n}.json`);
        writeFileSync(path, change(readFileSync(path, 'utf8')));
      }
      const unsealed = (record: PiBenchRecord): PiBenchRecord => ({
        ...record,
        batches: record.batches.map((batch) => ({
          ...batch,
          inspections: batch.inspections.map((one) => ({ ...one, sha256: null })),
        })),
      });
      const { total_samples, total_time, samples_per_sec } = await performanceOf(folder, unsealed);
      expect(total_samples).toBe(2 * 30 * 409);
      expect(samples_per_sec).toBeCloseTo(total_samples / total_time, 6);
      // The file holds the seconds of whole samples, so they do not become more with their calls.
      const [batch] = readReport(folder).record.batches;
      const means = batch?.inspections.map(({ statistics }) => Number(statistics?.mean)) ?? [];
      expect(total_time).toBeCloseTo(30 * means.reduce((all, mean) => all + mean, 0), 9);
    }));

  it('has all that a launch did before its repetitions in its time, beside starting and waiting for others', () =>
    withCampaign([{ repetitions: 30, inspections: 1 }], async (folder) => {
      const took = (spans: readonly (readonly [name: string, seconds: number])[]) =>
        performanceOf(folder, (record) => ({
          ...record,
          batches: record.batches.map((batch) => ({
            ...batch,
            inspections: batch.inspections.map((one) => ({
              ...one,
              spans: spans.map(([name, seconds]) => ({ name, seconds })),
            })),
          })),
        }));
      const onGpu = await took([
        ['start', 1],
        ['load', 0.05],
        ['device init', 0.9],
        ['fill', 0.2],
        ['warm-up', 1],
        ['calibrate', 0.1],
        ['gate', 7],
        ['settle', 0.01],
        ['measure', 3],
      ]);
      expect(onGpu.programming_time).toBeCloseTo(2.26, 9);
      const framework = await took([
        ['allocate', 0.1],
        ['open', 2],
        ['measure', 3],
      ]);
      expect(framework.programming_time).toBeCloseTo(2.1, 9);
    }));

  it.each([
    'native/inspection.cc',
    'src/frameworks/inspect.ts',
  ])('knows every span before the repetitions of %s', (path) => {
    const [before = ''] = readFileSync(path, 'utf8').split(/\bend\(["']measure["']\)/);
    const calls = [...before.matchAll(/\b(?:end|endSpan)\(([^;()]*)\);/g)].map(([, names = '']) => names);
    const names = calls.flatMap((call) => [...call.matchAll(/["']([^"']+)["']/g)].map(([, name]) => name));
    expect(names).toContain('warm-up');
    expect(names.filter((name) => name !== 'gate' && !PROGRAMMING.includes(name ?? ''))).toEqual([]);
  });

  it.each(['failed', 'wrong', 'interrupted'] as const)('leaves out a launch that is %s', (status) =>
    withCampaign([{ repetitions: 30, inspections: 2 }], async (folder) => {
      const spoilt = (record: PiBenchRecord): PiBenchRecord => ({
        ...record,
        batches: record.batches.map((batch) => ({
          ...batch,
          inspections: batch.inspections.map((one, i) => (i === 0 ? { ...one, status } : one)),
        })),
      });
      const whole = await performanceOf(folder);
      expect((await performanceOf(folder, spoilt)).total_samples).toBe(whole.total_samples / 2);
    }));

  it('is refused of a campaign with a fault injected on purpose, which it could not tell', () =>
    withCampaign([{ repetitions: 30, inspections: 2 }], async (folder) => {
      const fault = { kind: 'stopped', share: 0.3 } as const;
      const spoiled = ({ campaign, ...rest }: PiBenchRecord): PiBenchRecord => ({
        ...rest,
        campaign: { ...campaign, fault },
      });
      await expect(performanceOf(folder, spoiled)).rejects.toThrow(
        /^a fault was injected \(stopped\), so this is no measurement/,
      );
    }));

  it('estimates a worker’s calls by the roofline, and has 0 where no ceiling is known', () =>
    withCampaign([{ repetitions: 30, inspections: 2 }], async (folder, record) => {
      const [batch] = record.batches;
      const { est_samples_per_sec, samples_per_sec } = await performanceOf(folder);
      expect(est_samples_per_sec).toBe((batch?.roofline?.attainable ?? 0) / (2 * 512 ** 3));
      expect(est_samples_per_sec).toBeGreaterThan(samples_per_sec);
      const roofless = ({ batches, ...rest }: PiBenchRecord): PiBenchRecord => ({
        ...rest,
        batches: batches.map((one) => ({ ...one, roofline: null })),
      });
      expect((await performanceOf(folder, roofless)).est_samples_per_sec).toBe(0);
    }));

  it('is one file for each of several, and says which are left out and why', () =>
    withCampaign(
      [{ inspections: 1 }, { size: 64, inspections: 1 }, { size: 32, inspections: 1 }],
      async (folder) => {
        const read = readReport(folder);
        const spoilt = (status: 'wrong' | 'timed-out', one: RecordBatch): RecordBatch => ({
          ...one,
          ...(status === 'wrong' ? { verified: 'failed' as const, elapsed: null, rate: null } : {}),
          measured: 0,
          inspections: one.inspections.map((launch) => ({ ...launch, status })),
        });
        const [first, second, third] = read.record.batches as [RecordBatch, RecordBatch, RecordBatch];
        const record = {
          ...read.record,
          batches: [first, spoilt('wrong', second), spoilt('timed-out', third)],
        };
        const said: string[] = [];
        const names: string[] = [];
        let cases = '';
        const request = {
          read: { ...read, record },
          warn: (line: string) => said.push(line),
          samples: false,
        };
        for await (const { name, text } of performanceJson.files(request)) {
          names.push(name);
          if (name === 'cases.json') cases = String(text);
        }
        expect(names).toEqual(['performance.1.json', 'cases.json']);
        expect(JSON.parse(cases)).toEqual([
          { file: 'performance.1.json', batch: 0, case: first.title, stack: 'embedded synthetic on cpu' },
        ]);
        expect(said).toEqual([
          expect.stringMatching(
            /^performance\.2\.json is not written: matmul 64 x 64 x 64 .*: an output was wrong$/,
          ),
          expect.stringMatching(
            /^performance\.3\.json is not written: matmul 32 .*: no launch ran to its end$/,
          ),
        ]);
      },
    ));

  it('says of launches that ran to their end and do not count why they do not', () =>
    withCampaign([{ repetitions: 30, inspections: 2 }], async (folder) => {
      const refused = (record: PiBenchRecord): PiBenchRecord => ({
        ...record,
        batches: record.batches.map((batch) => ({
          ...batch,
          measured: 0,
          elapsed: null,
          rate: null,
          verified: 'not-run' as const,
          inspections: batch.inspections.map((one) => ({
            ...one,
            status: 'failed' as const,
            reason: 'its rate is above the peak of its threads',
          })),
        })),
      });
      await expect(performanceOf(folder, refused)).rejects.toMatchObject({
        message:
          'no launch counts: its rate is above the peak of its threads, so there is no performance to write',
        exitCode: EXIT.incomplete,
      });
    }));

  it('is of the launches whose samples are there, and says which are not', () =>
    withCampaign([{ repetitions: 30, inspections: 3 }], async (folder) => {
      const whole = await performanceOf(folder);
      rmSync(join(folder, 'inspections', '0.json'));
      truncateSync(join(folder, 'inspections', '2.npz'), 100);
      const { performance, said } = await toldOf(folder);
      expect(performance.total_samples).toBe(whole.total_samples / 3);
      expect(said).toEqual([
        expect.stringMatching(
          /^performance\.json is without 2 launches: launch 1 has no samples here: inspections\/0\.json is missing$/,
        ),
      ]);
    }));

  it('is not there where the samples of no launch are, for nobody knows how many calls each was', () =>
    withCampaign([{ repetitions: 30, inspections: 1 }], async (folder) => {
      rmSync(join(folder, 'inspections', '0.json'));
      await expect(performanceOf(folder)).rejects.toMatchObject({
        message: expect.stringMatching(
          /^launch 1 has no samples here.*how many calls it made, so there is no/,
        ),
        exitCode: EXIT.incomplete,
      });
    }));

  it('of one of several cases is left out where its samples are gone, and the others are written', () =>
    withCampaign([{ inspections: 1 }, { size: 64, inspections: 1 }], async (folder) => {
      const read = readReport(folder);
      rmSync(join(folder, read.record.batches[0]?.inspections[0]?.file ?? ''));
      const [names, said]: [string[], string[]] = [[], []];
      const request = { read, warn: (line: string) => said.push(line), samples: false };
      for await (const { name } of performanceJson.files(request)) names.push(name);
      expect(names).toEqual(['performance.2.json', 'cases.json']);
      expect(said).toEqual([
        expect.stringMatching(/^performance\.1\.json is not written: .*\): launch \d has no samples here/),
      ]);
    }));
});

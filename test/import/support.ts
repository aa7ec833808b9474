/** Documents of the published layouts, made up: their shapes, not anybody's figures. */
import type { Found } from '../../src/import/files.js';

export const foundOf = (files: Readonly<Record<string, string>>, name = 'made-up'): Found => ({
  name,
  files: Object.entries(files).map(([path, text]) => ({ path, read: () => text })),
  leftOut: [],
});

export const specificationOf = (version: string): string =>
  JSON.stringify({
    base: 'image',
    batch_size: '4',
    run: { requests: { cpu: '2000m', memory: '4Gi' } },
    python: { requirements_locked: { default: { 'tensorflow-cpu': { version: `==${version}` } } } },
  });

export const SPECIFICATION = specificationOf('9.8.7');

export interface FakeResult {
  readonly elapsed?: number;
  readonly rate?: number;
  readonly reps?: number;
  readonly cpuSeconds?: number;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly brand?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** n^3 + (n - 1) n^2 at n = 100: what the published scripts count. */
export const WORK = 100 ** 3 + 99 * 100 ** 2;

/** Milliseconds, and the rate that belongs to them in GFLOP/s. */
export function resultText({
  elapsed = 2,
  rate = WORK / (elapsed * 1e-3) / 1e9,
  reps = 1000,
  cpuSeconds = 4,
  parameters = {},
  name = 'PiMatmul',
  brand = 'A processor',
  more = {},
}: FakeResult = {}): string {
  return JSON.stringify({
    exit_code: 0,
    stdout: {
      name,
      component: 'tensorflow',
      '@parameters': { matrix_size: 100, dtype: 'float32', device: 'cpu', reps, ...parameters },
      '@result': { elapsed, rate },
    },
    stderr: '',
    start_datetime: '2020-01-01T10:00:00.000000',
    end_datetime: '2020-01-01T10:00:30.000000',
    hwinfo: {
      cpu_info: { brand_raw: brand, count: 8 },
      cpu_features: { flags: ['hypervisor', 'avx2'] },
      platform: { machine: 'x86_64', release: '4.0' },
    },
    usage: { ru_utime: cpuSeconds - 1, ru_stime: 1 },
    ...more,
  });
}

/** The files of one inspection of 2020. */
export function inspectionFiles(id: string, results: readonly string[]): Record<string, string> {
  const files: Record<string, string> = { [`${id}/build/specification`]: SPECIFICATION };
  results.forEach((text, i) => {
    files[`${id}/results/${i}/result`] = text;
    files[`${id}/results/${i}/hwinfo`] = '{}';
  });
  return files;
}

/** A describe() table of two batches of so many repetitions each, in the published units. */
export function describeText(elapsedMs = 1, jobSeconds = 40, cpuSeconds = 70): string {
  const rate = WORK / (elapsedMs * 1e-3) / 1e9;
  /** The shortest time has the highest rate. */
  const row = (label: string, time: number, speed: number): string => {
    const figures = [elapsedMs * time, rate / speed, jobSeconds, cpuSeconds, 0];
    return [label, ...figures, ...figures].join(',');
  };
  return [
    `,${['05k', '2k'].flatMap((batch) => ['elapsed', 'rate', 'job_duration', 'utime', 'stime'].map((one) => `${one}_${batch}`)).join(',')}`,
    `count,${Array(10).fill(30).join(',')}`,
    row('mean', 1, 1),
    row('std', 0.1, 10),
    row('min', 0.9, 1.2),
    row('25%', 0.95, 1.05),
    row('50%', 1, 1),
    row('75%', 1.05, 0.95),
    row('max', 1.2, 0.9),
  ].join('\n');
}

/**
 * The samples of one inspection, `inspections/<n>.npz`: a zip of NumPy arrays. Whole nanoseconds, because that is what the
 * clock tells, so nothing is rounded; deflated integers take about 6 bytes a repetition, where JSON took 40. NumPy, R, Julia,
 * MATLAB and every unzip open it; Parquet would be as compact and needs a library on both sides.
 */
import type { Samples } from '../record/samples.js';
import type { RankTimes } from '../statistics/rank-times.js';
import type { NpyType } from './npy.js';
import { fromNpy, toNpy } from './npy.js';
import { unzip, zip } from './zip.js';

const NANOSECOND = 1e-9;
const MOST_U4 = 2 ** 32 - 1;

/** The narrower of two widths that holds every value. */
function integers(values: Float64Array): { type: NpyType; array: Uint32Array | BigUint64Array } {
  if (values.every((value) => value <= MOST_U4)) return { type: '<u4', array: Uint32Array.from(values) };
  return { type: '<u8', array: BigUint64Array.from(Array.from(values, BigInt)) };
}

const nanoseconds = (seconds: Float64Array, times: number): Float64Array =>
  seconds.map((value) => Math.round((value * times) / NANOSECOND));

/**
 * `elapsed_ns`: of each sample, that is of `callsPerSample` calls; `start_ns`: of each sample after the first one's start;
 * `disturbed`: whether a measuring thread lost its CPU in it, absent where the system cannot tell. Where ranks execute it:
 * `rank_start_ns` and `rank_elapsed_ns` of each sample and rank, sample by sample, after the first rank's first start. Of
 * what was made beside what the samples time: `<its name>_ns` of each sample.
 */
export function encodeSamples(
  { seconds, entries, disturbed }: Samples,
  callsPerSample: number,
  ranks: RankTimes | null = null,
  parts: Readonly<Record<string, Float64Array>> | null = null,
): Buffer {
  const file = (name: string, { type, array }: { type: NpyType; array: Parameters<typeof toNpy>[1] }) => ({
    name: `${name}.npy`,
    bytes: toNpy(type, array),
  });
  const files = [
    file('elapsed_ns', integers(nanoseconds(seconds, callsPerSample))),
    file('start_ns', integers(nanoseconds(entries, 1))),
    ...(ranks === null
      ? []
      : [
          file('rank_start_ns', integers(nanoseconds(ranks.entries, 1))),
          file(
            'rank_elapsed_ns',
            integers(
              nanoseconds(
                ranks.exits.map((exit, i) => exit - (ranks.entries[i] ?? 0)),
                1,
              ),
            ),
          ),
        ]),
    ...Object.entries(parts ?? {}).map(([name, times]) =>
      file(`${name}_ns`, integers(nanoseconds(times, 1))),
    ),
  ];
  if (disturbed === null) return zip(files);
  const marks = new Uint8Array(seconds.length);
  for (const index of disturbed) marks[index] = 1;
  return zip([...files, file('disturbed', { type: '|b1', array: marks })]);
}

function marked(marks: Float64Array): readonly number[] {
  const indices: number[] = [];
  for (let i = 0; i < marks.length; i++) if (marks[i] === 1) indices.push(i);
  return indices;
}

/** @throws Error when the file is cut off, altered or another's */
export function decodeSamples(bytes: Buffer, callsPerSample: number): Samples {
  const files = new Map(unzip(bytes).map((entry) => [entry.name, entry.bytes]));
  const read = (name: string): Float64Array => {
    const file = files.get(`${name}.npy`);
    if (file === undefined) throw new Error(`it holds no ${name}`);
    return fromNpy(file);
  };
  const marks = files.has('disturbed.npy') ? read('disturbed') : null;
  const seconds = read('elapsed_ns');
  const entries = read('start_ns');
  // Loops: of a large campaign these are the values that a function called for each of them would be felt at.
  for (let i = 0; i < seconds.length; i++)
    seconds[i] = ((seconds[i] as number) * NANOSECOND) / callsPerSample;
  for (let i = 0; i < entries.length; i++) entries[i] = (entries[i] as number) * NANOSECOND;
  return { seconds, entries, disturbed: marks === null ? null : marked(marks) };
}

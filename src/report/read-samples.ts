/** The samples of one launch, from a results folder: or why they cannot be had. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { sha256 } from '../record/digest.js';
import type { Samples } from '../record/samples.js';
import type { RecordInspection } from '../record/schema.js';
import { readInspection } from '../store/read-inspection.js';
import type { Seconds } from '../units.js';

export interface LaunchSamples extends Samples {
  /** Of each call before the repetitions that count; on a device the mean of those that shared a sample. */
  readonly warmup: readonly Seconds[];
  /** Calls that an entry of `warmup` stands for, on average. */
  readonly warmupCallsEach: number;
  readonly callsPerSample: number;
}

export type ReadLaunch =
  | { readonly samples: LaunchSamples }
  | {
      /** For a person; follows the launch's name. */
      readonly why: string;
      /** Its files are there, and are not what was written. */
      readonly damaged: boolean;
    };

const OWN_FILE = /^inspections\/\d+\.json$/;

/** Entries that a launch keeps of its warm-up (native/measure/warmup.h): of those after them nothing is known. */
const MOST_WARMUP_ENTRIES = 100_000;

const callsEach = ({ calls, seconds }: { readonly calls: number; readonly seconds: readonly number[] }) =>
  seconds.length === 0 || seconds.length >= MOST_WARMUP_ENTRIES ? 1 : Math.max(1, calls / seconds.length);

/** @param folder that holds the record. Throws nothing: a launch that cannot be read has a reason. */
export function readLaunch(
  folder: string,
  { file, sha256: digest }: Pick<RecordInspection, 'file' | 'sha256'>,
): ReadLaunch {
  if (file === null) return { why: 'left no samples', damaged: false };
  // A record is text that anybody may have written: it names no file but its own.
  if (!OWN_FILE.test(file)) return { why: 'names a file that is not one of its campaign', damaged: true };
  let text: string;
  try {
    text = readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    return systemCode(error) === 'ENOENT'
      ? { why: `has no samples here: ${file} is missing`, damaged: false }
      : { why: `cannot be read: ${messageOf(error)}`, damaged: true };
  }
  if (digest !== null && sha256(text) !== digest) {
    return {
      why: `cannot be trusted: ${file} was altered after the record was written`,
      damaged: true,
    };
  }
  try {
    const read = readInspection(folder, file);
    if (read === null) return { why: `has no samples here: ${file} is missing`, damaged: false };
    const { warmup, callsPerSample } = read.document;
    const entries = { warmup: warmup.seconds, warmupCallsEach: callsEach(warmup) };
    return { samples: { ...read.samples, ...entries, callsPerSample } };
  } catch (error) {
    return { why: `cannot be read: ${messageOf(error)}`, damaged: true };
  }
}

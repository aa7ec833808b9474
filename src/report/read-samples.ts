/** The samples of one launch, from a results folder: the one place of the report that knows how they lie on disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { sha256 } from '../record/digest.js';
import { type RecordInspection, readable } from '../record/schema.js';
import type { Seconds } from '../units.js';

export interface LaunchSamples {
  /** Of one call, in order. */
  readonly seconds: Float64Array;
  /** Start of each sample after the start of the first. */
  readonly entries: Float64Array;
  /** Indices of repetitions in which a measuring thread lost its CPU; null: the system cannot tell. */
  readonly disturbed: readonly number[] | null;
  /** Of each call before the repetitions that count. */
  readonly warmup: readonly Seconds[];
  readonly callsPerSample: number;
}

/** `why` is for a person, and follows the launch's name. */
export type ReadLaunch = { readonly samples: LaunchSamples } | { readonly why: string };

const OWN_FILE = /^inspections\/\d+\.json$/;

/** @param folder that holds the record. Throws nothing: a launch that cannot be read has a reason. */
export function readLaunch(
  folder: string,
  { file, sha256: digest }: Pick<RecordInspection, 'file' | 'sha256'>,
): ReadLaunch {
  if (file === null) return { why: 'left no samples' };
  // A record is text that anybody may have written: it names no file but its own.
  if (!OWN_FILE.test(file)) return { why: 'names a file that is not one of its campaign' };
  let text: string;
  try {
    text = readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    return {
      why:
        systemCode(error) === 'ENOENT'
          ? `has no samples here: ${file} is missing`
          : `cannot be read: ${messageOf(error)}`,
    };
  }
  if (digest !== null && sha256(text) !== digest) {
    return { why: `cannot be trusted: ${file} was altered after the record was written` };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { why: `cannot be read: ${file} is not JSON` };
  }
  const parsed = readable.inspection.safeParse(json);
  if (!parsed.success) return { why: `cannot be read: ${file} is no document of an inspection` };
  const { samples, warmup, callsPerSample } = parsed.data;
  return {
    samples: {
      seconds: Float64Array.from(samples.seconds),
      entries: Float64Array.from(samples.entries),
      disturbed: samples.disturbed,
      warmup: warmup.seconds,
      callsPerSample,
    },
  };
}

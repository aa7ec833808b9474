/** Reads an inspection back: its document, and the samples that lie beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import type { ReadInspection } from '../record/analyse-inspection.js';
import { sha256 } from '../record/digest.js';
import type { Samples } from '../record/samples.js';
import { INSPECTION_VERSION } from '../record/schema/names.js';
import type { InspectionDocument } from '../record/schema.js';
import { decodeSamples } from './samples-file.js';

/** Documents of version 1 hold their samples themselves. */
interface SamplesOfVersion1 {
  readonly seconds: readonly number[];
  readonly entries: readonly number[];
  readonly disturbed: readonly number[] | null;
}

function samplesOf(document: InspectionDocument, folder: string): Samples {
  const { samples, schemaVersion, callsPerSample } = document;
  if (schemaVersion === 1) {
    const { seconds, entries, disturbed } = samples as unknown as SamplesOfVersion1;
    return { seconds: Float64Array.from(seconds), entries: Float64Array.from(entries), disturbed };
  }
  const path = join(folder, samples.file);
  try {
    const bytes = readFileSync(path);
    if (sha256(bytes) !== samples.sha256) throw new Error('it is not the file that was written');
    return decodeSamples(bytes, callsPerSample);
  } catch (error) {
    throw new UserError(`cannot read the samples ${path}: ${messageOf(error)}`);
  }
}

/**
 * @param file relative to `root`, as a record names it
 * @returns null where there is none
 * @throws UserError when it is no JSON, is of a newer pi-bench, or its samples are missing, altered or cut off
 */
export function readInspection(root: string, file: string): ReadInspection | null {
  const path = join(root, file);
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  let document: InspectionDocument;
  try {
    document = JSON.parse(text) as InspectionDocument;
  } catch (error) {
    throw new UserError(`${path} is damaged: ${messageOf(error)}`);
  }
  if (document?.kind !== 'pi-bench inspection')
    throw new UserError(`${path} is no document of an inspection`);
  if (document.schemaVersion > INSPECTION_VERSION) {
    throw new UserError(
      `${path} has schema version ${document.schemaVersion}; this pi-bench knows up to ${INSPECTION_VERSION}: use a newer pi-bench`,
    );
  }
  return { document, text, file, samples: samplesOf(document, dirname(path)) };
}

/**
 * What lies in a folder of documents from an earlier export of the same campaign and is not written anew. Who loads the folder would
 * load it beside what is: a batch whose outputs have since been found wrong, a launch that no longer counts. Pure.
 */
import type { PiBenchRecord } from '../../record/schema.js';
import { inspectionHash, type ThothFile } from './documents.js';

/** `inspection-a` and `inspection-a/results/0` of `inspection-a/results/0/log`. */
const foldersOf = ({ path }: ThothFile): readonly string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
};

/**
 * @param files that are written now
 * @param namesIn what lies in a folder below that of the documents, by its path there; '': in that itself
 * @returns their paths there
 */
export function leftOver(
  record: PiBenchRecord,
  files: readonly ThothFile[],
  namesIn: (path: string) => readonly string[],
): readonly string[] {
  const written = new Set(files.flatMap(foldersOf));
  const own = new Set(record.batches.map((_, at) => inspectionHash(record, at)));
  const isOwn = (name: string): boolean => own.has(/^inspection-.*-([0-9a-f]{8})$/.exec(name)?.[1] ?? '');
  const launchesIn = (id: string): readonly string[] => {
    const results = `${id}/results`;
    return namesIn(results).map((name) => `${results}/${name}`);
  };
  return namesIn('')
    .filter(isOwn)
    .flatMap((id) => (written.has(id) ? launchesIn(id).filter((path) => !written.has(path)) : [id]))
    .toSorted();
}

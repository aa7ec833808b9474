/** A campaign's folder, or its record, as a report: the edge to the disk. Launches are read one at a time. */
import { dirname } from 'node:path';
import type { PiBenchRecord, RecordBatch, RecordInspection } from '../record/schema.js';
import { readRecord } from '../store/read-record.js';
import { chooseBatches, detailsOf, pointsEach } from './details.js';
import { buildReport, type ReportModel } from './model.js';
import { type ReadLaunch, readLaunch } from './read-samples.js';

/** More would make the page long and heavy; the others are in the table and in the figures of all batches. */
const MOST_DETAILED = 8;
/** Where there are many, the figures of all batches are heavy already. */
const MANY = 24;
const FEW_DETAILED = 5;

export interface ReadReport {
  readonly report: ReportModel;
  readonly record: PiBenchRecord;
  /** Folder of the record. */
  readonly folder: string;
  /** The record as it was read, for whoever wants it whole. */
  readonly recordText: string;
  /** Every launch of every batch, read when it is its turn. */
  readonly allLaunches: () => Iterable<LaunchOfBatch>;
}

export interface LaunchOfBatch {
  /** Of the batch. */
  readonly name: string;
  /** In the campaign, from 1. */
  readonly launch: number;
  readonly status: RecordInspection['status'];
  readonly verified: RecordBatch['verified'];
  readonly found: ReadLaunch;
}

/**
 * @param path record.json or the folder that holds it
 * @throws UserError where there is no record, or one that cannot be read
 */
export function readReport(path: string): ReadReport {
  const { record, path: file, text } = readRecord(path);
  const folder = dirname(file);
  const count = record.batches.length;
  const chosen = new Set(chooseBatches(count, count > MANY ? FEW_DETAILED : MOST_DETAILED));
  const details = record.batches.map((batch, i) =>
    chosen.has(i)
      ? detailsOf(batch, (inspection) => readLaunch(folder, inspection), pointsEach(chosen.size))
      : null,
  );
  const report = buildReport(record, details);
  function* allLaunches(): Iterable<LaunchOfBatch> {
    for (const [i, { inspections }] of record.batches.entries()) {
      const name = report.batches[i]?.name ?? '';
      for (const inspection of inspections) {
        const { index, status, verification } = inspection;
        const verified = verification === null ? 'not-run' : verification.passed ? 'passed' : 'failed';
        yield { name, launch: index + 1, status, verified, found: readLaunch(folder, inspection) };
      }
    }
  }
  return { report, record, folder, recordText: text, allLaunches };
}

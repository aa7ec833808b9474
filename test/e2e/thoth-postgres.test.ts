/** What `score --format thoth` writes, in a real PostgreSQL with Thoth's tables: taken, and the same as in the record. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  matmulFolder,
  piBench,
  readInspectionFile,
  readRecordFile,
  withFolder,
} from '../support/pi-bench.js';
import { type Postgres, startPostgres } from '../support/postgres.js';
import { documentsIn, type SyncedDocument, syncSql, TABLES } from '../support/thoth-sync.js';

const ROWS = `
select inspection_document_id, inspection_result_number, component, origin, p.version, overall_score, exit_code, device,
  matrix_size, dtype, reps, elapsed, rate, ru_utime, ru_maxrss, r.run_requests_cpu, datetime, inspection_sync_state,
  h.cpu_family, h.cpu_model, s.os_version
from pi_matmul p join inspection_run r on r.id = p.inspection_run_id
  join hardware_information h on h.id = r.run_hardware_information_id
  join software_environment s on s.id = r.run_software_environment_id
order by inspection_document_id, inspection_result_number;`;

let server: Postgres | null = null;
let why = '';

beforeAll(() => {
  const started = startPostgres();
  if (typeof started === 'string') why = started;
  else server = started;
});
afterAll(() => server?.stop());

describe('PostgreSQL with Thoth’s schema', () => {
  it('takes what score writes, and gives back what the record says', async ({ skip }) => {
    if (server === null) return skip(why);
    const { query } = server;
    query(TABLES);
    await withFolder(async (folder) => {
      const few = ['--size', '48', '--threads', '1', '--reps', '50', '--inspections', '3', '--warmup', '5'];
      const campaign = await matmulFolder(join(folder, 'results'), ...few);
      const thoth = join(folder, 'thoth');
      const score = ['score', campaign, '--reference-stack', 'embedded', '--format', 'thoth', '--out', thoth];
      expect((await piBench(...score)).code).toBe(0);

      const documents = documentsIn(thoth);
      for (const document of documents) query(syncSql(document));
      const record = readRecordFile(campaign);
      const rows = query(ROWS);
      expect(rows).toHaveLength(3);
      const medians = record.batches[0]?.launches?.medians as readonly number[];
      const machine = record.machine as { readonly cpu: { readonly family: number; readonly model: number } };
      rows.forEach((row, launch) => {
        const { samples, callsPerSample, usage } = readInspectionFile(campaign, launch);
        const seconds = medians[launch] ?? Number.NaN;
        const [id, n, component, origin, version, overall, exit, device, size, dtype, reps, elapsed, rate] =
          row;
        expect(id).toBe(documents[0]?.document_id);
        expect([n, component, origin, version]).toEqual([
          String(launch),
          'embedded',
          'pi-bench://matmul',
          expect.stringMatching(/^\d+\.\d+\.\d+\S*\+\S*threads-1$/),
        ]);
        expect([overall, exit, device, size, dtype]).toEqual(['1', '0', 'cpu', '48', 'float32']);
        expect(Number(reps)).toBe(samples.count * callsPerSample);
        expect(Number(elapsed) / 1e3 / seconds).toBeCloseTo(1, 12);
        expect((Number(rate) * 1e9) / ((2 * 48 ** 3 - 48 ** 2) / seconds)).toBeCloseTo(1, 12);
        const [utime, maxrss, runCpu, created, state, family, model] = row.slice(13);
        expect(Number(utime)).toBe(usage?.userSeconds);
        expect(Number(maxrss)).toBe((usage?.maxResidentBytes ?? 0) / 1024);
        expect(Number(runCpu)).toBe(1);
        expect(Date.parse(`${created?.replace(' ', 'T')}Z`)).toBe(Date.parse(record.campaign.createdAt));
        expect(state).toBe('SYNCED');
        expect([family, model].map(Number)).toEqual([machine.cpu.family, machine.cpu.model]);
      });
      refusesWhatDoesNotFit(query, documents[0] as SyncedDocument);
      // What was refused left nothing behind.
      expect(query(ROWS)).toEqual(rows);
    });
  });
});

/** The tables can say no: otherwise that they take our documents would mean nothing. */
function refusesWhatDoesNotFit(query: Postgres['query'], document: SyncedDocument): void {
  const { result, specification } = document;
  const changed = (more: SyncedDocument['result']): SyncedDocument => ({
    ...document,
    result: { ...result, ...more },
  });
  const parameters = result['@parameters'] as SyncedDocument['result'];
  const one = (more: SyncedDocument['result']) => () => query(syncSql(changed(more)));
  expect(one({ '@parameters': { ...parameters, warmup: 3 } })).toThrow(/"warmup".*does not exist/);
  expect(one({ '@parameters': { ...parameters, reps: 2 ** 31 } })).toThrow(/integer out of range/);
  expect(one({ '@parameters': { ...parameters, reps: null } })).toThrow(/not-null constraint/);
  expect(one({ usage: {} })).toThrow(/not-null constraint/);
  expect(one({ name: 'PiPeak' })).toThrow(/NotRegistered/);
  const bare: SyncedDocument = { ...document, specification: { ...specification, build: { requests: {} } } };
  expect(() => syncSql(bare)).toThrow(/KeyError: hardware/);
}

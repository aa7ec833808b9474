/** The record of what others published. Pure: the moment and the name of the import are passed in. */
import type { PiBenchIdentity } from '../package.js';
import { brokenRules } from '../record/check.js';
import { digestOf } from '../record/digest.js';
import { kpisOf, withSameLabels } from '../record/kpis-of.js';
import { machineLabels } from '../record/labels.js';
import { rateKpis } from '../record/rate-kpis.js';
import { recommended } from '../record/recommendations.js';
import { type PiBenchRecord, RECORD_SCHEMA, SCHEMA_VERSION, written } from '../record/schema.js';
import { importedBatch } from './batch.js';
import { NOT_KNOWN, type Published } from './published.js';

export interface Import {
  readonly id: string;
  /** ISO. */
  readonly at: string;
  readonly command: readonly string[];
  readonly piBench: PiBenchIdentity;
}

/** Their KPIs have names of their own: the same indicator's name would compare what was measured otherwise. */
function kpiDeclarations(format: string, indicator: string) {
  const name = `${format}_${indicator.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;
  return rateKpis(name, `${indicator}, as ${format} published it`, 'flops').filter(
    (kpi) => !kpi.name.endsWith('time_to_result_seconds'),
  );
}

/**
 * @param published at least one batch
 * @throws Error when the record would contradict itself: that is a bug of pi-bench, and nothing must be written then
 */
export function importedRecord(published: Published, { id, at, command, piBench }: Import): PiBenchRecord {
  const { format, machine, measured, notKnown, files, unread } = published;
  let next = 0;
  const batches = published.batches.map((batch) => {
    const made = importedBatch(batch, next);
    next += made.inspections.length;
    return made;
  });
  // No Node.js took part where it was measured.
  const told = machineLabels(machine, piBench, id);
  const architecture = machine.cpu.architecture === NOT_KNOWN ? null : machine.cpu.architecture;
  const labels = { ...told, architecture, node: null, imported: format };
  const timestamp = measured?.to ?? at;
  const record: PiBenchRecord = {
    $schema: RECORD_SCHEMA,
    kind: 'pi-bench record',
    schemaVersion: SCHEMA_VERSION,
    piBench: { ...piBench },
    campaign: {
      id,
      createdAt: at,
      command: [...command],
      seed: null,
      batches: batches.map(({ asked }) => asked),
      fault: null,
    },
    contendedBy: null,
    status: batches.every((batch) => batch.measured === batch.planned) ? 'complete' : 'incomplete',
    machine: JSON.parse(JSON.stringify({ ...machine, runtime: null })) as PiBenchRecord['machine'],
    labels,
    batches,
    kpis: withSameLabels(
      batches.flatMap((batch, index) => {
        // Two tables may have columns of one name.
        const { source = null, table } = batch.imported ?? {};
        const own = { ...labels, source, ...(table === undefined ? {} : { table }) };
        return kpisOf(kpiDeclarations(format, batch.case.indicator), batch, own, {
          timeToResult: 0,
          timestamp,
          index,
        });
      }),
    ),
    ...recommended(batches),
    accounting: null,
    imported: {
      format,
      files: files.map((file) => ({ ...file })),
      notRead: unread.map(({ path, why }) => ({ path, why })),
      notKnown: notKnown.map((one) => ({ ...one })),
      measured,
    },
    digest: '',
  };
  const checked = written.record.parse(record);
  const broken = brokenRules(checked);
  if (broken.length > 0) throw new Error(`the record contradicts itself: ${broken.join('; ')}`);
  return { ...checked, digest: digestOf(checked) };
}

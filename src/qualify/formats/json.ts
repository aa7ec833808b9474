/** The record as it is, and one line for a fleet. */
import type { Judged, VerdictFormat } from './format.js';

export const json: VerdictFormat = {
  name: 'json',
  file: 'qualification.json',
  text: ({ qualification }) => `${JSON.stringify(qualification, null, 1)}\n`,
};

/**
 * A node in one line: verdicts and KPIs without what a reader of thousands does not need. Findings keep their figures, so that
 * a fleet can be searched for them; helps and displays are those of the record’s schema.
 */
export function nodeLine(record: Judged): string {
  const { kpis, qualification, campaign, piBench, digest, labels } = record;
  return JSON.stringify({
    kind: 'pi-bench verdict of a node',
    schemaVersion: 1,
    campaign: campaign.id,
    createdAt: campaign.createdAt,
    piBench,
    recordDigest: digest,
    labels,
    qualification,
    kpis: kpis.flatMap((kpi) =>
      'value' in kpi
        ? [
            {
              name: kpi.name,
              value: kpi.value,
              unit: kpi.unit,
              direction: kpi.direction,
              part: kpi.labels.part ?? null,
              device: kpi.labels.device ?? null,
            },
          ]
        : [],
    ),
  });
}

export const jsonl: VerdictFormat = {
  name: 'jsonl',
  file: 'qualification.jsonl',
  text: (record) => `${nodeLine(record)}\n`,
};

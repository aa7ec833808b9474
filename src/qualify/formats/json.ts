/** The verdict as it is, and a node's line as fleets read it. */
import { dirname } from 'node:path';
import type { RecordInspection } from '../../record/schema.js';
import type { VerdictFormat } from './format.js';

export const json: VerdictFormat = {
  name: 'json',
  file: 'qualification.json',
  text: ({ qualification }) => `${JSON.stringify(qualification, null, 1)}\n`,
};

export const jsonl: VerdictFormat = {
  name: 'jsonl',
  file: 'qualification.jsonl',
  async text(record, path) {
    // Only who asks for a fleet's line waits for what sketches its distributions.
    const [{ nameIn, nodeOf }, { toLine }, { readInspection }] = await Promise.all([
      import('../../fleet/from-record.js'),
      import('../../fleet/node-line.js'),
      import('../../store/read-inspection.js'),
    ]);
    const folder = dirname(path);
    const samples = ({ file }: RecordInspection): Float64Array | null => {
      const seconds = file === null ? undefined : readInspection(folder, file)?.samples.seconds;
      return seconds === undefined || seconds.length === 0 ? null : seconds;
    };
    const { identity } = record.qualification;
    const name = nameIn(record) ?? identity.hostname ?? identity.machine ?? record.campaign.id;
    return toLine(nodeOf(record, name, samples));
  },
};

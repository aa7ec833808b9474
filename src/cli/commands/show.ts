/** `pi-bench show RECORD`: a record, read, checked and printed. */
import type { CommandModule } from 'yargs';
import { readRecord } from '../../store/read-record.js';
import { printRecord } from '../show-end.js';

export const showCommand: CommandModule = {
  command: 'show <record>',
  describe: 'Print a record (record.json or its campaign’s folder)',
  builder: (yargs) =>
    yargs
      .positional('record', {
        type: 'string',
        describe: 'record.json, or the folder that holds it',
        demandOption: true,
      })
      .option('json', { type: 'boolean', describe: 'Print it as JSON' })
      .option('verbose', { type: 'boolean', describe: 'Every KPI, too, with its name' })
      .example([
        ['$0 show results/20261121T080000Z-matmul-1f2e3d', 'the result, as at the end of the campaign'],
        ['$0 show record.json --json | jq .kpis', 'its KPIs'],
      ]),
  handler: async ({ record, json, verbose }) => {
    const read = readRecord(String(record), { only: true });
    await printRecord(read.record, read.path, { json: json === true, verbose: verbose === true });
  },
};

/** `pi-bench import FORMAT PATH`: what others published becomes a campaign's results, for show and the other readers. */
import { join, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors.js';
import { toLine } from '../../fleet/node-line.js';
import { findFiles } from '../../import/files.js';
import { findImportFormat, importFormats, type NodesFormat, type RecordFormat } from '../../import/index.js';
import type { Unread } from '../../import/published.js';
import { importedRecord } from '../../import/record.js';
import { identity } from '../../package.js';
import { plural } from '../../quantities/format.js';
import { openStore } from '../../store/store.js';
import { makeCampaignId } from '../create-campaign.js';
import { writeText } from '../print-text.js';
import { say } from '../say.js';
import { printRecord } from '../show-end.js';

const MOST_NAMED = 10;

function sayUnread(unread: readonly Unread[]): void {
  for (const { path, why, damaged } of unread) {
    say(`${damaged ? 'could not import' : 'left out'} ${path}: ${why}`);
  }
}

/** A few: the record lists them all, which lines of nodes do not. */
function sayUnreadOfRecord(unread: readonly Unread[]): void {
  sayUnread(unread.slice(0, MOST_NAMED));
  if (unread.length > MOST_NAMED) {
    say(`... and ${plural(unread.length - MOST_NAMED, 'file')} more; the record lists them`);
  }
}

/** Many nodes are lines in one file, which `fleet` reads. */
function importNodes({ name, read }: NodesFormat, path: string, out: string, json: boolean): void {
  const { nodes, unread } = read(findFiles(path));
  const text = nodes.map(toLine).join('');
  const file = join(resolve(out), `${makeCampaignId(name, new Date().toISOString())}.jsonl`);
  writeText(file, text);
  sayUnread(unread);
  process.stdout.write(json ? text : `${file}: ${plural(nodes.length, 'node')}\n`);
  process.exitCode = unread.some((one) => one.damaged) ? EXIT.incomplete : EXIT.done;
}

async function importFrom(format: string, path: string, out: string, json: boolean): Promise<void> {
  const chosen = findImportFormat(format);
  if (chosen.kind === 'nodes') importNodes(chosen, path, out, json);
  else await importRecord(chosen, path, out, json);
}

async function importRecord(
  { name: format, read }: RecordFormat,
  path: string,
  out: string,
  json: boolean,
): Promise<void> {
  const published = read(findFiles(path));
  const at = new Date().toISOString();
  const id = makeCampaignId(format, at);
  const command = process.argv.slice(2);
  const record = importedRecord(published, { id, at, command, piBench: identity() });
  const store = openStore(join(resolve(out), id), id, ({ from, to, why }) =>
    say(`cannot write to ${from} (${why}); the record goes to ${to}`),
  );
  const file = store.writeRecord(record);
  sayUnreadOfRecord(published.unread);
  await printRecord(record, file, { json });
  const failed = record.batches.some(({ inspections }) =>
    inspections.some(({ status }) => status !== 'measured'),
  );
  const damaged = published.unread.some((one) => one.damaged);
  process.exitCode = failed || damaged ? EXIT.incomplete : EXIT.done;
}

export const importCommand: CommandModule = {
  command: 'import <format> <path>',
  describe: 'Results of others, as a campaign of ours or as nodes of a fleet',
  builder: (yargs) =>
    yargs
      .positional('format', {
        type: 'string',
        describe: importFormats.map(({ name, summary }) => `${name}: ${summary}`).join('; '),
        demandOption: true,
      })
      .positional('path', {
        type: 'string',
        describe: 'A document, a table, or a folder of them',
        demandOption: true,
      })
      .option('out', {
        type: 'string',
        describe: 'Folder in which the campaign, or the file of nodes, gets its place, also with --json',
        default: 'results',
      })
      .option('json', {
        type: 'boolean',
        describe: 'Print the record, or the nodes, on stdout and nothing else there',
      })
      .example([
        ['$0 import thoth inspections', 'every inspection below a folder, a batch each'],
        ['$0 import thoth test1_describe_512_reps.csv', 'the published repetition study'],
        ['$0 import superbench results-summary.jsonl', 'nodes for pi-bench fleet'],
        ['$0 import dcgm diag/', 'a file of dcgmi diag -j for each node'],
        ['$0 import nccl-tests nccl/', 'a file of all_reduce_perf for each node'],
      ]),
  handler: ({ format, path, out, json }) =>
    importFrom(String(format), String(path), String(out), json === true),
};

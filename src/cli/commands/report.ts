/** `pi-bench report RESULTS`: a campaign as a page, as pictures or as tables. Reads what is on disk; measures nothing. */
import { dirname } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, UserError } from '../../errors.js';
import { plural, significant } from '../../quantities/format.js';
import type { WrittenTrace } from '../../readers/trace/write.js';
import { damageText } from '../../report/damage.js';
import { formats } from '../../report/formats/index.js';
import { readReport } from '../../report/read-report.js';
import { placeOf, type Written, writeReport } from '../../report/write.js';
import { destinationOf } from '../../store/atomic.js';
import { openPage } from '../open-page.js';
import { say } from '../say.js';
import { writeTraceOf } from '../write-trace-of.js';

interface Options {
  readonly format: string;
  readonly out: string | null;
  readonly open: boolean;
  readonly samples: boolean;
  /** File of a trace beside it; null: none. */
  readonly trace: string | null;
}

const sizeText = (bytes: number): string =>
  bytes >= 1e6 ? `${significant(bytes / 1e6, 3)} MB` : `${significant(bytes / 1e3, 3)} kB`;

function tell(written: readonly Written[]): void {
  const [first] = written;
  // Behind what went to /dev/stdout the line would be a part of it.
  if (first === undefined || !destinationOf(first.path).isFile) return;
  const bytes = sizeText(written.reduce((sum, file) => sum + file.bytes, 0));
  const text =
    written.length === 1
      ? `${first.path} (${bytes})`
      : `${plural(written.length, 'file')} in ${dirname(first.path)} (${bytes})`;
  process.stdout.write(`${text}\n`);
}

async function report(path: string, { format: name, out, open, samples, trace }: Options): Promise<void> {
  const format = formats.find((one) => one.name === name);
  if (format === undefined) throw new UserError(`there is no format ${name}`);
  if (samples && name !== 'csv') throw new UserError('--samples goes with --format csv');
  if (open && name !== 'html') throw new UserError('--open goes with --format html');
  const read = readReport(path);
  for (const { name: batch, details } of read.report.batches) {
    const [first, ...others] = details?.missing ?? [];
    if (first === undefined) continue;
    const more =
      others.length === 0 ? '' : `; ${plural(others.length, 'launch', 'launches')} more cannot be shown`;
    say(`${batch}: launch ${first.launch} ${first.why}${more}`);
  }
  if (damageText(read.report.batches) !== null) process.exitCode = EXIT.incomplete;
  const place = placeOf(format, out, read.folder);
  let leftOut = false;
  const warn = (line: string): void => {
    leftOut = true;
    say(line);
    process.exitCode = EXIT.incomplete;
  };
  const written = await writeReport(format, { read, samples, warn }, place);
  if (written.length === 0 && place.kind === 'folder' && !leftOut)
    throw new UserError(`${path} has nothing to write as ${name}: nothing was measured`);
  tell(written);
  const [page] = written;
  if (open && page !== undefined && !(await openPage(page.path))) {
    say(`no program here opens a page: open ${page.path} in a browser`);
  }
  if (trace !== null) tellTrace(await writeTraceOf(read, trace));
}

function tellTrace({ path, launches, repetitions, oneByOne }: WrittenTrace): void {
  const reduced = oneByOne < repetitions ? `, ${oneByOne} of them one by one` : '';
  const counts = `${plural(launches, 'launch', 'launches')}, ${plural(repetitions, 'repetition')}${reduced}`;
  say(`trace: ${path} (${counts}): open it at ui.perfetto.dev`);
}

export const reportCommand: CommandModule = {
  command: 'report <record>',
  describe: 'A campaign as one self-contained page, or as Markdown, pictures, tables',
  builder: (yargs) =>
    yargs
      .positional('record', {
        type: 'string',
        describe: 'The campaign’s results folder, or its record.json',
        demandOption: true,
      })
      .option('format', {
        type: 'string',
        choices: formats.map(({ name }) => name),
        default: 'html',
        describe:
          'html: one page with everything in it; svg: a picture of each figure; csv: a row for each batch',
      })
      .option('out', {
        type: 'string',
        describe: 'File or folder; a name without an ending that is not there yet is a folder',
        defaultDescription: 'report.html or figures/ beside the record; stdout for all other formats',
      })
      .option('samples', {
        type: 'boolean',
        describe:
          'With csv: a row for each repetition of every launch, also of those that do not count (status, verified)',
      })
      .option('trace', {
        type: 'string',
        describe:
          'Beside the report, write a trace that Perfetto and chrome://tracing open (.json or .json.gz)',
      })
      .option('open', { type: 'boolean', describe: 'Open the page in a browser' })
      .example([
        ['$0 report results/20261121T080000Z-matmul-1f2e3d --open', 'the page, in a browser'],
        ['$0 report record.json --format svg --out pictures', 'every figure as a file'],
        ['$0 report record.json --trace trace.json.gz', 'and a trace of launches, phases, repetitions'],
        ['$0 report record.json --format csv --samples > samples.csv', 'all repetitions as a table'],
      ]),
  handler: async ({ record, format, out, open, samples, trace }) => {
    await report(String(record), {
      format: String(format),
      out: out === undefined ? null : String(out),
      open: open === true,
      samples: samples === true,
      trace: trace === undefined ? null : String(trace),
    });
  },
};

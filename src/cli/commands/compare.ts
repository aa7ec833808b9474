/** `pi-bench compare A B`: which is faster, and is the difference real? Reads records; measures nothing. */
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors.js';
import { identity } from '../../package.js';
import { parseShare } from '../../quantities/parse.js';
import { compareRecords } from '../../readers/comparison/comparison.js';
import type { ComparisonDocument, Outcome, Question } from '../../readers/comparison/document.js';
import { renderComparison } from '../../readers/terminal/comparison.js';
import { askedFormat } from '../asked-format.js';
import { printText, styleFor } from '../print-text.js';
import { listOf, readNamed } from '../read-named.js';

const EXIT_OF: Readonly<Record<Outcome, number>> = {
  faster: EXIT.done,
  same: EXIT.done,
  slower: EXIT.answerIsNo,
  'cannot tell': EXIT.incomplete,
  'not measured': EXIT.incomplete,
  'wrong output': EXIT.wrongResult,
};

const FORMATS = ['text', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

/** @param out where it goes; null: stdout */
async function textOf(document: ComparisonDocument, format: Format, out: string | null): Promise<string> {
  if (format === 'json') return `${JSON.stringify(document, null, 1)}\n`;
  if (format === 'text') return `${renderComparison(document, styleFor(out))}\n`;
  // Only a page that is made loads what draws.
  const [{ comparisonPageHtml }, { renderSvg }] = await Promise.all([
    import('../../report/page/comparison-page.js'),
    import('../../report/render.js'),
  ]);
  return comparisonPageHtml(document, identity().version, renderSvg);
}

/** @param out null: stdout */
async function compare(
  paths: readonly string[],
  question: Question,
  format: Format,
  out: string | null,
): Promise<void> {
  const document = compareRecords(readNamed(paths), question);
  const text = await textOf(document, format, out);
  printText(text, out);
  process.exitCode = EXIT_OF[document.answer];
}

export const compareCommand: CommandModule = {
  command: 'compare <records..>',
  describe: 'Which campaign, stack or setting is faster, and whether the difference is real',
  builder: (yargs) =>
    yargs
      .positional('records', {
        type: 'string',
        array: true,
        describe: 'Campaign folders or their record.json; the first is the reference',
        demandOption: true,
      })
      .option('by', {
        type: 'string',
        describe: 'What is compared: record, stack, or any label, such as threads',
        defaultDescription: 'record; within one record its stacks, or the one label that differs',
      })
      .option('reference', {
        type: 'string',
        describe: 'Name of the side that the others are compared with',
        defaultDescription: 'the first',
      })
      .option('margin', {
        type: 'string',
        describe: 'Differences below this do not matter: "same within"',
        defaultDescription: 'what the launches of each case were to settle, or 2%',
      })
      .option('across', {
        type: 'string',
        describe: 'Labels that may differ although they change the speed: pibench_version,kernel',
      })
      .option('force', {
        type: 'boolean',
        describe: 'Compare what is not comparable, or was never verified; the output says so',
      })
      .option('format', { choices: FORMATS, describe: 'html: a page with a figure', default: 'text' })
      .option('out', { type: 'string', describe: 'File to write it to', defaultDescription: 'stdout' })
      .option('json', {
        type: 'boolean',
        describe: 'The comparison on stdout as JSON and nothing else there',
      })
      .example([
        ['$0 compare results/before results/after', 'is the second faster than the first?'],
        ['$0 compare results/stacks', 'the stacks inside one campaign, in groups that cannot be told apart'],
        ['$0 compare results/sweep --by threads --margin 2%', 'any label, and what still counts as the same'],
        ['$0 compare results/stacks --format html --out stacks.html', 'a page to send around'],
        ['$0 compare old new --across pibench_version,pibench_commit', 'two versions of pi-bench'],
      ])
      .epilogue(
        'Exit codes: 0 the same or faster, 1 slower, 2 these launches cannot tell, or not all could be compared, 3 an output was wrong, 64 not comparable',
      ),
  handler: async ({ records, by, reference, margin, across, force, json, format, out }) => {
    await compare(
      (records as readonly unknown[]).map(String),
      {
        by: by === undefined ? null : String(by),
        reference: reference === undefined ? null : String(reference),
        margin: margin === undefined ? null : parseShare(String(margin), '--margin'),
        across: listOf(across),
        force: force === true,
      },
      askedFormat(String(format) as Format, json === true),
      out === undefined ? null : String(out),
    );
  },
};

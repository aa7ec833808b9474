/** `pi-bench history RESULTS`: is the newest campaign as fast as those before it, and where did it change? Measures nothing. */
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors.js';
import { identity } from '../../package.js';
import { parseCount, parseShare } from '../../quantities/parse.js';
import type { HistoryDocument, HistoryOutcome } from '../../readers/history/document.js';
import { HISTORY_MARGIN, historyOf } from '../../readers/history/history.js';
import { renderHistory } from '../../readers/terminal/history.js';
import { askedFormat } from '../asked-format.js';
import { printText, styleFor } from '../print-text.js';
import { readHistory } from '../read-history.js';
import { listOf } from '../read-named.js';

const EXIT_OF: Readonly<Record<HistoryOutcome, number>> = {
  faster: EXIT.done,
  same: EXIT.done,
  slower: EXIT.answerIsNo,
  'cannot tell': EXIT.incomplete,
  new: EXIT.incomplete,
  'not measured': EXIT.incomplete,
  'wrong output': EXIT.wrongResult,
};

const FORMATS = ['text', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

/** Where campaigns are written to unless --out names another place. */
const RESULTS = 'results';
const MOST_TOGETHER = 100;

/** @param out where it goes; null: stdout */
async function textOf(document: HistoryDocument, format: Format, out: string | null): Promise<string> {
  if (format === 'json') return `${JSON.stringify(document, null, 1)}\n`;
  if (format === 'text') return `${renderHistory(document, styleFor(out))}\n`;
  // Only a page that is made loads what draws.
  const [{ historyPageHtml }, { renderSvg }] = await Promise.all([
    import('../../report/page/history-page.js'),
    import('../../report/render.js'),
  ]);
  return historyPageHtml(document, identity().version, renderSvg);
}

export const historyCommand: CommandModule = {
  command: 'history [records..]',
  describe: 'Is the newest campaign as fast as those before it, and where did the speed change?',
  builder: (yargs) =>
    yargs
      .positional('records', {
        type: 'string',
        array: true,
        describe: 'Folders of campaigns, or single campaigns, in any order',
        default: [],
        defaultDescription: 'results',
      })
      .option('of', {
        type: 'string',
        describe: 'The campaign that is judged, by those before it',
        defaultDescription: 'the newest',
      })
      .option('together', {
        type: 'string',
        describe: 'Judge the newest so many campaigns of each case as one: several tell more than one',
        default: '1',
      })
      .option('margin', {
        type: 'string',
        describe: 'Changes below this do not matter: "same within"',
        default: `${100 * HISTORY_MARGIN}%`,
      })
      .option('across', {
        type: 'string',
        describe:
          'What may differ within one history, where each machine or setting would have its own: machine',
      })
      .option('all', {
        type: 'boolean',
        describe: 'Show also the cases that the judged campaign does not have',
      })
      .option('format', {
        choices: FORMATS,
        describe: 'html: a page with a figure of each case',
        default: 'text',
      })
      .option('out', {
        type: 'string',
        alias: 'o',
        describe: 'File to write it to',
        defaultDescription: 'stdout',
      })
      .option('json', { type: 'boolean', describe: 'The history on stdout as JSON and nothing else there' })
      .example([
        ['$0 history', 'the newest campaign below results, by all before it'],
        ['$0 history nightly --margin 3%', 'what a nightly run asks: exit 1 where something got slower'],
        ['$0 history nightly --together 3', 'three nights against those before them'],
        ['$0 history nightly --format html -o history.html', 'a page to send around'],
      ])
      .epilogue(
        'Exit codes: 0 as fast as before, or faster, 1 something is slower, 2 these campaigns cannot tell, there are none before, or something was not measured, 3 an output was wrong, 64 bad usage',
      ),
  handler: async ({ records: given, of, together, margin, across, all, json, format, out }) => {
    const named = (given as readonly unknown[]).map(String);
    const { records, judged, unreadable } = readHistory(
      named.length === 0 ? [RESULTS] : named,
      of === undefined ? null : String(of),
    );
    const question = {
      margin: parseShare(String(margin), '--margin'),
      together: parseCount(String(together), '--together', MOST_TOGETHER),
      across: listOf(across),
      all: all === true,
    };
    const document = historyOf(records, judged, question, unreadable);
    const place = out === undefined ? null : String(out);
    printText(await textOf(document, askedFormat(String(format) as Format, json === true), place), place);
    process.exitCode = EXIT_OF[document.answer];
  },
};

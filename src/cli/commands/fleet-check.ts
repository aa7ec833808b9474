/** `pi-bench fleet check NODES...`: which nodes stand out, why, and what to do. Reads results; measures nothing. */
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors.js';
import { heldAgainst } from '../../fleet/baseline-centres.js';
import { checkFleet, type FleetCheck, judgingOf } from '../../fleet/check.js';
import { judgeOnThreads, threadsToJudge } from '../../fleet/judge-threads.js';
import { warnedTexts } from '../../fleet/notes.js';
import { openMetrics } from '../../fleet/open-metrics.js';
import type { Fleet } from '../../fleet/table.js';
import { identity } from '../../package.js';
import { readBaseline } from '../../qualify/read-baseline.js';
import { printable } from '../../readers/printable.js';
import { renderFleetCheck } from '../../readers/terminal/fleet.js';
import type { Style } from '../../readers/terminal/style.js';
import { type Row, renderRows } from '../../readers/terminal/table.js';
import { askedFormat } from '../asked-format.js';
import { readOneKind, scaleOf, withAcross, withMargin, withNodes } from '../fleet-options.js';
import { printText, styleFor } from '../print-text.js';
import { listOf } from '../read-named.js';

const FORMATS = ['text', 'json', 'html', 'openmetrics'] as const;
type Format = (typeof FORMATS)[number];

const EXIT_OF: Readonly<Record<FleetCheck['outcome'], number>> = {
  pass: EXIT.done,
  fail: EXIT.answerIsNo,
  inconclusive: EXIT.incomplete,
};

const MOST_ROWS = 5;

/** What is told beside the judgement; nothing: there is none. */
function besideText({ warned, notes }: FleetCheck, style: Style): string {
  const rowsOf = (name: string, texts: readonly string[]): readonly Row[] => [
    ...texts.slice(0, MOST_ROWS).map((text, i): Row => [i === 0 ? name : '', text]),
    ...(texts.length > MOST_ROWS ? [['', `and ${texts.length - MOST_ROWS} more`] as Row] : []),
  ];
  const rows = [...rowsOf('warned', printable(warnedTexts(warned))), ...rowsOf('note', printable(notes))];
  return rows.length === 0 ? '' : `\n${renderRows(rows, style)}\n`;
}

/** @param place where it goes; null: stdout */
async function textOf(
  fleet: Fleet,
  check: FleetCheck,
  format: Format,
  place: string | null,
): Promise<string> {
  if (format === 'text') {
    const style = styleFor(place);
    return `${renderFleetCheck(check, style)}\n${besideText(check, style)}`;
  }
  if (format === 'openmetrics') return openMetrics(fleet, check, Date.now());
  if (format === 'json') {
    return `${JSON.stringify({ kind: 'pi-bench fleet check', schemaVersion: 1, piBench: identity(), ...check }, null, 1)}\n`;
  }
  // Only a page that is made loads what draws.
  const [{ fleetPageHtml }, { renderSvg }] = await Promise.all([
    import('../../report/page/fleet-page.js'),
    import('../../report/render.js'),
  ]);
  return fleetPageHtml(fleet, check, identity().version, renderSvg);
}

export const fleetCheckCommand: CommandModule = {
  command: 'check [nodes..]',
  describe: 'Which nodes stand out from their fleet, why, and what to do',
  builder: (yargs) =>
    withMargin(withAcross(withNodes(yargs)))
      .option('baseline', {
        type: 'string',
        describe: 'File of fleet baseline to hold the nodes against',
        defaultDescription: 'against each other, three or more',
      })
      .option('format', {
        choices: FORMATS,
        default: 'text',
        describe: 'html: a page with violins of the named nodes beside their fleet',
      })
      .option('out', {
        type: 'string',
        alias: 'o',
        describe: 'File to write it to',
        defaultDescription: 'stdout',
      })
      .option('json', { type: 'boolean', describe: 'The check on stdout as JSON and nothing else there' })
      .example([
        ['$0 fleet check results/*/', 'the nodes against each other'],
        ['$0 fleet check nodes.jsonl --baseline fleet.json', 'against what their kind reaches'],
        ['$0 fleet check nodes.jsonl --format html -o fleet.html', 'a page to send around'],
      ])
      .epilogue(
        'Exit codes: 0 no node stands out, 1 some are worse or wrong, 2 some are lost, a check of their own is open, or not everything could be judged, 64 no fleet, or a mixed one',
      ),
  handler: async ({ nodes, across, margin, baseline, format, json, out }) => {
    const asked = askedFormat(String(format) as Format, json === true);
    const scale = scaleOf(margin);
    const known = baseline === undefined ? null : readBaseline(String(baseline));
    const fleet = await readOneKind(nodes, across);
    const options = { scale, baseline: known === null ? null : heldAgainst(known, fleet, listOf(across)) };
    const task = judgingOf(fleet, options);
    const check = checkFleet(fleet, options, await judgeOnThreads(task, threadsToJudge(task)));
    const place = out === undefined ? null : String(out);
    printText(await textOf(fleet, check, asked, place), place);
    process.exitCode = EXIT_OF[check.outcome];
  },
};

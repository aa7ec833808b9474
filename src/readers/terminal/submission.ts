/** A submission for a person: each node by name, how it ended, and why where it did not end well. */
import { countsText } from '../../qualify/wording.js';
import { plural, withPrefix } from '../../quantities/format.js';
import type { PiBenchRecord } from '../../record/schema.js';
import {
  chosenTwice,
  type NodeStatus,
  type NodeSummary,
  type SubmissionSummary,
} from '../../submit/summary.js';
import { printable } from '../printable.js';
import type { Style } from './style.js';
import { type Row, renderRows } from './table.js';

const WORDS: Readonly<Record<NodeStatus, string>> = {
  done: 'done',
  no: 'the answer is no',
  wrong: 'WRONG RESULT',
  incomplete: 'incomplete',
  refused: 'measured nothing',
  lost: 'LOST',
  running: 'still runs',
};

function statusText(status: NodeStatus, style: Style): string {
  if (status === 'done') return style.good(WORDS[status]);
  if (status === 'running') return WORDS[status];
  return status === 'incomplete' ? style.warn(WORDS[status]) : style.bad(WORDS[status]);
}

/** What was measured, in a few words: the rate of the only batch, or how many there are; flags by their names. */
function measuredText({ batches }: PiBenchRecord): string {
  const [only, ...others] = batches;
  const rate = others.length === 0 ? only?.rate : null;
  const rates =
    rate == null || rate.median === 0
      ? plural(batches.length, 'batch', 'batches')
      : withPrefix(rate.median, only?.rateUnit ?? '');
  const flags = [...new Set(batches.flatMap((batch) => batch.flags.map(({ name }) => name)))];
  return flags.length === 0 ? rates : `${rates}, flagged: ${flags.join(', ')}`;
}

/** A look without load measures nothing: there its checks are all that it is about. */
function recordText(record: PiBenchRecord): string {
  const { batches, qualification } = record;
  if (qualification === undefined) return measuredText(record);
  const verdict = `${qualification.outcome.replaceAll('-', ' ')}, ${countsText(qualification)}`;
  return batches.length === 0 ? verdict : `${verdict}; ${measuredText(record)}`;
}

function nodeRow(node: NodeSummary, record: PiBenchRecord | undefined, style: Style): Row {
  const earlier = node.lostAttempts.filter(
    (_, i) => node.status !== 'lost' || i < node.lostAttempts.length - 1,
  );
  const parts = [
    statusText(node.status, style),
    ...(record === undefined ? [] : [recordText(record)]),
    ...(node.reason === null ? [] : [node.reason]),
    ...earlier.map(({ attempt, reason }) => `attempt ${attempt} was lost: ${reason ?? 'no reason known'}`),
  ];
  const [status, ...rest] = parts;
  return [node.node ?? node.target, `${status}${rest.length === 0 ? '' : `  ${rest.join('; ')}`}`];
}

/** `2 done, 1 lost`. */
function statusesText(nodes: readonly NodeSummary[]): string {
  const statuses = [...new Set(nodes.map(({ status }) => status))];
  return statuses
    .map(
      (status) => `${nodes.filter((node) => node.status === status).length} ${WORDS[status].toLowerCase()}`,
    )
    .join(', ');
}

/**
 * @param records by the node's target, as far as they came
 * @param folder of the submission
 */
export function renderSubmission(
  { command, scheduler, nodes }: SubmissionSummary,
  records: ReadonlyMap<string, PiBenchRecord>,
  folder: string,
  style: Style,
): string {
  const rows = nodes.map((node) => nodeRow(printable(node), printable(records.get(node.target)), style));
  const repeated = chosenTwice(nodes);
  return [
    `${style.bold(`pi-bench ${command.join(' ')}`)}  on ${plural(nodes.length, 'node')} by ${scheduler}`,
    '',
    renderRows(rows, style),
    '',
    ...(repeated.length === 0
      ? []
      : [`  ${repeated.join(', ')} had more than one turn: another node had none`]),
    renderRows(
      [
        ['in all', statusesText(nodes)],
        ['results', folder],
      ],
      style,
    ),
    '',
  ].join('\n');
}

/** Overlap for a person: what hides of the communication, what could, and who pays for it. */
import { briefBytes, formatSeconds, formatShare, significant } from '../../quantities/format.js';
import { gainOf, mostHiddenOf, slowedOf } from '../../record/overlap-kpis.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import type { Row } from './table.js';

const NONE = '–';
const OPTIONAL = ['gain', 'collective slowed', 'matmul slowed', '95 %'];
const VERIFIED = 'the collective in every repetition, the products that were made beside it';
const COUNTED =
  'hidden: (matmul alone + collective alone - both at once) / collective alone, at most what matmul alone / collective alone allows; below 0: at once takes longer than one after the other. gain: how many times faster both at once are. slowed: time beside the other / alone. All of the slowest rank, in the same repetitions, in an order drawn anew in each.';
/** Why the shares need not be those of the times beside them. */
const PAIRED = 'hidden, at most, gain and slowed are medians of what each repetition says by its own times';

const percent = (value: number): string => formatShare(value, 3);
const times = (value: number | undefined): string =>
  value === undefined ? NONE : `${significant(value, 3)}x`;

const intervalText = (interval: { readonly low: number; readonly high: number } | null): string =>
  interval === null ? NONE : `${percent(interval.low)} to ${percent(interval.high)}`;

/** Why nothing much can hide: the threads that communicate have no CPUs of their own. */
const isCrowded = ({ flags }: RecordBatch): boolean => flags.some(({ name }) => name === 'crowded');

/** Records from before it was so have them of the medians of the times. */
const isPaired = ({ overlap }: RecordBatch): boolean => overlap?.gain !== undefined;

/** Of one case, for its page. */
export function overlapRows(batch: RecordBatch, style: Style): Row[] {
  const { overlap, elapsed } = batch;
  const [gain, slowed] = [gainOf(batch), slowedOf(batch)];
  if (overlap === undefined || elapsed === null || gain === null || slowed === null) return [];
  const { interval, hidden, compute, communicate } = overlap;
  const most = mostHiddenOf(overlap);
  // Not by the medians of the times, of which the one may say what the other does not.
  const bySelf = isPaired(batch) ? ', as each repetition’s own times say' : '';
  const between =
    interval === null
      ? ''
      : `  ${Math.round(interval.level * 100)} % between ${percent(interval.low)} and ${percent(interval.high)}`;
  return [
    ['hidden', `${style.bold(percent(hidden))} of the communication${between}`],
    [
      '',
      style.dim(
        `at most ${percent(most)} could: the product is ${most < 1 ? 'shorter' : 'no shorter'} than the collective${bySelf}`,
      ),
    ],
    [
      'alone',
      `matmul ${formatSeconds(compute)}, collective ${formatSeconds(communicate)}: ${formatSeconds(compute + communicate)} one after the other`,
    ],
    ['at once', formatSeconds(elapsed.median)],
    ['gain', `${times(gain)} as fast at once as one after the other`],
    ['slowed', `matmul takes ${times(slowed.compute)} its time, the collective ${times(slowed.communicate)}`],
    ...(isPaired(batch) ? ([['', style.dim(PAIRED)]] as Row[]) : []),
    ...(isCrowded(batch)
      ? ([
          [
            'CPUs',
            style.warn('too few for a thread that communicates beside those that compute: they take turns'),
          ],
        ] as Row[])
      : []),
  ];
}

function cellsOf(batch: RecordBatch, style: Style): readonly Cell[] {
  const { overlap, elapsed, case: one } = batch;
  const [gain, slowed] = [gainOf(batch), slowedOf(batch)];
  const right = (head: string, text: string): Cell => ({ head, align: 'right', text });
  const { operation, bytes, size, ranks, threads } = one.parameters;
  return [
    { head: 'collective', align: 'left', text: `${operation} ${briefBytes(Number(bytes))}` },
    right('matmul', `${size} ${one.parameters.dtype}`),
    right('threads', threads === undefined ? `${ranks} GPUs` : `${ranks} x (${threads} + 1)`),
    right('matmul alone', overlap === undefined ? NONE : formatSeconds(overlap.compute, 3)),
    right('coll. alone', overlap === undefined ? NONE : formatSeconds(overlap.communicate, 3)),
    right('at once', elapsed === null ? NONE : formatSeconds(elapsed.median, 3)),
    right('hidden', overlap === undefined ? NONE : style.bold(percent(overlap.hidden))),
    right('95 %', overlap === undefined ? NONE : intervalText(overlap.interval)),
    right('at most', overlap === undefined ? NONE : percent(mostHiddenOf(overlap))),
    right('gain', times(gain ?? undefined)),
    right('matmul slowed', times(slowed?.compute)),
    right('collective slowed', times(slowed?.communicate)),
  ];
}

/** @param record of batches of overlap only, more than one */
export function renderOverlap({ batches }: PiBenchRecord, style: Style): string {
  const [first] = batches;
  if (first === undefined) return '';
  const head = `${style.bold('overlap of matmul and a collective')}  ${style.dim(`${first.stack.provider}, ${first.device}`)}`;
  const told = batches.filter(({ overlap }) => overlap !== undefined);
  const counted = told.every(isPaired)
    ? `${COUNTED} ${PAIRED}; the times are medians by themselves.`
    : COUNTED;
  const crowded = batches.filter(isCrowded).length;
  const paragraphs = [
    verifiedText(batches, VERIFIED, style),
    ...failedText(batches, style),
    ...precisionText(batches, style),
    flagsText(batches, style),
    ...(crowded === 0
      ? []
      : [
          style.warn(
            `in ${crowded} of ${batches.length} cases there are too few CPUs for a thread that communicates beside those that compute: they take turns`,
          ),
        ]),
    ...notCheckedText(batches).map(style.dim),
  ];
  return [
    ...wrap(head, style.width),
    '',
    renderFitting(
      batches.map((batch) => cellsOf(batch, style)),
      { optional: OPTIONAL, shortened: '', atLast: ['threads', 'matmul'] },
      style,
    ),
    '',
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
    '',
    ...wrap(counted, style.width - 2).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}

/** Collectives for a person: nccl-tests' columns with what it does not have beside them, and what the sizes tell. */
import { movesNothing, readCollective } from '../../indicators/collective-cases.js';
import { briefBytes, formatShare, plural, significant } from '../../quantities/format.js';
import { busRateOf, elementsOf, p99Of, shareOfCeiling } from '../../record/collective-kpis.js';
import { executedByAll, executedTexts } from '../../record/executed.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { doesNoWork } from '../../record/work.js';
import { nameBatches } from '../batch-names.js';
import { lackingText } from '../huge-pages.js';
import { uncertaintyText } from './basis.js';
import { fitTexts } from './collective-fit.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { leaningOn } from './leaning.js';
import { scalingRows } from './scaling.js';
import { stragglerText } from './stragglers.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import { renderRows } from './table.js';

const NONE = '–';
const MICRO = 1e-6;
const GIGA = 1e9;
/** Left out from the last to the first where a terminal is too narrow for all. */
const OPTIONAL = ['root', 'redop', 'type', 'count', 'algorithm', 'skew', 'p99'];
const VERIFIED = 'some elements in every repetition, all of two; data that no sum rounds';
const VERIFIED_LAST =
  'some elements of the last call in every repetition, all of two and of four on new data; data that no sum rounds';
const VERIFIED_BARRIER = 'nobody left before the last came; ranks held back in turn';
const COUNTED =
  'time: of the slowest rank, µs, median; skew: from the first to the last rank that left; of ceiling: time that passes over memory, measured in the same launches, take for the bytes that the algorithm moves / time. algbw: size / time, busbw: that times nccl-tests’ factor, GB/s.';
const DIRECT =
  ' Shared memory reaches the other ranks’ buffers directly, which MPI’s private ones do not allow.';
const ALONE = ' One rank copies to itself: no bus is used, so there is no busbw.';
const ALONE_IN_PLACE =
  ' One rank in place has nothing to move: its time is that of a call that need not do anything, and has no rate.';

const parameter = ({ case: { parameters } }: RecordBatch, name: string): string => String(parameters[name]);

/** What all of them have; '' where they differ: the rows say that. */
function shared(batches: readonly RecordBatch[], textOf: (batch: RecordBatch) => string): string {
  const [text = '', ...others] = new Set(batches.map(textOf));
  return others.length === 0 ? text : '';
}
const micros = (seconds: number | null | undefined): string =>
  typeof seconds === 'number' ? significant(seconds / MICRO, 4) : NONE;

/** What the launches said they executed, after the instruction set: `direct`, or `direct/ring` where they chose differently. */
const algorithmOf = ({ stack }: RecordBatch): string => {
  const names = executedTexts(stack.implementation).flatMap(
    (text) => /(?:chose |, )([\w-]+)$/.exec(text)?.[1] ?? [],
  );
  return names.length === 0 ? NONE : [...new Set(names)].join('/');
};

/** As far as all launches say the same, without the algorithm, which has a column: the library of MPI, or our instruction set. */
function executedText(batches: readonly RecordBatch[]): string {
  const told = batches
    .flatMap(({ stack }) => executedTexts(stack.implementation))
    .map((text) => text.replace(/, (chose )?[\w-]+$/, ''));
  if (told.length === 0) return shared(batches, ({ stack }) => stack.variant ?? '');
  const [first = [], ...others] = executedTexts(executedByAll(told)).map((text) => text.split(', '));
  return first.filter((part) => others.every((other) => other.includes(part))).join(', ');
}

/** Only what holds for every row. */
function headText(batches: readonly RecordBatch[], style: Style): string {
  const same = (name: string): string => shared(batches, (batch) => parameter(batch, name));
  const listed = (texts: readonly string[]): string => texts.filter((text) => text !== '').join(', ');
  const what = ['operation', 'dtype', 'redop'].map(same).filter((text) => text !== '' && text !== 'none');
  const [ranks, root, sync, inputs] = [same('ranks'), same('root'), same('sync'), same('inputs')];
  const who = [ranks === '' ? '' : `${ranks} ranks`, root === '' || root === '-1' ? '' : `root ${root}`];
  // Ranks by MPI are its library's, whose name its version has.
  const provider = shared(batches, (batch) =>
    parameter(batch, 'transport') === 'mpi' ? '' : batch.stack.provider,
  );
  const stack = [provider, executedText(batches)].filter((text) => text !== '').join(' ');
  const where = listed([stack, shared(batches, ({ device }) => device)]);
  const how = listed([sync === '' ? '' : `sync ${sync}`, inputs === '' ? '' : `${inputs} inputs`]);
  const of = [where, how].filter((text) => text !== '').join('; ');
  return `${style.bold(listed([what.join(' '), ...who]))}  ${style.dim(of)}`;
}

function verifiedBy({ case: { parameters } }: RecordBatch): string {
  if (parameters.operation === 'barrier') return VERIFIED_BARRIER;
  return parameters.sync === 'none' ? VERIFIED_LAST : VERIFIED;
}

function wrongText({ inspections, verified }: RecordBatch, style: Style): string {
  if (verified === 'not-run') return style.warn(NONE);
  const wrong = inspections.reduce((sum, { verification }) => sum + (verification?.wrong ?? 0), 0);
  return wrong === 0 ? '0' : style.bad(String(wrong));
}

function cellsOf(batch: RecordBatch, name: string, style: Style): readonly Cell[] {
  const { elapsed, rate, ranks } = batch;
  const right = (head: string, text: string): Cell => ({ head, align: 'right', text });
  const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
  const [bus, share] = [busRateOf(batch), shareOfCeiling(batch)];
  const moves = !doesNoWork(batch);
  return [
    left('', name),
    right('size', parameter(batch, 'bytes')),
    right('count', String(elementsOf(batch))),
    left('type', parameter(batch, 'dtype')),
    left('redop', parameter(batch, 'redop')),
    right('root', parameter(batch, 'root')),
    right('time', elapsed === null ? NONE : style.bold(micros(elapsed.median))),
    right('p99', micros(p99Of(batch)?.value)),
    right('algbw', rate === null || !moves ? NONE : significant(rate.median / GIGA, 3)),
    right('busbw', bus === null || !moves ? NONE : significant(bus.value / GIGA, 3)),
    right('#wrong', wrongText(batch, style)),
    right('skew', micros(ranks?.skewOut.p50)),
    right('of ceiling', share === null ? NONE : formatShare(share)),
    left('algorithm', algorithmOf(batch)),
  ];
}

/**
 * Of sizes whose launches have too few repetitions for a p99, the fewest that one of them has. Earlier records have the p99 of all
 * repetitions together, which does not lean on those of a launch.
 */
function leaningText(batches: readonly RecordBatch[]): string | null {
  const fewest = batches
    .filter(({ elapsed }) => elapsed?.p99 !== undefined)
    .flatMap((batch) => leaningOn(batch, 0.99) ?? []);
  return fewest.length === 0
    ? null
    : `p99: of launches of fewer than 100 repetitions (${fewest.length} of ${plural(batches.length, 'case')}, ${Math.min(...fewest)} at the least) it leans on the slowest of them`;
}

/** What differs between batches beside their size, for the first column. */
const namesOf = (batches: readonly RecordBatch[]): readonly string[] => {
  const { axis, names } = nameBatches(batches);
  if (axis?.key === 'bytes') return axis.series;
  return names.map((name) => name ?? '');
};

/** What a rank does that has no other; '' where none is alone. */
function aloneText(batches: readonly RecordBatch[]): string {
  const alone = batches.find(({ case: { parameters } }) => parameters.ranks === 1);
  if (alone === undefined) return '';
  return movesNothing(readCollective(alone.case.parameters)) ? ALONE_IN_PLACE : ALONE;
}

/** @param record of collective batches only, more than one */
export function renderCollective({ batches }: PiBenchRecord, style: Style): string {
  const names = namesOf(batches);
  const rows = batches.map((batch, i) => cellsOf(batch, names[i] ?? '', style));
  const table = renderFitting(rows, { optional: OPTIONAL, shortened: '' }, style);
  const paragraphs = [
    verifiedText(batches, verifiedBy, style),
    ...failedText(batches, style),
    ...precisionText(batches, style),
    ...uncertaintyText(batches),
    ...fitTexts(batches),
    leaningText(batches),
    stragglerText(batches),
    ...lackingText(
      batches,
      batches.map((batch, i) => `${names[i] ?? ''} ${briefBytes(Number(parameter(batch, 'bytes')))}`.trim()),
    ).map((text) => style.warn(`huge pages are missing: ${text}`)),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ].filter((text) => text !== null);
  const scaling = scalingRows(batches);
  const direct = batches.some((batch) => parameter(batch, 'transport') === 'shm') ? DIRECT : '';
  const counted = `${COUNTED}${direct}${aloneText(batches)}`;
  return [
    ...wrap(headText(batches, style), style.width),
    '',
    table,
    '',
    ...(scaling.length === 0 ? [] : [renderRows(scaling, style), '']),
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
    '',
    ...wrap(counted, style.width - 2).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}

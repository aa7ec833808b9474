/** Collectives for a person: nccl-tests' columns with what it does not have beside them, and what the sizes tell. */
import {
  areAlike,
  type Collective,
  movesNothing,
  type Operation,
  readCollective,
} from '../../indicators/collective-cases.js';
import {
  briefBytes,
  formatSeconds,
  formatShare,
  plural,
  significant,
  withPrefix,
} from '../../quantities/format.js';
import {
  busRateOf,
  efficienciesOf,
  elementsOf,
  p99Of,
  shareOfCeiling,
} from '../../record/collective-kpis.js';
import { canonicalJson } from '../../record/digest.js';
import { executedTexts } from '../../record/executed.js';
import { isResult } from '../../record/result.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { doesNoWork } from '../../record/work.js';
import { fitAlphaBeta, type Piece } from '../../statistics/alpha-beta.js';
import { type PopRun, popScaling, type ScalingKind, speedupOf } from '../../statistics/pop.js';
import { LEAST_LAUNCHES, lastOf, type Straggler, stragglerOf } from '../../statistics/rank-times.js';
import type { Bytes, Seconds } from '../../units.js';
import { nameBatches } from '../batch-names.js';
import { stackKey } from '../comparison/sides.js';
import { lackingText } from '../huge-pages.js';
import { uncertaintyText } from './basis.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { leaningOn } from './leaning.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import { type Row, renderRows } from './table.js';

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
const micros = (seconds: number | null | undefined): string =>
  typeof seconds === 'number' ? significant(seconds / MICRO, 4) : NONE;

/** What the launches said they executed, after the instruction set: `direct`, or `direct/ring` where they chose differently. */
const algorithmOf = ({ stack }: RecordBatch): string => {
  const names = executedTexts(stack.implementation).flatMap(
    (text) => /(?:chose |, )([\w-]+)$/.exec(text)?.[1] ?? [],
  );
  return names.length === 0 ? NONE : [...new Set(names)].join('/');
};

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

function pieceText({ from, to, alpha, beta }: Piece): string {
  const range = `${briefBytes(from)} to ${briefBytes(to)}`;
  const bandwidth = beta > 0 ? `${withPrefix(1 / beta, 'B/s', 3)}` : 'no cost of size';
  return `${range}: ${formatSeconds(alpha, 3)} + size / ${bandwidth}`;
}

/** Batches of one case on one stack and device at several sizes: a curve over them. */
interface Sizes {
  /** '' where there is no other. */
  readonly name: string;
  readonly batches: readonly RecordBatch[];
}

const withoutSize = (parameters: RecordBatch['case']['parameters']): RecordBatch['case']['parameters'] =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== 'bytes'));

const sizesKey = ({ case: { parameters }, stack, device, asked }: RecordBatch): string =>
  canonicalJson([withoutSize(parameters), stackKey(stack), device, asked.labels ?? null]);

function sizesOf(batches: readonly RecordBatch[]): readonly Sizes[] {
  const keys = batches.map(sizesKey);
  const groups = [...new Set(keys)].map((key) => batches.filter((_, i) => keys[i] === key));
  // Sizes that fit are not the same for 3 ranks as for 4, and no name of either.
  const { names } = nameBatches(
    groups.flatMap(([first]) => {
      if (first === undefined) return [];
      const { asked } = first;
      const parameters = withoutSize(asked.case.parameters);
      return [{ ...first, asked: { ...asked, case: { ...asked.case, parameters } } }];
    }),
  );
  return groups.map((own, i) => ({ name: names[i] ?? '', batches: own }));
}

/** Latency and bandwidth over sizes; nothing where there are too few of them. */
function fitText({ name, batches }: Sizes): readonly string[] {
  const points = batches.filter(isResult).flatMap((batch) => {
    const { elapsed } = batch;
    const bytes = Number(batch.case.parameters.bytes);
    // What does not move a byte, as a barrier, has no bandwidth.
    return elapsed === null || doesNoWork(batch) ? [] : [{ bytes, seconds: elapsed.median }];
  });
  if (new Set(points.map(({ bytes }) => bytes)).size < points.length) return [];
  const pieces = fitAlphaBeta(points);
  if (pieces.length === 0) return [];
  const of = name === '' ? '' : `${name}: `;
  const knees = pieces.slice(1).map(({ from }) => briefBytes(from));
  const named = knees.length === 0 ? 'no knee' : `knees at ${knees.join(', ')}`;
  return [`${of}time = latency + size / bandwidth, ${named}: ${pieces.map(pieceText).join('; ')}`];
}

/** A line for each curve. */
export const fitTexts = (batches: readonly RecordBatch[]): readonly string[] =>
  sizesOf(batches).flatMap(fitText);

const LIBRARIES: Readonly<Record<Collective['transport'], string | null>> = {
  shm: null,
  mpi: 'MPI',
  nccl: 'NCCL',
  gloo: 'Gloo',
};

/** The slow rank, null where there is none; or why that is not known. */
function slowRankOf(batch: RecordBatch): Straggler | null | { readonly why: string } {
  const asked = readCollective(batch.case.parameters);
  const library = LIBRARIES[asked.transport];
  if (library !== null) return { why: `${library} does not tell who waits for whom` };
  if (!areAlike(asked)) return { why: 'the ranks of this case have not the same to do' };
  if (batch.flags.some(({ name }) => name === 'crowded'))
    return { why: 'ranks that share CPUs take turns on them' };
  const watched = batch.inspections.flatMap(({ status, ranks }) =>
    status === 'measured' && ranks?.useful != null ? [ranks.useful] : [],
  );
  if (watched.length < LEAST_LAUNCHES) return { why: `it takes ${LEAST_LAUNCHES} launches to tell` };
  const found = stragglerOf(watched);
  return found === undefined
    ? { why: 'the ranks have so little to do that reading the clock counts' }
    : found;
}

const longerText = ({ excess }: Straggler): string =>
  `${formatShare(excess, 2)} longer without waiting than the middle one of the others`;

function stragglerText(batches: readonly RecordBatch[]): string | null {
  const found = batches.flatMap((batch) => {
    const slow = batch.ranks === undefined ? null : slowRankOf(batch);
    return slow === null || 'why' in slow ? [] : [{ title: batch.title, ...slow }];
  });
  const [worst] = found.toSorted((a, b) => b.excess - a.excess);
  if (worst === undefined) return null;
  return `stragglers in ${found.length} of ${batches.length} cases; most of all rank ${worst.rank} of ${worst.title}, which works ${longerText(worst)}`;
}

const SCALING_KINDS: readonly ScalingKind[] = ['weak', 'strong'];

/** What differs between two numbers of ranks that are compared: they, and what follows from them. */
const OF_RANKS: readonly string[] = ['ranks', 'bytes', 'pin', 'perHost'];

/** All else, which has to be alike. */
const scalingKey = ({ case: { parameters }, stack, device }: RecordBatch): string => {
  const same = Object.entries(parameters).filter(([name]) => !OF_RANKS.includes(name));
  return canonicalJson([Object.fromEntries(same), stackKey(stack), device]);
};

/** A rank that is not the root has only its own share of their bytes; of the others each rank gives or gets all of them. */
const OF_ALL_RANKS: readonly unknown[] = ['gather', 'scatter'] satisfies Operation[];

/** What all ranks together give or get, whichever is more. */
const bytesOfAll = ({ operation, bytes, ranks }: RecordBatch['case']['parameters']): Bytes =>
  Number(bytes) * (OF_ALL_RANKS.includes(operation) ? 1 : Number(ranks));

/**
 * As much for all ranks together: strong scaling; as much for each of them: weak. null: neither, or nothing is given or got, as in a
 * barrier.
 */
function scalingKind(
  one: RecordBatch['case']['parameters'],
  reference: RecordBatch['case']['parameters'],
): ScalingKind | null {
  const [own, before] = [bytesOfAll(one), bytesOfAll(reference)];
  if (own === 0) return null;
  if (own === before) return 'strong';
  return own * Number(reference.ranks) === before * Number(one.ranks) ? 'weak' : null;
}

interface Measured {
  readonly batch: RecordBatch;
  readonly ranks: number;
  readonly seconds: Seconds;
}

/** Of as much for each rank, or for all of them, on the fewest ranks; null: there is none on fewer. */
function referenceOf(one: Measured, kind: ScalingKind, all: readonly Measured[]): Measured | null {
  const [fewest] = all
    .filter(
      ({ batch, ranks }) =>
        ranks < one.ranks && scalingKind(one.batch.case.parameters, batch.case.parameters) === kind,
    )
    .toSorted((a, b) => a.ranks - b.ranks);
  return fewest ?? null;
}

/** What POP's efficiencies need, of the repetitions in which waiting was observed; null: it was in none. */
const runOf = ({ batch: { ranks } }: Measured): PopRun | null =>
  ranks?.useful == null || ranks.runtime === null ? null : { useful: ranks.useful, runtime: ranks.runtime };

/** '' where waiting was not observed. */
function efficienciesText(one: Measured, reference: Measured, kind: ScalingKind): string {
  const own = efficienciesOf(one.batch);
  const [run, before] = [runOf(one), runOf(reference)];
  const scaling = run === null || before === null ? null : popScaling(run, before, kind);
  if (own === null || scaling === null) return '';
  return `, parallel efficiency ${formatShare(own.parallel, 3)} (load balance ${formatShare(own.loadBalance, 3)} x communication ${formatShare(own.communication, 3)}), global ${formatShare(scaling.global, 3)}`;
}

/** The same case on other numbers of ranks: of each size, and of strong and weak scaling, against the fewest. */
function scalingOf(batches: readonly RecordBatch[], named: boolean): readonly Row[] {
  const measured = batches.filter(isResult).flatMap((batch): Measured[] => {
    const { elapsed } = batch;
    // Of what moves nothing no time can be the reference.
    if (elapsed === null || doesNoWork(batch)) return [];
    return [{ batch, ranks: Number(batch.case.parameters.ranks), seconds: elapsed.median }];
  });
  return measured.flatMap((one): Row[] =>
    SCALING_KINDS.flatMap((kind): Row[] => {
      const reference = referenceOf(one, kind, measured);
      if (reference === null) return [];
      const { operation, dtype, bytes } = one.batch.case.parameters;
      const of = named ? ` of ${operation} ${dtype}` : '';
      const speedup = speedupOf(one, reference, kind);
      return [
        [
          `${reference.ranks} → ${one.ranks} ranks`,
          `${kind} scaling${of} at ${briefBytes(Number(bytes))}: speed-up ${significant(speedup, 3)}${efficienciesText(one, reference, kind)}`,
        ],
      ];
    }),
  );
}

/** Of each kind of case by itself: an all-gather on two ranks is no scaled all-reduce. */
export function scalingRows(batches: readonly RecordBatch[]): readonly Row[] {
  const kinds = [...new Set(batches.map(scalingKey))];
  return kinds.flatMap((kind) =>
    scalingOf(
      batches.filter((batch) => scalingKey(batch) === kind),
      kinds.length > 1,
    ),
  );
}

type Ranks = NonNullable<RecordBatch['ranks']>;

/** Which rank is the last to come oftener than chance has it. Clocks of several hosts do not agree so well that they could tell. */
function lastText({ stack }: RecordBatch, ranks: Ranks): string {
  if (executedTexts(stack.implementation).some((text) => text.includes(', clocks within '))) return '';
  const last = lastOf(ranks);
  return last === null ? '' : `, rank ${last.rank} last in ${formatShare(last.share)} of the repetitions`;
}

function slowRankText(batch: RecordBatch, { ranks }: Ranks): string {
  const slow = slowRankOf(batch);
  if (slow === null) return 'none: no rank works much longer without waiting than the others';
  if (!('why' in slow)) return `rank ${slow.rank} works ${longerText(slow)}`;
  const most = Math.max(...ranks.map(({ slowest }) => slowest));
  const longest = ranks.findIndex(({ slowest }) => slowest === most);
  const who = `longest in its call: rank ${longest} in ${formatShare(most)} of the repetitions, as one is that waits`;
  return `not known: ${slow.why}; ${who}`;
}

/** Of one case, for its page: what the ranks tell. */
export function rankRows(batch: RecordBatch): Row[] {
  const { ranks } = batch;
  if (ranks === undefined) return [];
  const bus = busRateOf(batch);
  const efficiencies = efficienciesOf(batch);
  const each = ranks.ranks.slice(0, 8).map(({ median }, rank) => `${rank}: ${formatSeconds(median)}`);
  const more = ranks.ranks.length > 8 ? ` and ${ranks.ranks.length - 8} more` : '';
  const late = ranks.late > 0 ? `; ${ranks.late} repetitions made again because a rank came late` : '';
  return [
    ...(bus === null
      ? []
      : ([['bus', `${withPrefix(bus.value, 'B/s')} (the rate times nccl-tests’ factor)`]] as Row[])),
    ['ranks', `${each.join(', ')}${more}`],
    [
      'skew',
      `in ${formatSeconds(ranks.skewIn.p50, 3)} (p99 ${formatSeconds(ranks.skewIn.p99, 3)})${lastText(batch, ranks)}, out ${formatSeconds(ranks.skewOut.p50, 3)} (p99 ${formatSeconds(ranks.skewOut.p99, 3)})${late}`,
    ],
    ...(ranks.ranks.length < 2 ? [] : ([['straggler', slowRankText(batch, ranks)]] as Row[])),
    ...(efficiencies === null
      ? []
      : ([
          [
            'efficiency',
            `load balance ${formatShare(efficiencies.loadBalance, 3)} x communication ${formatShare(efficiencies.communication, 3)} = ${formatShare(efficiencies.parallel, 3)} of the time not spent waiting (POP)`,
          ],
        ] as Row[])),
    ...(ranks.ceiling === null
      ? []
      : ([
          [
            'ceiling',
            `${formatShare(ranks.ceiling.share, 3)}: ${briefBytes(ranks.ceiling.bytes)} that it loads and stores, at ${withPrefix(ranks.ceiling.rate, 'B/s', 3)} (${ranks.ceiling.by}, all ranks)`,
          ],
        ] as Row[])),
  ];
}

/** What a rank does that has no other; '' where none is alone. */
function aloneText(batches: readonly RecordBatch[]): string {
  const alone = batches.find(({ case: { parameters } }) => parameters.ranks === 1);
  if (alone === undefined) return '';
  return movesNothing(readCollective(alone.case.parameters)) ? ALONE_IN_PLACE : ALONE;
}

/** @param record of collective batches only, more than one */
export function renderCollective({ batches }: PiBenchRecord, style: Style): string {
  const [first] = batches;
  if (first === undefined) return '';
  const names = namesOf(batches);
  const rows = batches.map((batch, i) => cellsOf(batch, names[i] ?? '', style));
  const table = renderFitting(rows, { optional: OPTIONAL, shortened: '' }, style);
  const implementation =
    executedTexts(first.stack.implementation)[0]?.replace(/, (chose )?[\w-]+$/, '') ?? first.stack.variant;
  const { sync, inputs } = first.case.parameters;
  const same = (name: string): string =>
    new Set(batches.map((batch) => parameter(batch, name))).size === 1 ? parameter(first, name) : '';
  const what = ['operation', 'dtype', 'redop'].map(same).filter((text) => text !== '' && text !== 'none');
  const [ranks, root] = [same('ranks'), same('root')];
  const who = [
    ...(ranks === '' ? [] : [`${ranks} ranks`]),
    ...(root === '' || root === '-1' ? [] : [`root ${root}`]),
  ];
  const head = `${style.bold([what.join(' '), ...who].join(', '))}  ${style.dim(`${first.case.parameters.transport === 'mpi' ? '' : `${first.stack.provider} `}${implementation ?? ''}, ${first.device}; sync ${sync}, ${inputs} inputs`)}`;
  const paragraphs = [
    verifiedText(batches, verifiedBy(first), style),
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
  const counted = `${COUNTED}${first.case.parameters.transport === 'shm' ? DIRECT : ''}${aloneText(batches)}`;
  return [
    ...wrap(head, style.width),
    '',
    table,
    '',
    ...(scaling.length === 0 ? [] : [renderRows(scaling, style), '']),
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
    '',
    ...wrap(counted, style.width - 2).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}

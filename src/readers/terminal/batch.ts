/** A batch for a person: its rate first, then how far to trust it. */
import { isGpu } from '../../devices/device.js';
import { formatBytes, formatSeconds, formatShare, withPrefix } from '../../quantities/format.js';
import { timesRanks } from '../../record/rate-kpis.js';
import type { RecordBatch, RecordInspection } from '../../record/schema.js';
import { countedWork } from '../../record/work.js';
import { median } from '../../statistics/quantile.js';
import { datasheetText } from '../beside.js';
import { hugePagesOf, hugePagesText, lacksHugePages } from '../huge-pages.js';
import { noCeilingText, noPeakText } from '../no-ceiling.js';
import { notCheckedOf, ran } from '../not-checked.js';
import { verificationOf } from '../verification.js';
import { basisText } from './basis.js';
import { noResultRows } from './cut-short.js';
import { importedLines, importedRows, NOT_VERIFIED } from './imported.js';
import { latencyRows } from './latency.js';
import { slowestText } from './leaning.js';
import { overlapRows } from './overlap.js';
import { clockRows } from './peak.js';
import { rankRows } from './rank-rows.js';
import { rooflineRows } from './roofline.js';
import { stackRow } from './stack-row.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';
import { type Axis, drawBox, drawViolin } from './violin.js';

const VIOLIN_ROWS = 3;
const MOST_LISTED = 8;

const percent = (level: number): string => `${Math.round(level * 100)} %`;

/** Where there is no interval: how far the launches are apart. */
function rangeText(batch: RecordBatch, flops: (value: number) => string): string {
  const { elapsed } = batch;
  const work = countedWork(batch);
  if (work === null || elapsed?.range == null || elapsed.range[0] === elapsed.range[1]) return '';
  return `  launches from ${flops(work / elapsed.range[1])} to ${flops(work / elapsed.range[0])}`;
}

function rateRows(batch: RecordBatch, style: Style): Row[] {
  const { rate, elapsed, rateUnit, pooled } = batch;
  if (batch.imported !== undefined) return importedRows(batch, style);
  if (rate === null || elapsed === null) return noResultRows(batch, style);
  const flops = (value: number, digits = 4): string => withPrefix(value, rateUnit, digits);
  const { interval } = rate;
  const between =
    interval === null
      ? rangeText(batch, flops)
      : `  ${percent(interval.level)} between ${flops(interval.low)} and ${flops(interval.high)}`;
  const cv = typeof pooled?.cv === 'number' ? `CV ${formatShare(pooled.cv)}` : null;
  const iqr = typeof pooled?.iqr === 'number' ? `IQR ${formatSeconds(pooled.iqr, 3)}` : null;
  const [min, max] = [Number(pooled?.min), Number(pooled?.max)];
  const range = `${formatSeconds(min)} to ${formatSeconds(max)}`;
  const launches = batch.launches as { cv?: number | null } | null;
  const between2 =
    typeof launches?.cv === 'number' ? `; launch medians differ by ${formatShare(launches.cv)} (CV)` : '';
  return [
    ...latencyRows(batch, style),
    // A barrier does no work.
    ...(rate.median === 0
      ? []
      : ([
          ['rate', `${style.bold(flops(rate.median))}${between}`],
          ['', style.dim(basisText(batch))],
        ] as Row[])),
    [
      'elapsed',
      `${formatSeconds(elapsed.median)} a repetition${elapsed.interval === null ? '' : `, ${formatSeconds(elapsed.interval.low)} to ${formatSeconds(elapsed.interval.high)}`}`,
    ],
    ...(rate.sustained === null || rate.median === 0
      ? []
      : ([
          [
            'sustained',
            `${flops(rate.sustained)} over ${timesRanks(batch) ? 'all repetitions' : 'the wall clock'}, ${formatShare(rate.sustained / rate.median, 3)} of the burst inside a repetition`,
          ],
        ] as Row[])),
    ...bytesRow(batch),
    ...(batch.case.indicator === 'peak' && !isGpu(batch.device) ? clockRows(batch) : []),
    ...ceilingRow(batch, style),
    ...rooflineRows(batch, style),
    ...datasheetRow(batch),
    ...rankRows(batch),
    ...overlapRows(batch, style),
    ...hugePagesRow(batch, style),
    ...precisionRow(batch, style),
    ...(rate.p05 === null || rate.median === 0
      ? []
      : ([
          [
            'slowest 5 %',
            [`below ${flops(rate.p05)}`, slowestText(batch)].filter((part) => part !== null).join(': '),
          ],
        ] as Row[])),
    ['spread', `${[cv, iqr, range].filter((part) => part !== null).join(', ')}${between2}`],
  ];
}

/** Where there is none: of peak, and of what is held against it. */
function ceilingRow(batch: RecordBatch, style: Style): Row[] {
  const none = noCeilingText(batch);
  if (none !== null) return [['ceiling', style.warn(`none: ${none}`)]];
  const noPeak = batch.roofline == null ? noPeakText(batch) : null;
  return noPeak === null ? [] : [['efficiency', `not known: ${noPeak}`]];
}

function datasheetRow(batch: RecordBatch): Row[] {
  const text = datasheetText(batch);
  return text === null ? [] : [['datasheet', text]];
}

function hugePagesRow(batch: RecordBatch, style: Style): Row[] {
  const pages = hugePagesOf(batch);
  if (pages === null) return [];
  const text = hugePagesText(pages);
  return [['huge pages', lacksHugePages(pages) ? style.warn(text) : text]];
}

function precisionRow({ precision }: RecordBatch, style: Style): Row[] {
  if (precision === undefined) return [];
  const said = precision.reached ? style.good('reached') : style.warn('not reached');
  return [['precision', `${said}: ${precision.reason}`]];
}

/** Where the rate counts bytes: which ones, and which others move. */
function bytesRow({ work, rateCounts, case: { indicator } }: RecordBatch): Row[] {
  if (rateCounts !== 'bytes' || work === null || indicator === 'collective') return [];
  const counted = `${formatBytes(work.bytes)} a repetition that loads and stores move`;
  const more = work.writeAllocateBytes ?? 0;
  const allocated =
    more === 0
      ? ''
      : `; where no cache holds the output, write-allocate reads up to another ${formatBytes(more)}, unless the CPU avoids it, which the rate does not count`;
  return [['bytes', `${counted}${allocated}`]];
}

function trustRows(batch: RecordBatch, style: Style): Row[] {
  const { disturbedShare } = batch;
  const output: Row = ['output', verificationText(batch, style)];
  if (batch.imported !== undefined) return [['output', style.warn(NOT_VERIFIED)]];
  // Nothing ran: nothing can be said of what disturbed it.
  if (!ran(batch)) return [output];
  // What a GPU works off does not depend on the thread that enqueued it.
  if (isGpu(batch.device)) return [output];
  const disturbed =
    disturbedShare === null
      ? `not known: ${batch.stack.threadBinding === undefined ? 'this system does not tell which repetitions' : 'of a library’s threads nobody sees whether they'} lost their CPU`
      : `${formatShare(disturbedShare)} of the repetitions may have lost their CPU${undisturbedText(batch)}`;
  return [['disturbed', disturbed], output];
}

function undisturbedText({ inspections, elapsed }: RecordBatch): string {
  const clean = inspections.flatMap(({ undisturbedMedian, status }) =>
    status === 'measured' && undisturbedMedian !== null ? [undisturbedMedian] : [],
  );
  return clean.length === 0 || elapsed === null ? '' : `; the others take ${formatSeconds(median(clean))}`;
}

function verificationText(batch: RecordBatch, style: Style): string {
  switch (batch.verified) {
    case 'not-run':
      return style.warn('not verified: no launch counts');
    case 'failed':
      return style.bad(`WRONG ${verificationOf(batch)}`);
    default:
      return `${style.good('verified')} ${verificationOf(batch)}`;
  }
}

/** The middle of the distribution: tails beyond are told in words, or they would squeeze it to a line. */
function violinLines({ pooled, launches, violin, imported }: RecordBatch, style: Style): string[] {
  const shape = violin as { grid?: number[]; density?: number[]; scale?: string } | null;
  // Where only the launches' values were published, the violin is of these.
  const summary = (imported === undefined ? pooled : launches) as Record<string, number> | null;
  if (!shape?.grid || !shape.density || summary === null || shape.grid.length < 2) return [];
  const { q1 = 0, median = 0, q3 = 0 } = summary;
  const [low, high] = [shape.grid[0] ?? 0, shape.grid.at(-1) ?? 0];
  const labelWidth = 11;
  // As many digits as it takes for the two ends to differ.
  const digits = [3, 4, 5].find((some) => formatSeconds(low, some) !== formatSeconds(high, some)) ?? 3;
  const width = Math.max(20, Math.min(72, style.width - 2 * labelWidth - 4));
  const lines = drawViolin(shape.density, width, VIOLIN_ROWS);
  const axis: Axis = { low, high, scale: shape.scale === 'log' ? 'log' : 'linear' };
  const middle = VIOLIN_ROWS >> 1;
  const drawn = lines.map((line, i) =>
    i === middle
      ? `  ${style.dim(formatSeconds(low, digits).padStart(labelWidth))} ${line} ${style.dim(formatSeconds(high, digits))}`
      : `  ${' '.repeat(labelWidth)} ${line}`,
  );
  const boxLine = `  ${' '.repeat(labelWidth)} ${drawBox(axis, { q1, median, q3 }, width)}`;
  return [...drawn, boxLine];
}

function launchNames(inspections: readonly number[], planned: number): string {
  // A published table lists no launches.
  if (inspections.length === 0) return '';
  if (inspections.length === planned) return planned === 1 ? '' : ' (every launch)';
  const named = inspections.slice(0, MOST_LISTED).map((index) => index + 1);
  const more = inspections.length > MOST_LISTED ? ` and ${inspections.length - MOST_LISTED} more` : '';
  return ` (launch ${named.join(', ')}${more})`;
}

function flagLines(batch: RecordBatch, style: Style): string[] {
  const { flags, planned } = batch;
  if (!ran(batch)) return [];
  if (flags.length === 0) return [`  ${style.good('no validity flag')}`];
  const rows: Row[] = flags.map(({ name, reason, inspections }) => [
    style.warn(name),
    `${reason}${launchNames(inspections, planned)}`,
  ]);
  const column = Math.max(...flags.map(({ name }) => name.length)) + 2;
  return flags.flatMap(({ name }, i) =>
    wrap(rows[i]?.[1] ?? '', style.width - column - 2).map(
      (line, j) =>
        `  ${j === 0 ? style.warn(name) + ' '.repeat(column - name.length) : ' '.repeat(column)}${line}`,
    ),
  );
}

function failedLines(inspections: readonly RecordInspection[], style: Style): string[] {
  return inspections
    .filter(({ status }) => status !== 'measured')
    .flatMap(({ index, status, reason }) =>
      wrap(`${style.bad(`launch ${index + 1} ${status}`)}: ${reason}`, style.width - 2),
    )
    .map((line) => `  ${line}`);
}

/** Checks that could not run anywhere, so that their silence is not taken for a pass. */
function notCheckedLines(batch: RecordBatch, style: Style): string[] {
  return notCheckedOf(batch).flatMap(([flag, why]) =>
    wrap(`not checked: ${flag} (${why})`, style.width - 2).map((line) => `  ${style.dim(line)}`),
  );
}

/** One batch on a page of its own. */
export function renderBatch(batch: RecordBatch, style: Style): string {
  const { stack } = batch;
  const variant = stack.implementation ?? stack.variant;
  const own = stack.own === undefined ? '' : `${stack.own.name}: `;
  const head = `${style.bold(batch.title)}  ${style.dim(`${own}${stack.provider}${variant === null ? '' : ` ${variant}`}, ${batch.device}`)}`;
  const failed = failedLines(batch.inspections, style);
  const violin = violinLines(batch, style);
  return [
    ...wrap(head, style.width),
    '',
    renderRows([...rateRows(batch, style), ...trustRows(batch, style), ...stackRow(batch)], style),
    ...(violin.length === 0 ? [] : ['', ...violin]),
    '',
    ...flagLines(batch, style),
    ...notCheckedLines(batch, style),
    ...importedLines(batch, style),
    ...(failed.length > 0 ? ['', ...failed] : []),
  ].join('\n');
}

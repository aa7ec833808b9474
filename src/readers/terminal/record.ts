/** A record for a person: its batches, on a page of their own or in the table that suits them, and where it is. */
import { basename, dirname } from 'node:path';
import { isGpu, ordinalOf } from '../../devices/device.js';
import type { GpuSurvey } from '../../machine/gpus.js';
import { formatSeconds, formatShare, grouped, plural } from '../../quantities/format.js';
import { commandName } from '../../record/command-name.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { atOnceText } from '../beside.js';
import { stackKey } from '../comparison/sides.js';
import { measuredText, unbegun } from '../launch-counts.js';
import { choiceTexts } from '../library-choice.js';
import { notSettledText } from '../not-settled.js';
import { printable } from '../printable.js';
import { renderBatch } from './batch.js';
import { renderCollective } from './collective.js';
import { renderGpuTable } from './gpu.js';
import { limitText, sourceRows } from './imported.js';
import { renderLatency } from './latency.js';
import { renderMemory } from './memory.js';
import { renderOverlap } from './overlap.js';
import { renderPeak } from './peak.js';
import { renderStability } from './stability.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';
import { shortText } from './working-sets.js';

/** What each batch at once came to; nothing where all ran alone. */
function atOnceRows({ batches }: PiBenchRecord): readonly Row[] {
  return batches.flatMap((batch): Row[] => {
    const text = atOnceText(batch);
    return text === null ? [] : [[`at once on ${batch.device}`, text]];
  });
}

/** Of a record that lacks launches: how many there are, and why not all. */
function launchesText({ imported, stoppedBy, status, batches }: PiBenchRecord, whatNow: string): string {
  const count = (of: (batch: RecordBatch) => number): number =>
    batches.reduce((total, batch) => total + of(batch), 0);
  const [measured, planned] = [count((batch) => batch.measured), count((batch) => batch.planned)];
  const launched = count(({ inspections }) => inspections.length);
  if (imported !== undefined)
    return `${grouped(measured)} of ${plural(planned, 'launch', 'launches')} are among what was imported`;
  const text = measuredText(batches);
  // Where launches decide how many there are, those that time cut off were never planned.
  const without = unbegun(batches).length > 0;
  const unlaunched = without || batches.some((batch) => batch.inspections.length < batch.planned);
  if (stoppedBy === 'budget' && unlaunched) {
    const others = without ? 'they would not have' : 'the others would not have';
    const late = launched > 0 ? others : planned === 1 ? 'it would not have' : 'none would have';
    return `${text}; ${late} ended in the time that was given (--budget)`;
  }
  // A launch that crashed, hung or was wrong is a result: resume does not repeat it.
  if (status !== 'interrupted') return text;
  return `${text}; ${whatNow}`;
}

function statusLine(record: PiBenchRecord, style: Style, whatNow: string): string[] {
  const { status, campaign, contendedBy } = record;
  const lines: string[] = [];
  if (campaign.fault !== null)
    lines.push(
      style.bad(`A FAULT WAS INJECTED (${campaign.fault.kind}): this is no measurement of the machine`),
    );
  if (status !== 'complete') lines.push(style.warn(`${status}: ${launchesText(record, whatNow)}`));
  const notSettled = notSettledText(record);
  if (notSettled !== null) lines.push(style.warn(notSettled));
  if (contendedBy !== null) lines.push(style.warn(`${contendedBy} measured at the same time`));
  lines.push(...choiceTexts(record).map(style.warn));
  return lines;
}

/** Indicators whose batches are one table where there are several. */
const TABLES: Readonly<Record<string, (record: PiBenchRecord, style: Style) => string>> = {
  memory: renderMemory,
  latency: renderLatency,
  peak: renderPeak,
  collective: renderCollective,
  overlap: renderOverlap,
};

/** A sweep of collectives asks how they scale, which their own table tells. */
const SWEPT_IN_ITS_TABLE = 'collective';

/** What tables have no place for: of several stacks or devices all but one would be hidden, and of what was measured at once. */
const OF_ONE_STACK: readonly string[] = ['memory', 'latency', 'overlap'];
const OF_ONE_PLACE: readonly string[] = ['memory', 'latency', 'overlap', 'peak'];

function isHidden(indicator: string, batches: readonly RecordBatch[]): boolean {
  const stacks = new Set(batches.map(({ stack }) => stackKey(stack)));
  const places = new Set(batches.map(({ device, asked }) => `${device} ${asked.atOnce === true}`));
  return (
    (stacks.size > 1 && OF_ONE_STACK.includes(indicator)) ||
    (places.size > 1 && OF_ONE_PLACE.includes(indicator))
  );
}

/** A sweep asks how steady each batch is, whatever its indicator; other commands get their indicator's own table. */
function renderBatches(record: PiBenchRecord, style: Style): string {
  const { batches, campaign } = record;
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) {
    const short = shortText(record).flatMap((text) => wrap(style.warn(text), style.width));
    return [renderBatch(first, style), ...short].join('\n');
  }
  const [indicator, ...others] = new Set(batches.map((batch) => batch.case.indicator));
  const named = commandName(campaign) === indicator || indicator === SWEPT_IN_ITS_TABLE;
  const hides = isHidden(indicator ?? '', batches);
  const onGpus = batches.every(({ device }) => isGpu(device)) && indicator !== SWEPT_IN_ITS_TABLE;
  const table = onGpus ? renderGpuTable : TABLES[indicator ?? ''];
  const own = others.length === 0 && named && !hides ? table : undefined;
  return (own ?? renderStability)(record, style);
}

/** Of those that batches ran on: `cuda:0 NVIDIA H200, driver 580.82`. */
function gpuNames({ machine, batches }: PiBenchRecord): string[] {
  const used = [...new Set(batches.map(({ device }) => device).filter(isGpu))];
  const { gpus } = machine as { gpus?: GpuSurvey };
  return used.map((device) => {
    const gpu = gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device));
    const driver = gpu?.driver == null ? '' : `, driver ${gpu.driver}`;
    return `${device} ${gpu === undefined ? 'not known' : `${gpu.name}${driver}`}`;
  });
}

/** What tells stacks of one case apart, where the launches were not made for it and the answer stands below. */
function compareRow({ batches }: PiBenchRecord, path: string | null): readonly Row[] {
  if (path === null || batches.some(({ asked }) => asked.settle !== undefined)) return [];
  const firstOfTitle = new Map<string, string>();
  const together = batches.some(({ title, stack, measured }) => {
    if (measured === 0) return false;
    const key = stackKey(stack);
    const first = firstOfTitle.get(title) ?? key;
    firstOfTitle.set(title, first);
    return first !== key;
  });
  if (!together) return [];
  const named = basename(path) === 'record.json' ? dirname(path) : path;
  return [['compare', `pi-bench compare ${named} says which differences are real`]];
}

/** Launches whose time nobody knows. A campaign that is complete has made them again; of another nobody sees whether it did. */
function unendedText({ accounting, status }: PiBenchRecord): string {
  const attempts = accounting?.unended ?? 0;
  if (attempts === 0) return '';
  const since = status === 'complete' ? ', and repeated since' : '';
  return `; not in it: ${plural(attempts, 'launch', 'launches')} lost when pi-bench was killed${since}`;
}

/**
 * @param path of the record's file, or null when it is nowhere
 * @param whatNow becomes of a campaign that was interrupted, or may
 */
export function renderRecord(
  read: PiBenchRecord,
  path: string | null,
  style: Style,
  whatNow = 'pi-bench resume finishes it',
): string {
  const record = printable(read);
  const { accounting, labels, imported } = record;
  const machine = [
    labels.cpu_model,
    imported === undefined || labels.cpus !== null ? `${labels.cpus ?? '?'} CPUs` : null,
    limitText(record),
    labels.hypervisor && `guest of ${labels.hypervisor}`,
  ]
    .filter((part) => part)
    .join(', ');
  const gpus = gpuNames(record);
  return [
    renderBatches(record, style),
    '',
    ...statusLine(record, style, whatNow).flatMap((text) =>
      wrap(text, style.width - 2).map((line) => `  ${line}`),
    ),
    renderRows(
      [
        ['machine', machine === '' ? 'not known' : machine],
        ...(gpus.length === 0 ? [] : ([['GPU', gpus.join('; ')]] as Row[])),
        ...(accounting === null
          ? []
          : ([
              [
                'time',
                `${formatSeconds(accounting.wall, 3)}, ${formatShare(accounting.share, 2)} of it inside repetitions that count${unendedText(record)}`,
              ],
            ] as Row[])),
        ...atOnceRows(record),
        ...sourceRows(record),
        ...(path === null ? [] : ([['record', path]] as Row[])),
        ...compareRow(record, path),
      ],
      style,
    ),
  ].join('\n');
}

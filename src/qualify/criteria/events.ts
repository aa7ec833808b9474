/** What happened while it was measured: clocks that were lowered, errors that were counted. Seen once is seen. Pure. */
import { isGpu } from '../../devices/device.js';
import { notCheckedOf } from '../../readers/not-checked.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { causeNamed } from '../causes.js';
import { atMost, skipped, told } from '../findings.js';
import { type Criterion, judgeBatches } from './criterion.js';

type Evidence = Readonly<Record<string, number | string | boolean | null>>;

const evidences = ({ inspections }: RecordBatch, flag: string): readonly Evidence[] =>
  inspections.flatMap(({ flags }) =>
    flags.filter(({ name }) => name === flag).map(({ evidence }) => evidence),
  );

/** The most of any launch; 0: none raised the flag. */
const mostOf = (batch: RecordBatch, flag: string, name: string): number =>
  Math.max(0, ...evidences(batch, flag).map((evidence) => Number(evidence[name] ?? 0)));

const sumOf = (batch: RecordBatch, flag: string, name: string): number =>
  evidences(batch, flag).reduce((sum, evidence) => sum + Number(evidence[name] ?? 0), 0);

/** Why a flag could not be looked for; null: it was. */
const unseen = (batch: RecordBatch, flag: string): string | null =>
  notCheckedOf(batch).find(([name]) => name === flag)?.[1] ?? null;

/** Bits of the throttle reasons, each by itself: combined ones must not hide each other. */
const BITS = [
  ['software_thermal', 'thermal', 'softwareShare'],
  ['hardware_thermal', 'thermal', 'hardwareShare'],
  ['power_brake', 'power-brake', 'brakeShare'],
  ['hardware_slowdown', 'power-brake', 'hardwareSlowdownShare'],
] as const;

function gpuClock(batch: RecordBatch, limit: number, source: string): readonly Finding[] {
  const bits = BITS.map(([quantity, flag, name]) => {
    const why = unseen(batch, flag);
    return why === null
      ? atMost({ quantity, measured: mostOf(batch, flag, name), unit: '1', source }, limit)
      : skipped(quantity, why, source);
  });
  const capped = mostOf(batch, 'power-capped', 'share');
  if (unseen(batch, 'power-capped') !== null) return bits;
  return [
    ...bits,
    told({ quantity: 'power_capped', measured: capped, unit: '1', source, note: 'usual under full load' }),
  ];
}

/** Of a CPU, Intel's counters of thermal limits. */
function cpuClock(batch: RecordBatch, source: string): readonly Finding[] {
  const why = unseen(batch, 'throttled');
  if (why?.includes('thermal')) return [skipped('thermal_limits', why, source)];
  const counted = sumOf(batch, 'throttled', 'thermalThrottles');
  return [atMost({ quantity: 'thermal_limits', measured: counted, source: 'none in a launch' }, 0)];
}

const judgedAtAll = (findings: readonly Finding[]): boolean =>
  findings.some(({ verdict }) => verdict !== 'skipped');

export const clock: Criterion<'clock'> = {
  kind: 'clock',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const findings = isGpu(batch.device)
        ? gpuClock(batch, check.atMost, context.source)
        : cpuClock(batch, context.source);
      const braked = findings.some(
        ({ quantity, verdict }) => verdict === 'fail' && /brake|slowdown/.test(quantity),
      );
      return {
        possible: judgedAtAll(findings),
        findings,
        cause: causeNamed(braked ? 'power-brake' : 'thermal'),
      };
    }),
};

const CORRECTED_AT_MOST = 0;

const below = (seen: Evidence[string] | undefined, most: Evidence[string] | undefined): boolean =>
  typeof seen === 'number' && typeof most === 'number' && seen < most;

/** Fewer lanes or links than there are; transfers that were repeated are counted apart. */
const narrowed = ({ pcieWidth, mostPcieWidth, nvlinksUp, nvlinks }: Evidence): boolean =>
  below(pcieWidth, mostPcieWidth) || below(nvlinksUp, nvlinks);

export const counters: Criterion<'counters'> = {
  kind: 'counters',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const { source } = context;
      if (!isGpu(batch.device)) {
        const none = skipped('errors', 'no counters of a CPU are read during a launch', source);
        return { possible: false, findings: [none], cause: null };
      }
      const blind = unseen(batch, 'device-errors');
      const corrected = { source, otherwise: 'warn' } as const;
      const limit = check.correctedAtMost ?? CORRECTED_AT_MOST;
      const none = 'none may happen';
      const xids = evidences(batch, 'device-errors').flatMap(({ xids: text }) =>
        String(text ?? '')
          .split(',')
          .filter((xid) => xid !== ''),
      );
      const links = evidences(batch, 'link-degraded').filter(narrowed).length;
      const findings: readonly Finding[] =
        blind !== null
          ? [skipped('errors', blind, source)]
          : [
              atMost(
                {
                  quantity: 'uncorrected_errors',
                  measured: sumOf(batch, 'device-errors', 'eccUncorrected'),
                  source: none,
                },
                0,
              ),
              atMost(
                {
                  quantity: 'xids',
                  measured: xids.length,
                  source: none,
                  note: xids.length === 0 ? null : `XID ${xids.join(', ')}`,
                },
                0,
              ),
              atMost({ quantity: 'degraded_links', measured: links, source: none }, 0),
              atMost(
                {
                  quantity: 'corrected_errors',
                  measured: sumOf(batch, 'device-errors', 'eccCorrected'),
                  ...corrected,
                },
                limit,
              ),
              atMost(
                {
                  quantity: 'pcie_replays',
                  measured: sumOf(batch, 'link-degraded', 'pcieReplays'),
                  ...corrected,
                },
                limit,
              ),
            ];
      const failed = new Set(
        findings.filter(({ verdict }) => verdict !== 'pass').map(({ quantity }) => quantity),
      );
      const cause = failed.has('uncorrected_errors')
        ? 'memory-errors'
        : failed.has('xids')
          ? 'driver-fault'
          : failed.has('degraded_links') || failed.has('pcie_replays')
            ? 'link'
            : 'corrected-errors';
      return { possible: judgedAtAll(findings), findings, cause: causeNamed(cause) };
    }),
};

/** What happened while it was measured: clocks that were lowered, errors that were counted. Seen once is seen. Pure. */
import { isGpu } from '../../devices/device.js';
import { overHostLink } from '../../indicators/memory-gpu.js';
import { notCheckedOf } from '../../readers/not-checked.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { causeNamed } from '../causes.js';
import { atMost, below, type Looked, skipped, told } from '../findings.js';
import { type Criterion, judgeBatches, seenLaunches } from './criterion.js';

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

/** What checks that see only a part say that they do not see. */
const PARTS = ['memory errors', 'fault reports', 'PCIe link', 'PCIe generation', 'repeated transfers'];

/**
 * Why a flag could not be looked for in some launch; null: it was, in all of them.
 * @param about the part of it that is asked for
 */
function unseen(batch: RecordBatch, flag: string, about: string | null = null): string | null {
  const why = notCheckedOf(batch).find(([name]) => name === flag)?.[1] ?? null;
  if (why === null || about === null) return why;
  return why.includes(about) || !PARTS.some((part) => why.includes(part)) ? why : null;
}

/** What was seen counts, also where not all could be seen; that nothing was seen counts only where all could. */
function watched(looked: Looked & { readonly measured: number }, limit: number, why: string | null): Finding {
  const finding = atMost(looked, limit);
  return finding.verdict === 'pass' && why !== null ? skipped(looked.quantity, why, looked.source) : finding;
}

/** Where no launch left anything to look at, an empty list of events is no evidence. */
const nothingSeen = (source: string): readonly Finding[] => [
  {
    ...skipped('launches', 'no launch was measured, so nothing could be seen', source),
    verdict: 'inconclusive',
  },
];

/** Bits of the throttle reasons, each by itself: combined ones must not hide each other. */
const BITS = [
  ['software_thermal', 'thermal', 'softwareShare'],
  ['hardware_thermal', 'thermal', 'hardwareShare'],
  ['power_brake', 'power-brake', 'brakeShare'],
  ['hardware_slowdown', 'power-brake', 'hardwareSlowdownShare'],
] as const;

function gpuClock(batch: RecordBatch, limit: number, source: string): readonly Finding[] {
  const bits = BITS.map(([quantity, flag, name]) =>
    watched({ quantity, measured: mostOf(batch, flag, name), unit: '1', source }, limit, unseen(batch, flag)),
  );
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
  const counted = sumOf(batch, 'throttled', 'thermalThrottles');
  const blind = why?.includes('thermal') === true ? why : null;
  const finding = watched(
    { quantity: 'thermal_limits', measured: counted, source: 'none in a launch' },
    0,
    blind,
  );
  return [finding.verdict === 'skipped' ? { ...finding, source } : finding];
}

const judgedAtAll = (findings: readonly Finding[]): boolean =>
  findings.some(({ verdict }) => verdict !== 'skipped');

export const clock: Criterion<'clock'> = {
  kind: 'clock',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      if (seenLaunches(batch).length === 0)
        return { findings: nothingSeen(context.source), cause: causeNamed('lost-launch') };
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

/** Fewer lanes or links than there are; transfers that were repeated are counted apart. Where no link is up, no bridge connects the card. */
const narrowed = ({ pcieWidth, mostPcieWidth, nvlinksUp, nvlinks }: Evidence): boolean =>
  below(pcieWidth, mostPcieWidth) || (nvlinksUp !== 0 && below(nvlinksUp, nvlinks));

/** Of a lower generation than GPU and slot can: of copies alone, as links that rest go slower. */
function slowLinks(batch: RecordBatch, source: string): readonly Finding[] {
  if (!overHostLink(batch.case.parameters)) return [];
  const slow = evidences(batch, 'link-degraded').filter(
    ({ pcieAwake, pcieGeneration, mostPcieGeneration }) =>
      pcieAwake === true && below(pcieGeneration, mostPcieGeneration),
  );
  const looked = { quantity: 'slow_links', measured: slow.length, source, otherwise: 'warn' } as const;
  return [watched(looked, 0, unseen(batch, 'link-degraded', 'PCIe generation'))];
}

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
      if (seenLaunches(batch).length === 0)
        return { findings: nothingSeen(source), cause: causeNamed('lost-launch') };
      const blindToErrors = unseen(batch, 'device-errors', 'memory errors');
      const blindToXids = unseen(batch, 'device-errors', 'fault reports');
      const blindToLink = unseen(batch, 'link-degraded', 'PCIe link');
      const blindToReplays = unseen(batch, 'link-degraded', 'repeated transfers');
      const corrected = { source, otherwise: 'warn' } as const;
      const limit = check.correctedAtMost ?? CORRECTED_AT_MOST;
      const none = 'none may happen';
      const xids = evidences(batch, 'device-errors').flatMap(({ xids: text }) =>
        String(text ?? '')
          .split(',')
          .filter((xid) => xid !== ''),
      );
      const links = evidences(batch, 'link-degraded').filter(narrowed).length;
      const findings: readonly Finding[] = [
        watched(
          {
            quantity: 'uncorrected_errors',
            measured: sumOf(batch, 'device-errors', 'eccUncorrected'),
            source: none,
          },
          0,
          blindToErrors,
        ),
        watched(
          {
            quantity: 'xids',
            measured: xids.length,
            source: none,
            note: xids.length === 0 ? null : `XID ${xids.join(', ')}`,
          },
          0,
          blindToXids,
        ),
        watched({ quantity: 'degraded_links', measured: links, source: none }, 0, blindToLink),
        ...slowLinks(batch, none),
        watched(
          {
            quantity: 'corrected_errors',
            measured: sumOf(batch, 'device-errors', 'eccCorrected'),
            ...corrected,
          },
          limit,
          blindToErrors,
        ),
        watched(
          {
            quantity: 'pcie_replays',
            measured: sumOf(batch, 'link-degraded', 'pcieReplays'),
            ...corrected,
          },
          limit,
          blindToReplays,
        ),
      ];
      const failed = new Set(
        findings
          .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
          .map(({ quantity }) => quantity),
      );
      const cause = failed.has('uncorrected_errors')
        ? 'memory-errors'
        : failed.has('xids')
          ? 'driver-fault'
          : ['degraded_links', 'slow_links', 'pcie_replays'].some((name) => failed.has(name))
            ? 'link'
            : 'corrected-errors';
      return { possible: judgedAtAll(findings), findings, cause: causeNamed(cause) };
    }),
};

/** What happened while it was measured: clocks that were lowered, errors that were counted. Seen once is seen. Pure. */
import { isGpu } from '../../devices/device.js';
import { overHostLink, peerOf } from '../../indicators/memory-gpu.js';
import { whysOf } from '../../readers/not-checked.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { LEAST_UNEXPLAINED } from '../../statistics/validity/clock-held.js';
import { faultsIn } from '../../telemetry/gpu-faults.js';
import { type CauseName, causeNamed } from '../causes.js';
import { atMost, below, type Looked, notSeen, skipped, told } from '../findings.js';
import { type Criterion, judgeBatches, nothingToShow, seenLaunches } from './criterion.js';
import { overTheRun } from './over-the-run.js';

type Evidence = Readonly<Record<string, number | string | boolean | null>>;

/** A launch that failed on a GPU has no flags: what was counted of errors until then its reason keeps. */
const errorsOfLost = ({ inspections }: RecordBatch): readonly Evidence[] =>
  inspections.flatMap(({ statistics, reason }) => {
    const faults = statistics === null ? faultsIn(reason ?? '') : null;
    return faults === null ? [] : [{ ...faults }];
  });

const evidences = (batch: RecordBatch, flag: string): readonly Evidence[] => [
  ...batch.inspections.flatMap(({ flags }) =>
    flags.filter(({ name }) => name === flag).map(({ evidence }) => evidence),
  ),
  ...(flag === 'device-errors' ? errorsOfLost(batch) : []),
];

/** The most of any launch; 0: none raised the flag. */
const mostOf = (batch: RecordBatch, flag: string, name: string): number =>
  Math.max(0, ...evidences(batch, flag).map((evidence) => Number(evidence[name] ?? 0)));

const sumOf = (batch: RecordBatch, flag: string, name: string): number =>
  evidences(batch, flag).reduce((sum, evidence) => sum + Number(evidence[name] ?? 0), 0);

/** What checks that see only a part say that they do not see. */
const PARTS = [
  'memory errors',
  'replaced rows',
  'fault reports',
  'PCIe link',
  'PCIe generation',
  'repeated transfers',
  'NVLink errors',
];

/** null: no launch has such a reason. */
function whyNot(batch: RecordBatch, flag: string, counts: (why: string) => boolean): string | null {
  const whys = whysOf(batch, flag).filter(counts);
  return whys.length === 0 ? null : whys.join('; ');
}

/**
 * Why a flag could not be looked for in some launch; null: it was, in all of them.
 * @param about the part of it that is asked for
 */
function unseen(batch: RecordBatch, flag: string, about: string | null = null): string | null {
  const isOfAll = (why: string): boolean => !PARTS.some((part) => why.includes(part));
  return whyNot(batch, flag, (why) => about === null || why.includes(about) || isOfAll(why));
}

/** What was seen counts, also where not all could be seen; that nothing was seen counts only where all could. */
function watched(looked: Looked & { readonly measured: number }, limit: number, why: string | null): Finding {
  const finding = atMost(looked, limit);
  return finding.verdict === 'pass' && why !== null ? notSeen(finding, why) : finding;
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
  ['clock_setting', 'clock-held', 'applicationClocksShare'],
  ['sync_boost', 'clock-held', 'syncBoostShare'],
] as const;

/** Without a bit that says why it may be the card's own way, which no setting mends: that is open, and no fault. */
const clockLoss = (batch: RecordBatch): Finding =>
  watched(
    {
      quantity: 'clock_below_most',
      measured: mostOf(batch, 'clock-held', 'unexplainedLoss'),
      unit: '1',
      source: 'its highest clock, where neither power nor heat says why',
      otherwise: 'inconclusive',
    },
    LEAST_UNEXPLAINED,
    unseen(batch, 'clock-held'),
  );

function gpuClock(batch: RecordBatch, limit: number, source: string): readonly Finding[] {
  const bits = BITS.map(([quantity, flag, name]) =>
    watched({ quantity, measured: mostOf(batch, flag, name), unit: '1', source }, limit, unseen(batch, flag)),
  );
  const events = [...bits, clockLoss(batch)];
  const capped = mostOf(batch, 'power-capped', 'share');
  if (unseen(batch, 'power-capped') !== null) return events;
  return [
    ...events,
    told({ quantity: 'power_capped', measured: capped, unit: '1', source, note: 'usual under full load' }),
  ];
}

/** Of a CPU, Intel's counters of thermal limits. */
function cpuClock(batch: RecordBatch): readonly Finding[] {
  const counted = sumOf(batch, 'throttled', 'thermalThrottles');
  const blind = whyNot(batch, 'throttled', (why) => why.includes('thermal'));
  return [watched({ quantity: 'thermal_limits', measured: counted, source: 'none in a launch' }, 0, blind)];
}

/** Of findings that do not hold, the worst first. */
function clockCause(findings: readonly Finding[]): CauseName {
  const isBad = (about: RegExp): boolean =>
    findings.some(
      ({ quantity, verdict }) => (verdict === 'fail' || verdict === 'inconclusive') && about.test(quantity),
    );
  if (isBad(/brake|slowdown/)) return 'power-brake';
  if (isBad(/thermal/)) return 'thermal';
  return isBad(/clock|sync/) ? 'clock-held' : 'thermal';
}

const judgedAtAll = (findings: readonly Finding[]): boolean =>
  findings.some(({ verdict }) => verdict !== 'skipped');

export const clock: Criterion<'clock'> = {
  kind: 'clock',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      if (seenLaunches(batch).length === 0)
        return { findings: nothingSeen(context.source), cause: nothingToShow(batch) };
      const findings = isGpu(batch.device) ? gpuClock(batch, check.atMost, context.source) : cpuClock(batch);
      return {
        possible: judgedAtAll(findings),
        findings,
        cause: causeNamed(clockCause(findings)),
      };
    }),
};

const CORRECTED_AT_MOST = 0;

/** The sum over launches of what each counted, held to a limit of its own. */
interface Counted {
  readonly quantity: string;
  readonly flag: 'device-errors' | 'link-degraded';
  /** Evidence that counts it: a number, or whether it came in the launch. */
  readonly name: string;
  /** What checks that do not see it say of themselves. */
  readonly part: (typeof PARTS)[number];
  /** Corrected, or repeated, and therefore no fault by itself: as many as the suite allows, and then a warning. */
  readonly mended: boolean;
}

/** Each a difference between the beginning of a launch and its end, in the order in which they matter. */
const COUNTED: readonly Counted[] = [
  {
    quantity: 'uncorrected_errors',
    flag: 'device-errors',
    name: 'eccUncorrected',
    part: 'memory errors',
    mended: false,
  },
  {
    quantity: 'new_failed_remaps',
    flag: 'device-errors',
    name: 'newRemapFailed',
    part: 'replaced rows',
    mended: false,
  },
  {
    quantity: 'new_pending_remaps',
    flag: 'device-errors',
    name: 'newRemapPending',
    part: 'replaced rows',
    mended: false,
  },
  {
    quantity: 'new_rows_uncorrected',
    flag: 'device-errors',
    name: 'newRowsUncorrected',
    part: 'replaced rows',
    mended: false,
  },
  // A spare row is used up, and there are few: more than a corrected bit.
  {
    quantity: 'new_rows_corrected',
    flag: 'device-errors',
    name: 'newRowsCorrected',
    part: 'replaced rows',
    mended: false,
  },
  {
    quantity: 'nvlink_recoveries',
    flag: 'link-degraded',
    name: 'nvlinkRecoveries',
    part: 'NVLink errors',
    mended: false,
  },
  {
    quantity: 'corrected_errors',
    flag: 'device-errors',
    name: 'eccCorrected',
    part: 'memory errors',
    mended: true,
  },
  {
    quantity: 'pcie_replays',
    flag: 'link-degraded',
    name: 'pcieReplays',
    part: 'repeated transfers',
    mended: true,
  },
  {
    quantity: 'nvlink_replays',
    flag: 'link-degraded',
    name: 'nvlinkReplays',
    part: 'NVLink errors',
    mended: true,
  },
  {
    quantity: 'nvlink_checksums',
    flag: 'link-degraded',
    name: 'nvlinkChecksums',
    part: 'NVLink errors',
    mended: true,
  },
];

const NONE = 'none may happen';

const countedFinding =
  (batch: RecordBatch, source: string, allowed: number) =>
  ({ quantity, flag, name, part, mended }: Counted): Finding =>
    watched(
      {
        quantity,
        measured: sumOf(batch, flag, name),
        source: mended ? source : NONE,
        otherwise: mended ? 'warn' : 'fail',
      },
      mended ? allowed : 0,
      unseen(batch, flag, part),
    );

/** What NVIDIA's list of XIDs names first as faults of the program, ours or another's, and not of the GPU. */
const OF_PROGRAMS = [
  '13', // Graphics engine exception.
  '31', // GPU memory page fault.
  '43', // GPU stopped processing.
  '45', // Preemptive cleanup, due to previous errors.
];

/** Faults that the driver reported, by their numbers: those of the GPU, and those that are mostly of a program, apart. */
function xidFindings(batch: RecordBatch): readonly Finding[] {
  const xids = evidences(batch, 'device-errors').flatMap(({ xids: text }) =>
    String(text ?? '')
      .split(',')
      .filter((xid) => xid !== ''),
  );
  const ofPrograms = xids.filter((xid) => OF_PROGRAMS.includes(xid));
  const others = xids.filter((xid) => !OF_PROGRAMS.includes(xid));
  const why = unseen(batch, 'device-errors', 'fault reports');
  const found = (quantity: string, own: readonly string[]) => ({
    quantity,
    measured: own.length,
    source: NONE,
    note: own.length === 0 ? null : `XID ${own.join(', ')}`,
  });
  if (ofPrograms.length === 0) return [watched(found('xids', others), 0, why)];
  const open = found('application_xids', ofPrograms);
  return [
    watched(found('xids', others), 0, why),
    {
      ...atMost({ ...open, otherwise: 'inconclusive' }, 0),
      note: `${open.note}: mostly a fault of a program on this GPU, and no sure sign of a fault of the GPU`,
    },
  ];
}

/** Of findings that do not hold, the worst first. */
const CAUSES: readonly (readonly [cause: CauseName, ...quantities: readonly string[]])[] = [
  ['memory-errors', 'uncorrected_errors'],
  ['remap-failed', 'new_failed_remaps'],
  ['remap-pending', 'new_pending_remaps'],
  ['rows-replaced', 'new_rows_uncorrected', 'new_rows_corrected'],
  ['driver-fault', 'xids'],
  [
    'link',
    'degraded_links',
    'slow_links',
    'nvlink_recoveries',
    'pcie_replays',
    'nvlink_replays',
    'nvlink_checksums',
  ],
  ['application-fault', 'application_xids'],
  ['corrected-errors', 'corrected_errors'],
];

function causeOf(findings: readonly Finding[]): CauseName {
  const bad = new Set(
    findings
      .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
      .map(({ quantity }) => quantity),
  );
  const [name] = CAUSES.find(([, ...quantities]) => quantities.some((quantity) => bad.has(quantity))) ?? [];
  return name ?? 'corrected-errors';
}

/** Fewer lanes or links than there are; transfers that were repeated are counted apart. Where no link is up, no bridge connects the card. */
const narrowed = ({ pcieWidth, mostPcieWidth, nvlinksUp, nvlinks }: Evidence): boolean =>
  below(pcieWidth, mostPcieWidth) || (nvlinksUp !== 0 && below(nvlinksUp, nvlinks));

/** Of a lower generation than GPU and slot can: of copies alone, as links that rest go slower. */
function slowLinks(batch: RecordBatch, source: string): readonly Finding[] {
  const { parameters } = batch.case;
  if (!overHostLink(parameters) && peerOf(parameters) === null) return [];
  const slow = evidences(batch, 'link-degraded').filter(
    ({ pcieAwake, pcieGeneration, mostPcieGeneration }) =>
      pcieAwake === true && below(pcieGeneration, mostPcieGeneration),
  );
  const looked = { quantity: 'slow_links', measured: slow.length, source, otherwise: 'warn' } as const;
  const why = unseen(batch, 'link-degraded', 'PCIe generation');
  // Copies between GPUs that NVLinks connect use no PCIe: of these there is nothing to say.
  if (!overHostLink(parameters) && slow.length === 0 && why === null) return [];
  return [watched(looked, 0, why)];
}

export const counters: Criterion<'counters'> = {
  kind: 'counters',
  repeats: false,
  judge: (check, context) => [
    ...judgeBatches(check, context, (batch) => {
      const { source } = context;
      if (!isGpu(batch.device)) {
        const none = skipped(
          'errors',
          'a CPU counts no errors of a launch; those of its memory are looked at before and after all of them',
          source,
        );
        return { possible: false, findings: [none], cause: null };
      }
      const counted = COUNTED.map(countedFinding(batch, source, check.correctedAtMost ?? CORRECTED_AT_MOST));
      if (seenLaunches(batch).length === 0) {
        // What was counted until the launches failed counts; that nothing was says nothing.
        const bad = [...counted, ...xidFindings(batch)].filter(
          ({ verdict }) => verdict === 'fail' || verdict === 'inconclusive',
        );
        if (bad.length > 0) return { findings: bad, cause: causeNamed(causeOf(bad)) };
        return { findings: nothingSeen(source), cause: nothingToShow(batch) };
      }
      const links = evidences(batch, 'link-degraded').filter(narrowed).length;
      const blindToLink = unseen(batch, 'link-degraded', 'PCIe link');
      const findings: readonly Finding[] = [
        ...counted,
        ...xidFindings(batch),
        watched({ quantity: 'degraded_links', measured: links, source: NONE }, 0, blindToLink),
        ...slowLinks(batch, NONE),
      ];
      return { possible: judgedAtAll(findings), findings, cause: causeNamed(causeOf(findings)) };
    }),
    ...overTheRun(check, context),
  ],
};

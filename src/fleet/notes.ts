/** What is to be known beside a check's judgement and changes nothing in it, in words. Pure. */
import { plural } from '../quantities/format.js';
import type { HeldAgainst } from './baseline-centres.js';
import { beyondRows } from './beyond.js';
import { keyTitle } from './case-key.js';
import { fasterTexts } from './faster-group.js';
import type { JudgeTask, SeriesJudgement } from './judge-series.js';
import { type OptionalCheck, skippedTexts } from './open-checks.js';
import { spoiledTexts } from './spoiled.js';
import type { Fleet } from './table.js';

/** A baseline of before CPUs of one name were told apart. */
const hardwareText = ({ name }: HeldAgainst): string =>
  `the hardware of ${name}’s nodes is not known, and CPUs of several kinds have one name: whether it is that of these nodes cannot be told; make it anew (pi-bench fleet baseline)`;

/** A baseline of before the GPUs of a node were counted. */
const gpusText = ({ name }: HeldAgainst): string =>
  `${name} does not say how many GPUs a node has, so a node that lost some of them is not told by it; make it anew (pi-bench fleet baseline)`;

/** KPIs at which most nodes pass what bounds them. */
function boundTexts({ series }: Fleet): readonly string[] {
  return series.flatMap((one) => {
    const { length } = beyondRows(one, false);
    return length === 0 || beyondRows(one, true).length > 0
      ? []
      : [
          `${keyTitle(one.key)}: ${length} of ${plural(one.places.length, 'rate')} lie above what bounds them, so that bound is wrong: they are judged by each other all the same`,
        ];
  });
}

/** `ecc@cpu on 2 nodes, such as n1: uncorrected errors 3` */
export const warnedTexts = (warned: readonly OptionalCheck[]): readonly string[] =>
  warned.map(({ check, nodes, why }) => {
    const [first = ''] = nodes;
    return `${check} on ${nodes.length === 1 ? first : `${plural(nodes.length, 'node')}, such as ${first}`}: ${why}`;
  });

/** @param judgements of the series by which the nodes were judged, in their order */
export function notesOf(
  fleet: Fleet,
  baseline: HeldAgainst | null,
  task: Pick<JudgeTask, 'series' | 'nodes'>,
  judgements: readonly SeriesJudgement[],
): readonly string[] {
  return [
    ...(baseline === null || baseline.isHardwareKnown ? [] : [hardwareText(baseline)]),
    ...(baseline === null || baseline.areGpusCounted ? [] : [gpusText(baseline)]),
    ...spoiledTexts(fleet, baseline === null),
    ...skippedTexts(fleet.nodes),
    ...(baseline === null ? [...boundTexts(fleet), ...fasterTexts(task, judgements)] : []),
  ];
}

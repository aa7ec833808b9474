/**
 * Versions of pi-bench by which figures were measured that others are held to. A fleet of several is refused, because its kernels are what
 * was measured; one node after an update is judged, and told of it. Pure.
 */
import { areGpusCounted } from './baseline-key.js';
import type { Baseline } from './baseline-schema.js';
import type { Context } from './criteria/criterion.js';

/** Of the nodes, where it says so, or else of whoever wrote it. */
export const versionsOf = ({ nodes, piBench: writer }: Baseline): readonly string[] => {
  const told = nodes.map(({ piBench }) => (piBench === undefined ? writer.version : piBench));
  return [...new Set(nodes.length === 0 ? [writer.version] : told.filter((version) => version !== null))];
};

/** @param own of what is judged */
export const otherVersions = (theirs: readonly string[], own: readonly string[]): readonly string[] =>
  [...new Set(theirs)].filter((version) => !own.includes(version));

/** `, measured by pi-bench 0.1.0`; nothing where all are the own one. */
export const versionsText = (others: readonly string[]): string =>
  others.length === 0 ? '' : `, measured by pi-bench ${others.join(', ')}`;

/** Of a baseline from before CPUs of one name were told apart. */
const hardwareNotices = ({ name, hardware = {}, entries }: Baseline): readonly string[] =>
  Object.keys(hardware).length > 0 || entries.every(({ device }) => device.kind !== 'cpu')
    ? []
    : [`floor: whether baseline ${name} is of this very CPU, and not of another with its name: not known`];

/** Of a baseline from before the GPUs of a node were counted. */
const gpuNotices = (baseline: Baseline): readonly string[] =>
  areGpusCounted(baseline)
    ? []
    : [
        `floor: whether some of this node’s GPUs are missing: baseline ${baseline.name} does not say how many a node has (make it anew, or give --expect gpu=N)`,
      ];

/** What cannot be told of a node because others were measured by another version, in words. */
export function versionNotices(
  own: string,
  { baseline, history, expected }: Pick<Context, 'baseline' | 'history' | 'expected'>,
): readonly string[] {
  const notice = (check: string, what: string, others: readonly string[]): readonly string[] =>
    others.length === 0
      ? []
      : [
          `${check}: whether a difference to ${what} is the node’s: pi-bench ${others.join(', ')} measured it, and this is ${own}`,
        ];
  return [
    ...(baseline === null ? [] : hardwareNotices(baseline)),
    ...(baseline === null || expected.gpu !== undefined ? [] : gpuNotices(baseline)),
    ...(baseline === null
      ? []
      : notice('floor', `baseline ${baseline.name}`, otherVersions(versionsOf(baseline), [own]))),
    ...notice(
      'history',
      'what the node was',
      otherVersions(
        history.map(({ version }) => version),
        [own],
      ),
    ),
  ];
}

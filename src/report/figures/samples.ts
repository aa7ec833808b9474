/** Samples over time of a few launches of one batch, with warm-up and disturbed repetitions: a panel for each. */
import { formatSeconds, plural } from '../../quantities/format.js';
import { sentence } from '../comparison.js';
import { launchText } from '../counted.js';
import type { ShownLaunch } from '../details.js';
import type { Bucket } from '../envelope.js';
import type { BatchFigure, Cell } from './figure.js';
import { brief, NOT_PUBLISHED } from './parts.js';
import { flagsOf, headOf, samplesSpec } from './samples-panels.js';

const cells = (launch: number, phase: string, buckets: readonly Bucket[]): Cell[][] =>
  buckets.map(({ time, n, low, middle, high, disturbed }) => [
    launch,
    phase,
    ...[time, low, middle, high].map(brief),
    n,
    disturbed,
  ]);

/** A warm-up that is longer than the repetitions would leave them no room: its last part is drawn, as long as they are. */
function withoutLongWarmup(shown: readonly ShownLaunch[]): readonly ShownLaunch[] {
  const end = Math.max(...shown.flatMap(({ buckets }) => buckets.map(({ time, middle }) => time + middle)));
  return shown.map((launch) => ({ ...launch, warmup: launch.warmup.filter(({ time }) => time >= -end) }));
}

/** What triangles are, and of which launches there can be none. */
function trianglesText(shown: readonly ShownLaunch[]): string {
  const unknown = shown.filter(({ disturbedKnown }) => !disturbedKnown);
  if (unknown.length === shown.length)
    return 'Which repetitions were disturbed is not known, so that none is marked.';
  const but =
    unknown.length === 0 ? '' : `; of ${unknown.map((one) => launchText(one)).join(', ')} that is not known`;
  return `Triangles: repetitions in which a measuring thread may have lost its CPU${but}.`;
}

/** Of how many calls a sample is the mean: each launch finds that out for itself. */
function callsText(shown: readonly ShownLaunch[]): string {
  const calls = shown.map(({ callsPerSample }) => callsPerSample);
  const [least, most] = [Math.min(...calls), Math.max(...calls)];
  if (most === 1) return '';
  if (least === most) return ` A sample is the mean of ${most} calls.`;
  const each = shown.map(({ number, callsPerSample }) => `launch ${number}: ${callsPerSample}`);
  return ` A sample is the mean of ${least} to ${most} calls (${each.join(', ')}).`;
}

/** For who does not see the picture. */
function launchInWords(launch: ShownLaunch): string {
  const { buckets, repetitions, disturbedKnown } = launch;
  const low = Math.min(...buckets.map((bucket) => bucket.low));
  const high = Math.max(...buckets.map((bucket) => bucket.high));
  const hit = buckets.reduce((sum, { disturbed }) => sum + (disturbed ?? 0), 0);
  const disturbed = disturbedKnown ? `, ${plural(hit, 'disturbed repetition')}` : '';
  return `${headOf(launch)}: ${plural(repetitions, 'repetition')} from ${formatSeconds(low)} to ${formatSeconds(high)}${disturbed}, ${flagsOf(launch)}.`;
}

export const samples: BatchFigure = {
  scope: 'batch',
  name: 'samples',
  draw({ details, shapeOf }) {
    const title = 'Samples over time';
    if (shapeOf === 'launches') return { title, why: NOT_PUBLISHED };
    if (details === null)
      return { title, why: 'its samples were not read: the report reads those of a few batches' };
    const shown = details.shown.filter(({ buckets }) => buckets.length > 0);
    const missing = details.missing.map(({ launch, why }) => `launch ${launch} ${why}`).join('; ');
    if (shown.length === 0) return { title, why: missing || 'no launch was measured' };
    const drawnLaunches = withoutLongWarmup(shown);
    const cut = drawnLaunches.some(({ warmup }, i) => warmup.length < (shown[i]?.warmup.length ?? 0));
    const warm = cut ? 'warm-up (its last part; the data has all of it)' : 'warm-up';
    const most = Math.max(...shown.flatMap(({ buckets }) => buckets.map(({ n }) => n)));
    const bucket =
      most > 1
        ? ` Up to ${most} neighbouring repetitions share a place: the dot is their median, the bar reaches from the fastest to the slowest, so that no stall is lost.`
        : '';
    const counts = shown
      .map((launch) => `${launchText(launch)}: ${plural(launch.repetitions, 'repetition')}`)
      .join('; ');
    return {
      title,
      caption: `${sentence(counts)} Launches have their number in the campaign; all are on the same scale. Time 0 is where the first repetition begins; grey, before it: ${warm}, which does not count. ${trianglesText(shown)} Gaps are time in which no repetition ran.${bucket}${callsText(shown)}${missing === '' ? '' : ` Not drawn: ${missing}.`}`,
      alternative: shown.map(launchInWords).join(' '),
      spec: (theme) => samplesSpec(drawnLaunches, theme),
      zoomable: true,
      data: {
        columns: [
          'launch',
          'phase',
          'time_seconds',
          'low_seconds',
          'median_seconds',
          'high_seconds',
          'repetitions',
          'disturbed',
        ],
        rows: shown.flatMap(({ number, warmup, buckets }) => [
          ...cells(number, 'warm-up', warmup),
          ...cells(number, 'measure', buckets),
        ]),
      },
    };
  },
};

// The figures as Markdown. Pure.
import { table } from '../lib/table.mjs';
import { TAKEN } from './others.mjs';
import { EFFECT, NOISE } from './series.mjs';

export const LOW = 0.93;
export const HIGH = 0.97;

const percent = (share) => `${(100 * share).toFixed(1)}`;
const errorOf = (share, trials) => Math.sqrt((share * (1 - share)) / trials);

export function heading({ trials, repetitions, seed }, command) {
  return [
    '# How often the 95 % intervals contain the truth',
    `Written by \`${command}\`; the code that is judged is the one that writes records.`,
    [
      `- ${trials} trials of each setting, ${repetitions} repetitions in a launch, seed ${seed}: a coverage of 95 % has a standard error of ${percent(errorOf(0.95, trials))} points`,
      `- A repetition takes 1 + ${NOISE} x noise + ${EFFECT} x launch effect; rows: the noise inside a launch and the effects of launches. A normal one has a standard deviation of 1; of two modes each has, and they are 6 apart; one in ten of contaminated launches is 8 further; drifting is a rise by 1 over the launch`,
      `- Truth: what very many more launches of ${repetitions} repetitions have for their median; that is what another campaign of this kind would find`,
      '- After the stroke: of the same intervals, those that contain what launches without end would show, the quantile of all the repetitions of the launch in the middle. It is less where so few repetitions show something else: neighbours that depend on each other for long, and launch effects that are skewed or have modes, which the noise of short launches smears',
      '- p5 and p95: the intervals of the launches’ own quantiles',
      `- Bold, before the stroke: outside of ${100 * LOW} to ${100 * HIGH} % by more than two standard errors of a coverage at these ends`,
      ...TAKEN.map((line) => `- ${line}`),
    ].join('\n'),
  ].join('\n\n');
}

/**
 * Whether a coverage is outside of the target, chance allowed for.
 * @param {number} share
 * @param {number} trials
 */
export const misses = (share, trials) =>
  share < LOW - 2 * errorOf(LOW, trials) || share > HIGH + 2 * errorOf(HIGH, trials);

const cell = (share, trials) => (misses(share, trials) ? `**${percent(share)}**` : percent(share));

/** One row for each noise and effect, one column for each number of launches. */
export function coverageTable(settings, name, trials) {
  const counts = settings[0].result.byCount.map(({ k }) => k);
  const rows = settings.map(({ noise, effect, result }) => [
    `${noise}; launches: ${effect}`,
    ...result.byCount.map(
      ({ coverage }) => `${cell(coverage[name], trials)} / ${percent(coverage[`${name} ideal`])}`,
    ),
  ]);
  return table(['setting', ...counts.map((k) => `${k} launches`)], rows);
}

/** Of all launches, those that have an interval which misses: the most of any noise and number of repetitions. */
export const mostMissing = (rows) =>
  percent(
    Math.max(
      ...rows.flatMap(({ byCount }) =>
        byCount.map(({ given, coverage }) => (coverage === null ? 0 : given * (1 - coverage))),
      ),
    ),
  );

/** One row for each noise, one column for each number of repetitions. */
export function withinTable(rows) {
  return table(
    ['repetitions of the launch', ...rows[0].byCount.map(({ repetitions }) => String(repetitions))],
    rows.map(({ noise, byCount }) => [
      noise,
      ...byCount.map(({ given, coverage, times }) =>
        coverage === null ? '-' : `${percent(coverage)} of ${(100 * given).toFixed(0)}, x${times.toFixed(2)}`,
      ),
    ]),
  );
}

/** All methods side by side at one number of launches. */
export function methodsTable(settings, k) {
  const rows = settings.map(({ noise, effect, result }) => {
    const { coverage, widths } = result.byCount.find((one) => one.k === k);
    return [
      `${noise}; launches: ${effect}`,
      percent(coverage.median),
      percent(coverage.naive),
      percent(coverage.hyperfine),
      (widths.hyperfine / widths.median).toFixed(1),
      percent(result.criterion),
      percent(coverage.pyperf),
    ];
  });
  return table(['setting', 'ours', 'naive', 'hyperfine', 'its width / ours', 'criterion', 'pyperf'], rows);
}

export function sequentialTable(rows) {
  return table(
    ['setting', 'target', 'coverage', 'launches, median', 'most', 'reached'],
    rows.map(({ noise, effect, target, result }) => [
      `${noise}; launches: ${effect}`,
      `±${(100 * target).toFixed(2)} %`,
      cell(result.coverage, result.runs),
      String(result.launches),
      String(result.most),
      `${percent(result.reached)} %`,
    ]),
  );
}

export function spendingTable(rows) {
  return table(
    [
      'between launches',
      'of a repetition',
      'coverage',
      'reached',
      'launches',
      'repetitions',
      'time',
      'of the best',
    ],
    rows.map(({ between, within, trials, result }) => [
      `${(100 * between).toFixed(2)} %`,
      `${percent(within)} %`,
      cell(result.coverage, trials),
      `${percent(result.reached)} %`,
      String(result.launches),
      String(result.repetitions),
      `${result.seconds.toFixed(1)} s`,
      (result.seconds / result.best).toFixed(2),
    ]),
  );
}

/** What came of a real campaign, beside the series that are made up. */
export function replayedInShort({ title, machine, launches, counts }) {
  const range = (of) => {
    const all = counts.map((one) => 100 * one[of]);
    return `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} %`;
  };
  const [first] = counts;
  return `real launches, consecutive ones, as a campaign has them: ${range('consecutive')} for ${first.k} to ${counts.at(-1).k} of ${launches} (${title}, ${machine}); drawn at random: ${range('random')}; naive: ${range('naive')}`;
}

export function replayed({
  title,
  machine,
  repetitions,
  launches,
  dependence,
  counts,
  sequential,
  oneLaunch,
}) {
  const alike =
    dependence === null
      ? 'not known'
      : `lag-1 ${dependence.lag1.toFixed(2)}, by chance in ${percent(dependence.p)} of 100`;
  return [
    `### ${title}, ${launches} launches of ${repetitions} repetitions, ${machine}`,
    `Truth: the median over all launches. Neighbouring launches: ${alike}. The interval within one launch contains it in ${percent(oneLaunch)} % of the launches. Drawn at random: launches from anywhere in the campaign. Consecutive: as many as came one after the other, from each place on, as a campaign of so many has them.`,
    table(
      ['launches', 'drawn at random', 'consecutive', 'naive, drawn at random'],
      counts.map(({ k, random, consecutive, naive }) => [
        String(k),
        percent(random),
        percent(consecutive),
        percent(naive),
      ]),
    ),
    table(
      ['target', 'coverage', 'launches, median', 'reached'],
      sequential.map(({ target, coverage, launches: taken, reached }) => [
        `±${(100 * target).toFixed(2)} %`,
        percent(coverage),
        String(taken),
        `${percent(reached)} %`,
      ]),
    ),
  ].join('\n\n');
}

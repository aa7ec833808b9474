// The figures of bench:memory as tables. Pure.
import { formatBytes } from '../../dist/quantities/format.js';
import { counts, countsOfTargets, ratioText } from '../lib/paired.mjs';
import { table, threadsText } from '../lib/table.mjs';

const GIGA = 1e9;

const rateText = (rate) => (rate / GIGA).toFixed(rate < 100 * GIGA ? 2 : 1);

const CELLS = { holds: 'yes', missed: 'MISSED' };

/** @param {{ pass: string, threads: number }} situation */
export const heading = ({ pass, threads }) => `${pass}, ${threadsText(threads)}, GB/s`;

/**
 * One pass and number of threads: a row for each size, a column for each way, then the comparisons.
 * @param {readonly import('./results.mjs').Figures[]} cases
 */
export function caseTable(cases) {
  const [{ rates, comparisons }] = cases;
  const names = Object.keys(rates);
  const sides = comparisons.length === 2 ? ['of the library', 'of the best way'] : ['of the best way'];
  const header = ['bytes', ...names, 'chosen', ...sides.flatMap((side) => [side, 'holds']), 'best way'];
  const rows = cases.map(({ situation, rates: found, chosen, comparisons: compared }) => [
    formatBytes(situation.bytes),
    ...names.map((name) => rateText(found[name])),
    chosen.join(', '),
    ...compared.flatMap((comparison) => [
      ratioText(comparison),
      CELLS[comparison.verdict] ?? comparison.verdict,
    ]),
    compared.at(-1).name,
  ]);
  return table(header, rows);
}

/**
 * How many targets hold, and those that do not or are not known to, one a line; and every wrong result.
 * @param {readonly import('./results.mjs').Figures[]} cases
 */
export function summary(cases) {
  const all = cases.flatMap(({ situation, comparisons }) =>
    comparisons.map((comparison) => ({ situation, ...comparison })),
  );
  const lines = (word, those) =>
    those.map(
      (comparison) =>
        `- ${word} ${comparison.situation.pass} of ${formatBytes(comparison.situation.bytes)}, ${threadsText(comparison.situation.threads)}: ${ratioText(comparison)} of ${comparison.name}, target ${comparison.target}`,
    );
  const { missed, tied, few, open } = counts(all);
  const wrong = cases.flatMap(({ situation, wrong: those }) =>
    those.map(
      ({ name, wrong: elements }) =>
        `- WRONG ${situation.pass} of ${formatBytes(situation.bytes)}: ${name} left ${elements} elements wrong`,
    ),
  );
  return [
    countsOfTargets(all),
    '',
    ...wrong,
    ...lines('MISSED', missed),
    ...lines('tie', tied),
    ...lines('few', few),
    ...lines('not judged', open),
  ];
}

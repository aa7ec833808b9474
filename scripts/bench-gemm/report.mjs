// The figures as tables. Pure.
import { counts, countsOfTargets, ratioText } from '../lib/paired.mjs';
import { table, threadsText } from '../lib/table.mjs';

const GIGA = 1e9;

function rateText(rate) {
  const value = rate / GIGA;
  return value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0);
}

/** A rate; ~ where most turns had no undisturbed sample; a word in its place where there is none. */
function rateCell(row) {
  if (row === undefined) return '';
  if (row.trouble === null) return `${rateText(row.rate)}${row.contended ? ' ~' : ''}`;
  if (row.trouble.startsWith('WRONG')) return 'WRONG';
  if (row.trouble.startsWith('unsupported')) return '-';
  return row.trouble.includes('of the peak') ? 'ABOVE PEAK' : 'FAILED';
}

const WORDS = { jit: 'JIT', avx2: 'AVX2' };
const NOTHING = 'no library measured has this type';

function rivalText({ versus, rival, failed }) {
  if (rival !== null) return WORDS[versus] ?? rival;
  return failed.length > 0 ? failed.join(' and ') : NOTHING;
}

/** The worst first: what one row says of several comparisons. */
const CELLS = [
  ['missed', 'MISSED'],
  [null, 'not compared'],
  ['rival failed', 'not judged'],
  ['disturbed', 'disturbed'],
  ['few', 'few'],
  ['tie', 'tie'],
  ['holds', 'yes'],
];

function verdictCell(comparisons) {
  const judged = comparisons.filter(({ target }) => target !== null);
  return CELLS.find(([verdict]) => judged.some((one) => one.verdict === verdict))?.[1] ?? '';
}

const first = (names) => [...new Set(names)];

/** Where the comparisons of a case go: what is compared with what, both ratios, target, verdict. */
function comparisonCells(comparisons) {
  const column = (text) => comparisons.map(text).join(', ');
  return [
    column(rivalText),
    column(ratioText),
    column(({ ratio, bestRatio }) => (ratio === null ? '' : bestRatio.toFixed(3))),
    column(({ target }) => (target === null ? '' : String(target))).replace(/^[, ]+$/, ''),
    verdictCell(comparisons),
  ];
}

/**
 * One data type and number of threads: a row for each shape, a column for each candidate, the comparisons of the first of
 * our kernels and those with its prepacked operand.
 * @param {readonly import('./results.mjs').Figures[]} cases
 */
export function caseTable(cases) {
  const names = first(cases.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const own = cases[0].rows.find(({ role }) => role === 'own')?.name;
  const header = ['m x n x k', ...names, 'of the peak', 'rival', 'ratio', 'at best', 'target', 'holds'];
  const rows = cases.map(({ situation, peak, rows: figures, comparisons }) => {
    const mine = figures.find(({ name }) => name === own);
    return [
      situation.shape.name,
      ...names.map((name) => rateCell(figures.find((row) => row.name === name))),
      mine?.trouble === null && peak !== null ? (mine.rate / peak).toFixed(3) : '',
      ...comparisonCells(comparisons.filter((one) => [own, `${own} prepacked`].includes(one.own))),
    ];
  });
  return table(header, rows);
}

const unitOf = (type) => (type === 'int8' ? 'GOP/s' : 'GFLOP/s');

export const heading = ({ type, threads }) => `${type}, ${threadsText(threads)}, ${unitOf(type)}`;

/** Which kernels were at work under a table, and how much of it was disturbed. */
export function footnotes(cases) {
  const rows = cases.flatMap((figures) => figures.rows);
  const kernels = first(rows.map(({ name }) => name)).flatMap((name) => {
    const said = first(
      rows
        .filter((row) => row.name === name && row.trouble === null)
        .map(({ kernel, setting, pinned }) =>
          [kernel, setting && `(set: ${setting})`, pinned ? '' : '(not pinned)'].filter(Boolean).join(' '),
        ),
    );
    const version = rows.find((row) => row.name === name && row.trouble === null)?.version ?? '';
    const number = /\d+(\.\d+)+/.exec(version)?.[0] ?? '';
    return said.length === 0 ? [] : [`${[name, number].filter(Boolean).join(' ')}: ${said.join(', ')}`];
  });
  const sound = rows.filter(({ trouble }) => trouble === null);
  const samples = sound.reduce((sum, row) => sum + row.samples, 0);
  const disturbed = sound.reduce((sum, row) => sum + row.disturbed, 0);
  const peaks = cases.flatMap(({ peak }) => (peak === null ? [] : [peak]));
  return [
    `Peak in registers: ${first([Math.min(...peaks), Math.max(...peaks)].map(rateText)).join(' to ')}. Kernels: ${kernels.join('; ')}.`,
    `Samples disturbed and left out: ${disturbed} of ${samples}.`,
    ...troubles(cases),
  ];
}

/** What failed, and where: a line for each candidate and each trouble that it had. */
function troubles(cases) {
  /** @type {Map<string, string[]>} */
  const places = new Map();
  for (const { situation, rows } of cases) {
    for (const { name, trouble } of rows) {
      if (trouble === null || trouble.startsWith('unsupported')) continue;
      const text = `${name}: ${trouble}`;
      places.set(text, [...(places.get(text) ?? []), situation.shape.name]);
    }
  }
  return [...places].map(([text, shapes]) =>
    shapes.length > 1 && shapes.length === cases.length
      ? `${text} (in every case)`
      : `${shapes.join(', ')}: ${text}`,
  );
}

/** Of comparisons without a target: where ours is at least as fast, as surely as where a target holds. */
function countsBeside(what, comparisons) {
  if (comparisons.length === 0) return [];
  const { held, missed, tied, few, open, above, below } = counts(comparisons);
  const alone =
    few.length === 0 ? '' : `; by the ratio alone at least as fast in ${above} and slower in ${below}`;
  return [
    `Without a target, beside ${what}: of ${comparisons.length} cases at least as fast in ${held.length}, slower in ${missed.length}, undecided in ${tied.length}, not judged in ${open.length}${alone}.`,
  ];
}

/** Why nothing is decided, where that is not the ratio's own. */
function reasonOf({ verdict, failed }) {
  if (verdict === 'rival failed') return `, ${failed.join(' and ')} failed`;
  return verdict === null ? `, ${NOTHING}` : '';
}

/**
 * How many targets hold, and those that do not or are not known to, one a line.
 * @param {readonly Pick<import('./results.mjs').Figures, 'situation' | 'comparisons'>[]} cases
 */
export function summary(cases) {
  const all = cases.flatMap(({ situation, comparisons }) =>
    comparisons.map((comparison) => ({ situation, ...comparison })),
  );
  const aimed = all.filter(({ target }) => target !== null);
  const free = all.filter(({ target, ratio }) => target === null && ratio !== null);
  const beside = (side) => free.filter(({ versus }) => versus === side);
  const lines = (word, which) =>
    which.map((comparison) => {
      const { situation, own, rival, target } = comparison;
      const shown = rival === null ? '' : ` ${ratioText(comparison)} of ${rivalText(comparison)}`;
      const where = `${situation.type} ${situation.shape.name}, ${threadsText(situation.threads)}`;
      return `- ${word} ${where}: ${own}${shown}, target ${target}${reasonOf(comparison)}`;
    });
  const { missed, tied, few, open } = counts(aimed);
  return [
    // With transposed operands and batches there are none.
    ...(aimed.length === 0 ? [] : [countsOfTargets(aimed)]),
    ...countsBeside('the best library', beside('library')),
    ...countsBeside('code generated for the shape', beside('jit')),
    ...countsBeside('the best with operands prepacked on both sides', beside('prepacked')),
    ...countsBeside('the build before', beside('before')),
    '',
    ...lines('MISSED', missed),
    ...lines('tie', tied),
    ...lines('few', few),
    ...lines('not judged', open),
  ];
}

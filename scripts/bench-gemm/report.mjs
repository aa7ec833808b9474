// The figures as tables that a terminal shows aligned and markdown takes as they are. Pure.
const GIGA = 1e9;

/** Rows of cells as a markdown table, the columns aligned: the first to the left, the others to the right. */
export function table(header, rows) {
  const widths = header.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => `${column === 0 ? '' : ''}${'-'.repeat(width + (column === 0 ? 2 : 1))}${column === 0 ? '' : ':'}`).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

export function rateText(rate) {
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

const comparisonText = ({ ratio, rival, versus }) =>
  rival === null
    ? 'no library here has this type'
    : `${ratio.toFixed(3)} ${versus === 'jit' ? 'JIT' : rival}`;

function verdict(comparisons) {
  const judged = comparisons.filter(({ target }) => target !== null);
  if (judged.length === 0) return '';
  if (judged.some(({ holds }) => holds === false)) return 'MISSED';
  if (judged.every(({ holds }) => holds === true)) return 'yes';
  return judged.some(({ rival }) => rival === null) ? 'not compared' : 'disturbed';
}

const first = (names) => [...new Set(names)];

/** One data type and number of threads: a row for each shape, a column for each candidate. */
export function caseTable(cases) {
  const names = first(cases.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const own = cases[0].rows.find(({ role }) => role === 'own')?.name;
  const header = ['m x n x k', ...names, 'ratio to the best', 'of the peak', 'target', 'holds'];
  const rows = cases.map(({ situation, peak, rows: figures, comparisons }) => {
    const mine = figures.find(({ name }) => name === own);
    const shown = comparisons.filter((comparison) => comparison.own.startsWith(own));
    return [
      situation.shape.name,
      ...names.map((name) => rateCell(figures.find((row) => row.name === name))),
      shown.map(comparisonText).join(', '),
      mine?.trouble === null && peak !== null ? (mine.rate / peak).toFixed(3) : '',
      shown
        .filter(({ target }) => target !== null)
        .map(({ target }) => String(target))
        .join(', '),
      verdict(shown),
    ];
  });
  return table(header, rows);
}

export const unitOf = (type) => (type === 'int8' ? 'GOP/s' : 'GFLOP/s');

export const heading = ({ type, threads }) =>
  `${type}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${unitOf(type)}`;

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
    return said.length === 0 ? [] : [`${name}: ${said.join(', ')}`];
  });
  const sound = rows.filter(({ trouble }) => trouble === null);
  const samples = sound.reduce((sum, row) => sum + row.samples, 0);
  const disturbed = sound.reduce((sum, row) => sum + row.disturbed, 0);
  const peaks = cases.flatMap(({ peak }) => (peak === null ? [] : [peak]));
  return [
    `Peak in registers: ${first([Math.min(...peaks), Math.max(...peaks)].map(rateText)).join(' to ')}. Kernels: ${kernels.join('; ')}.`,
    `Samples disturbed and left out: ${disturbed} of ${samples}.`,
    ...cases.flatMap(({ situation, rows: figures }) =>
      figures
        .filter(({ trouble }) => trouble !== null && !trouble.startsWith('unsupported'))
        .map(({ name, trouble }) => `${situation.shape.name}: ${name}: ${trouble}`),
    ),
  ];
}

/** The targets that were missed, one a line, and how many were judged. */
export function summary(cases) {
  const judged = cases.flatMap(({ situation, comparisons }) =>
    comparisons.filter(({ holds }) => holds !== null).map((comparison) => ({ situation, ...comparison })),
  );
  const missed = judged.filter(({ holds }) => !holds);
  return [
    `${judged.length - missed.length} of ${judged.length} targets hold.`,
    ...missed.map(
      ({ situation, own, rival, ratio, target }) =>
        `MISSED ${situation.type} ${situation.shape.name} on ${situation.threads}: ${own} ${ratio === null ? 'has no result' : `${ratio.toFixed(3)} of ${rival}`}, target ${target}`,
    ),
  ];
}

/** The scores of stacks for a person: a row for each, then what weakens them. */
import { plural, significant } from '../../quantities/format.js';
import type { ScoreDocument, StackScore, Weakness } from '../../score/score.js';
import { differencesText } from '../comparison/comparable.js';
import { LAUNCHES_LOST } from '../comparison/lost-launches.js';
import { LIBRARY_CHOICE } from '../library-choice.js';
import { printable } from '../printable.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
const right = (head: string, text: string): Cell => ({ head, align: 'right', text });

function row({ name, score, interval, reason, cases, missing }: StackScore, style: Style): readonly Cell[] {
  const of = cases.length + missing.length;
  return [
    left('stack', name),
    right('score', score === null ? style.bad('none') : style.bold(significant(score, 4))),
    right(
      '95 %',
      interval === null ? '' : `${significant(interval.low, 4)}–${significant(interval.high, 4)}`,
    ),
    right('cases', missing.length === 0 ? String(of) : style.warn(`${cases.length} of ${of}`)),
    left('', reason ?? ''),
  ];
}

/** Each flag once, with how many cases it weakens, and how the first launch was lost. */
function flagsText(weaknesses: readonly Weakness[]): string {
  const titles = new Map<string, Set<string>>();
  for (const { flag, title } of weaknesses) titles.set(flag, (titles.get(flag) ?? new Set()).add(title));
  const lost = weaknesses.find(({ flag }) => flag === LAUNCHES_LOST);
  return [...titles]
    .map(([flag, { size }]) => {
      const how = flag === lost?.flag ? `: ${lost.reason}` : '';
      return `${flag} (${plural(size, 'case')}${how})`;
    })
    .join(', ');
}

/** The reference weakens every score: it is named once. */
function weaknessRows({ scores }: ScoreDocument, style: Style): readonly Row[] {
  const own = scores
    .filter(({ score, reason }) => score === null || reason === null)
    .map(({ name, weakenedBy }) => ({
      name,
      flags: flagsText(weakenedBy.filter(({ of }) => of === 'stack')),
    }));
  const ofReference = flagsText(
    scores.flatMap(({ weakenedBy }) => weakenedBy.filter(({ of }) => of === 'reference')),
  );
  return [...own, { name: 'all, by the reference', flags: ofReference }].flatMap(
    ({ name, flags }): readonly Row[] =>
      flags === '' ? [] : [['weakened', style.warn(`${name}: ${flags}`)]],
  );
}

/** In full, each once: a ratio that is about other code than one expects is not to be taken for the library's. */
const choiceRows = ({ scores }: ScoreDocument, style: Style): readonly Row[] =>
  [
    ...new Set(
      scores.flatMap(({ weakenedBy }) =>
        weakenedBy.flatMap(({ flag, reason }) => (flag === LIBRARY_CHOICE ? reason : [])),
      ),
    ),
  ].map((reason) => ['choice', style.warn(reason)]);

/** Why it is another figure than the mean of a comparison. */
const OF_MEDIANS =
  'Rates are those of the medians; the mean over cases of compare is that of the centres of the launches’ ratios';

export function renderScore(made: ScoreDocument, style: Style): string {
  const document = printable(made);
  const { definition, reference, scores, acrossLabels, forced, forcedPast } = document;
  const head = `${definition.name} ${definition.version} against ${reference.name} of ${reference.campaign}`;
  const unscored = [...new Set(scores.flatMap((one) => one.unscored))];
  const rows: readonly Row[] = [
    ...(unscored.length === 0
      ? []
      : ([['not scored', `${unscored.join(', ')}: no work is done there, so there is no rate`]] as Row[])),
    ...choiceRows(document, style),
    ...weaknessRows(document, style),
    ...(acrossLabels.length === 0
      ? []
      : ([
          [
            forced ? 'forced' : 'across',
            style.warn(`these differ, too, and may be the reason: ${differencesText(acrossLabels)}`),
          ],
        ] as Row[])),
    ...forcedPast.map((objection): Row => ['forced', style.warn(objection)]),
  ];
  return [
    ...wrap(style.bold(head), style.width),
    ...wrap(`${definition.formula}; 2 is twice as fast. ${OF_MEDIANS}`, style.width - 2).map(
      (line) => `  ${style.dim(line)}`,
    ),
    '',
    renderFitting(
      scores.map((one) => row(one, style)),
      { optional: [], shortened: 'stack', atLast: ['', '95 %'] },
      style,
    ),
    ...(rows.length === 0 ? [] : ['', renderRows(rows, style)]),
  ].join('\n');
}

/** Rules that could not look at all that was judged otherwise, so that their silence is not taken for a pass. Pure. */
import { plural } from '../quantities/format.js';
import { keyTitle } from './case-key.js';
import type { BaselineCentres, JudgeTask, SeriesJudgement } from './judge-series.js';
import { COLUMN, RULES, type RuleName } from './rules.js';
import { KNOTS } from './sketch.js';
import type { Fleet, Series } from './table.js';

type Rule = (typeof RULES)[number];

export interface UnseenRule {
  readonly rule: RuleName;
  /** KPIs that others of the rules judged and this one did not. */
  readonly kpis: number;
  /** Whether these are all that were judged. */
  readonly all: boolean;
  /** One of them; null: there is none. */
  readonly example: string | null;
  /** Values of nodes that are missing in the KPIs that it judged; of `overall`: devices that it did not judge. */
  readonly values: number;
  /** The first of these values: of which node, and at which KPI; null: there is none, or it is of all KPIs. */
  readonly missing: { readonly node: string; readonly kpi: string } | null;
  /** null: nobody knows more than that it is so. */
  readonly why: string | null;
}

const OLDER = 'the baseline is from before it was kept how far nodes differ by that: make it anew';

const whyOf = (all: readonly (BaselineCentres | null)[]): string | null =>
  all.some((one) => one?.older === true) ? OLDER : null;

/** Nodes whose line does not say what the rule takes; who has no rate that counts is named for that. */
function missingIn(
  { places, columns, sketches }: Series,
  rule: Rule,
): { readonly count: number; readonly place: number | null } {
  const [values, step] = rule === 'distribution' ? [sketches, KNOTS] : [columns[COLUMN[rule]], 1];
  let count = 0;
  let place: number | null = null;
  // A loop: of two million values.
  for (let row = 0; row < places.length; row++) {
    if (Number.isNaN(values[row * step]) && !Number.isNaN(columns.median[row])) {
      count++;
      place ??= places[row] ?? null;
    }
  }
  return { count, place };
}

/**
 * @param fleet whose the series are
 * @param judgements of the task's series, in their order
 * @param places that were not judged over all KPIs together, for want of what a baseline would have to say of that
 */
export function unseenRules(
  { nodes, places: all }: Pick<Fleet, 'nodes' | 'places'>,
  { series, centres }: JudgeTask,
  judgements: readonly SeriesJudgement[],
  places: number,
): readonly UnseenRule[] {
  const judged = series.flatMap((one, i) => {
    const limits = judgements[i]?.limits ?? {};
    return Object.keys(limits).length === 0 ? [] : [{ one, limits, centres: centres[i] ?? null }];
  });
  const whole: UnseenRule = {
    rule: 'overall',
    kpis: 0,
    all: false,
    example: null,
    values: places,
    missing: null,
    why: whyOf(centres),
  };
  const each = RULES.flatMap((rule): readonly UnseenRule[] => {
    const without = judged.filter(({ limits }) => limits[rule] === undefined);
    const looked = judged
      .filter(({ limits }) => limits[rule] !== undefined)
      .map(({ one }) => ({ one, ...missingIn(one, rule) }));
    const values = looked.reduce((sum, { count }) => sum + count, 0);
    const lacking = looked.find(({ count }) => count > 0);
    const head = nodes[all[lacking?.place ?? -1]?.node ?? -1];
    const missing =
      lacking === undefined || head === undefined
        ? null
        : { node: head.node, kpi: keyTitle(lacking.one.key) };
    if (without.length === 0 && values === 0) return [];
    const [first] = without;
    const example = first === undefined ? null : keyTitle(first.one.key);
    const why = whyOf(without.map(({ centres: of }) => of));
    return [
      { rule, kpis: without.length, all: without.length === judged.length, example, values, missing, why },
    ];
  });
  return places === 0 ? each : [...each, whole];
}

function missingText(values: number, missing: UnseenRule['missing']): string {
  const which = missing === null ? '' : `that of ${missing.node} at ${missing.kpi}`;
  if (values === 1 && which !== '') return `${which} is missing`;
  return `${plural(values, 'value')} of nodes ${values === 1 ? 'is' : 'are'} missing${which === '' ? '' : `, such as ${which}`}`;
}

/** `spread: not known of 3 KPIs, such as X; 2 values of nodes are missing, such as that of n3 at Y` */
export function unseenText({ rule, kpis, all, example, values, missing, why }: UnseenRule): string {
  const because = why === null ? '' : ` (${why})`;
  if (rule === 'overall') return `overall: not known of ${plural(values, 'device')}${because}`;
  const such = all ? 'any KPI' : kpis === 1 ? (example ?? '') : `${plural(kpis, 'KPI')}, such as ${example}`;
  return [
    `${rule}: `,
    kpis === 0 ? '' : `not known of ${such}${because}`,
    kpis > 0 && values > 0 ? '; ' : '',
    values === 0 ? '' : missingText(values, missing),
  ].join('');
}

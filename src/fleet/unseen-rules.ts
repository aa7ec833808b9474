/** Rules that could not look at all that was judged otherwise, so that their silence is not taken for a pass. Pure. */
import { plural } from '../quantities/format.js';
import { keyTitle } from './case-key.js';
import type { SeriesJudgement } from './judge-series.js';
import { COLUMN, RULES } from './rules.js';
import { KNOTS } from './sketch.js';
import type { Series } from './table.js';

type Rule = (typeof RULES)[number];

export interface UnseenRule {
  readonly rule: Rule;
  /** KPIs that others of the rules judged and this one did not. */
  readonly kpis: number;
  /** Whether these are all that were judged. */
  readonly all: boolean;
  /** One of them; null: there is none. */
  readonly example: string | null;
  /** Values of nodes that are missing in the KPIs that it judged. */
  readonly values: number;
}

/** Nodes whose line does not say what the rule takes. */
function missingIn({ places, columns, sketches }: Series, rule: Rule): number {
  const [values, step] = rule === 'distribution' ? [sketches, KNOTS] : [columns[COLUMN[rule]], 1];
  let missing = 0;
  // A loop: of two million values.
  for (let row = 0; row < places.length; row++) if (Number.isNaN(values[row * step])) missing++;
  return missing;
}

/** @param judgements of the series, in their order */
export function unseenRules(
  series: readonly Series[],
  judgements: readonly SeriesJudgement[],
): readonly UnseenRule[] {
  const judged = series.flatMap((one, i) => {
    const limits = judgements[i]?.limits ?? {};
    return Object.keys(limits).length === 0 ? [] : [{ one, limits }];
  });
  return RULES.flatMap((rule) => {
    const without = judged.filter(({ limits }) => limits[rule] === undefined);
    const values = judged
      .filter(({ limits }) => limits[rule] !== undefined)
      .reduce((sum, { one }) => sum + missingIn(one, rule), 0);
    if (without.length === 0 && values === 0) return [];
    const [first] = without;
    const example = first === undefined ? null : keyTitle(first.one.key);
    return [{ rule, kpis: without.length, all: without.length === judged.length, example, values }];
  });
}

/** `spread: not known of 3 KPIs, such as X; 2 values of nodes are missing` */
export function unseenText({ rule, kpis, all, example, values }: UnseenRule): string {
  const such = all ? 'any KPI' : kpis === 1 ? (example ?? '') : `${plural(kpis, 'KPI')}, such as ${example}`;
  return [
    `${rule}: `,
    kpis === 0 ? '' : `not known of ${such}`,
    kpis > 0 && values > 0 ? '; ' : '',
    values === 0 ? '' : `${plural(values, 'value')} of nodes ${values === 1 ? 'is' : 'are'} missing`,
  ].join('');
}

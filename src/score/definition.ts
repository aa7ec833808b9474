/** The score's definition, versioned: docs/score.md explains it, and a change of what it means is a new version. */

export const SCORE_DEFINITION = {
  name: 'pi-bench-score',
  version: 1,
  formula: 'geometric mean over the cases of rate / reference rate',
  rate: 'work of one repetition / median over launches of the launch medians',
  interval:
    'logarithms of the launches’ intervals, square and add, as standard errors with the degrees of Welch and Satterthwaite',
} as const;

/** How operations of a product of m x k and k x n are counted. A score does not depend on it: it is a ratio. */
export const FLOP_CONVENTION = '2mnk';
export const FLOP_CONVENTIONS = {
  [FLOP_CONVENTION]: 'each multiply-add counts as two: pi-bench’s rates',
  '2n^3-n^2': 'n^3 multiplications and (n - 1) n^2 additions: the rates of Thoth’s documents, squares only',
} as const;

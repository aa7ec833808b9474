/** The score's definition, versioned: docs/score.md explains it, and a change of what it means is a new version. */

export const SCORE_DEFINITION = {
  name: 'pi-bench-score',
  version: 1,
  formula: 'geometric mean over the cases of rate / reference rate',
  rate: 'work of one repetition / median over launches of the launch medians',
  interval:
    'logarithms of the launches’ intervals, square and add, as standard errors with the degrees of Welch and Satterthwaite',
} as const;

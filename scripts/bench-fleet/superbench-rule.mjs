// SuperBench's rule as its analyser has it: the mean of a metric, held against a baseline that is the mean of the nodes which keep
// the rule, found by leaving out who breaks it until nobody does.
const WITHIN = 0.05;

/** @param means of each node, by KPI. @returns for each node whether it is named */
export function namedByMeans(means) {
  const named = means.map(() => false);
  for (let k = 0; k < (means[0]?.length ?? 0); k++) {
    let kept = means.map((_, node) => node);
    for (;;) {
      const baseline = kept.reduce((sum, node) => sum + means[node][k], 0) / kept.length;
      const left = kept.filter((node) => means[node][k] / baseline - 1 >= -WITHIN);
      if (left.length === kept.length || left.length === 0) {
        means.forEach((own, node) => {
          if (own[k] / baseline - 1 < -WITHIN) named[node] = true;
        });
        break;
      }
      kept = left;
    }
  }
  return named;
}

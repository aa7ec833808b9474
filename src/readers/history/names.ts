/** What the series of a history are called. Pure. */
import { comparableParameters } from '../../record/comparable-parameters.js';
import { canonicalJson } from '../../record/digest.js';
import { type NamedBatch, nameBatches } from '../batch-names.js';
import { chosenText, type Entry } from '../comparison/sides.js';
import { shortHash } from '../comparison/stack-details.js';
import type { Series } from './series.js';

/** Its name, or of machines of one name the beginnings of their ids. */
function machineText({ labels: { machine, hostname } }: Entry, others: readonly Entry[]): string {
  const isUnique = others.every(({ labels }) => labels.machine === machine || labels.hostname !== hostname);
  return hostname != null && isUnique ? String(hostname) : shortHash(String(machine ?? 'unknown machine'));
}

/** A case as if all were of one stack: which it is stands behind its name. */
const ofAnyStack = ({ batch: { asked } }: Entry): NamedBatch => ({
  asked: { ...asked, stack: { provider: '', variant: null } },
});

/** By what their cases differ, as in one campaign, and by their stack and machine where there are several. */
export function namesOf(all: readonly Series[]): readonly string[] {
  const last = all.map(({ points }) => (points.at(-1) ?? points[0]).entry);
  const keys = last.map(({ batch: { case: one, device, asked } }) =>
    canonicalJson([
      comparableParameters(one),
      ...[one.indicator, device, asked.sampling, asked.labels ?? null, asked.atOnce ?? false],
    ]),
  );
  const cases = [...new Set(keys)]
    .map((key) => last[keys.indexOf(key)])
    .filter((entry) => entry !== undefined);
  const { names } = nameBatches(cases.map(ofAnyStack));
  const stacks = new Set(last.map(({ batch }) => chosenText(batch.stack)));
  const ofKey = new Map([...new Set(keys)].map((key, i) => [key, names[i] ?? cases[i]?.batch.title ?? '']));
  return last.map((entry, i) => {
    const same = last.filter((_, j) => j !== i && keys[j] === keys[i]);
    const parts = [
      ...(stacks.size > 1 ? [chosenText(entry.batch.stack)] : []),
      ...(same.some(({ labels }) => labels.machine !== entry.labels.machine)
        ? [machineText(entry, same)]
        : []),
    ];
    // Of one case the page or the table says which it is.
    const named = cases.length === 1 && parts.length > 0 ? [] : [ofKey.get(keys[i] ?? '') ?? ''];
    return [...named, ...parts].join(', ');
  });
}

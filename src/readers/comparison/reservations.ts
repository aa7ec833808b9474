/** What speaks against a comparison although it was made, in words: the same wherever its answer is shown. Pure. */
import { plural } from '../../quantities/format.js';
import { differencesText } from './comparable.js';
import type { ComparedBatch, ComparisonDocument } from './document.js';
import { LAUNCHES_LOST } from './lost-launches.js';

/** `(2 of 3 cases)`, where there is more than one. */
const share = (count: number, of: number): string => (of === 1 ? '' : ` (${count} of ${plural(of, 'case')})`);

/** Launches that are in no figure, with the first of the reasons. */
function launchTexts(own: readonly ComparedBatch[]): readonly string[] {
  const lost = own.flatMap(({ launchesLost }) => launchesLost ?? []);
  const missing = own.flatMap(({ launchesMissing }) => launchesMissing ?? []);
  return [
    ...(lost.length === 0 ? [] : [`${LAUNCHES_LOST}${share(lost.length, own.length)}: ${lost[0]}`]),
    ...(missing.length === 0 ? [] : [`launches-missing${share(missing.length, own.length)}: ${missing[0]}`]),
  ];
}

/**
 * Of each side that has any: what nobody verified and the validity flags of its batches, the launches that are in no figure, and the
 * flags that could not be looked for.
 */
export const flagTexts = ({ cases, sides }: ComparisonDocument): readonly string[] =>
  sides.flatMap(({ name }): readonly string[] => {
    const own = cases.flatMap(({ batches }) => batches.filter(({ side }) => side === name));
    const names = [...new Set(own.flatMap(({ flags }) => flags))].sort();
    const told = names.map(
      (flag) => `${flag}${share(own.filter(({ flags }) => flags.includes(flag)).length, own.length)}`,
    );
    const unverified = own.some(({ verified }) => verified === 'not-run') ? ['output not verified'] : [];
    const raised = [...unverified, ...told];
    const unseen = [...new Set(own.flatMap(({ notChecked }) => notChecked))].sort();
    return [
      ...(raised.length === 0 ? [] : [raised.join(', ')]),
      ...launchTexts(own),
      ...(unseen.length === 0 ? [] : [`in some launches not checked: ${unseen.join(', ')}`]),
    ].map((text) => `${name}: ${text}`);
  });

/** What a stack is called beside a side that is not named after it. */
const stackName = ({ stack: { own, provider } }: ComparedBatch): string => own?.name ?? provider;

/** Of each stack whose library chose code below what the CPU has, once, with the sides where it did: a ratio with it is about that, too. */
export function choicesOfSides({ by, cases, sides }: ComparisonDocument): readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const batch of cases.flatMap(({ batches }) => batches)) {
    if (batch.choice === null) continue;
    const text = `${by === 'stack' ? batch.side : stackName(batch)} ${batch.choice}`;
    found.set(text, (found.get(text) ?? new Set()).add(batch.side));
  }
  return [...found].map(([text, on]) => {
    const somewhere = by === 'stack' || on.size === sides.length ? '' : `${[...on].join(', ')}: `;
    return `${somewhere}${text}`;
  });
}

export interface Across {
  readonly head: 'forced' | 'across';
  readonly text: string;
}

/** null: no label differs that the user was asked about. */
export const acrossOf = ({ acrossLabels, forced }: ComparisonDocument): Across | null =>
  acrossLabels.length === 0
    ? null
    : {
        head: forced ? 'forced' : 'across',
        text: `these differ, too, and may be the reason: ${differencesText(acrossLabels)}`,
      };

/** What speaks against a comparison although it was made, in words: the same wherever its answer is shown. Pure. */
import { plural } from '../../quantities/format.js';
import { differencesText } from './comparable.js';
import type { ComparisonDocument } from './document.js';

/** Of each side that has any: what nobody verified, and the validity flags of its batches. */
export const flagTexts = ({ cases, sides }: ComparisonDocument): readonly string[] =>
  sides.flatMap(({ name }): readonly string[] => {
    const own = cases.flatMap(({ batches }) => batches.filter(({ side }) => side === name));
    const names = [...new Set(own.flatMap(({ flags }) => flags))].sort();
    const told = names.map((flag) => {
      const count = own.filter(({ flags }) => flags.includes(flag)).length;
      return own.length === 1 ? flag : `${flag} (${count} of ${plural(own.length, 'case')})`;
    });
    const unverified = own.some(({ verified }) => verified === 'not-run') ? ['output not verified'] : [];
    const all = [...unverified, ...told];
    return all.length === 0 ? [] : [`${name}: ${all.join(', ')}`];
  });

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

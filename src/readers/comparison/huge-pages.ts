/** Whether what is compared had as many huge pages behind its arrays: rates depend on them, and the kernel gives them or not. Pure. */
import { formatShare } from '../../quantities/format.js';
import { hugePagesOf } from '../huge-pages.js';
import type { Entry, MatchedCase, Side } from './sides.js';
import { noteOfSides, type Told } from './told.js';

/** Of what huge pages have room for: some pages more or less are no other memory. */
const LEAST_DIFFERENCE = 0.05;

const shareOf = (entry: Entry | null | undefined): number | null =>
  entry == null ? null : (hugePagesOf(entry.batch)?.share ?? null);

function toldOf({ entries: [reference, ...candidates] }: MatchedCase): readonly Told[] {
  const own = shareOf(reference);
  if (own === null) return [];
  return candidates.flatMap((candidate, i): readonly Told[] => {
    const other = shareOf(candidate);
    return other === null || Math.abs(own - other) < LEAST_DIFFERENCE
      ? []
      : [
          { side: 0, text: formatShare(own) },
          { side: i + 1, text: formatShare(other) },
        ];
  });
}

/** One sentence, with each side's shares; nothing where they are alike, or a record does not tell. */
export const hugePagesNote = (cases: readonly MatchedCase[], sides: readonly Side[]): readonly string[] =>
  noteOfSides(
    'huge pages: of the room that arrays have for them, the sides had other shares (of each the launch in the middle), which may be why rates differ',
    cases.flatMap(toldOf),
    sides,
  );

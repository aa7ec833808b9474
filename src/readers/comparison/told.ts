/** What a case tells of a side, where sides differ in more than what is compared. Pure. */
import type { Side } from './sides.js';

export interface Told {
  /** Index of the side. */
  readonly side: number;
  readonly text: string;
}

/** One sentence that begins so, with what each side tells, once; nothing where none does. */
export function noteOfSides(begin: string, told: readonly Told[], sides: readonly Side[]): readonly string[] {
  if (told.length === 0) return [];
  const texts = sides.flatMap(({ name }, at): readonly string[] => {
    const own = [...new Set(told.filter(({ side }) => side === at).map(({ text }) => text))];
    return own.length === 0 ? [] : [`${name} ${own.join(', ')}`];
  });
  return [`${begin}: ${texts.join('; ')}`];
}

/**
 * Whether what a library chose for this CPU is what the CPU is good for. Vendors' tables do not know every CPU, and variables hold a
 * library back. The one judgement: `doctor` asks it of the libraries here, readers of what a record says. Pure.
 */
import type { Advice } from '../machine/advice-check.js';
import type { LibraryChoices, LibrarySpec, VectorLevel } from './library-spec.js';

const LEVEL_NAMES: Readonly<Record<VectorLevel, string>> = { avx512: 'AVX-512', avx2: 'AVX2' };

/** Of a variable that did not get what it names. */
const NOT_TAKEN = 'this build of it does not take that: try another version or build';

/** What a library was told, what it chose, and on what. */
export interface Chosen {
  /** The library's own word. */
  readonly chose: string | null;
  /** Of the CPU, as the machine's description has them. */
  readonly features: readonly string[];
  /** In which it was loaded; without what is not known. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface PoorChoice {
  /** After the library's name: what it chose, on what, and what asked for it where something did. */
  readonly text: string;
  readonly remedy: string;
}

/** The widest vectors that a CPU has; null: none that would matter here. */
function levelOf(features: readonly string[]): VectorLevel | null {
  if (features.includes('avx512f') && features.includes('avx512bw')) return 'avx512';
  return features.includes('avx2') && features.includes('fma') ? 'avx2' : null;
}

const isGood = ({ avx512, avx2 }: LibraryChoices, level: VectorLevel, word: string): boolean =>
  avx512.test(word) || (level === 'avx2' && avx2.test(word));

const letters = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether the value of a variable names what was chosen: a number is a name in some version only. */
const names = (value: string, chose: string): boolean =>
  /[a-z]/i.test(value) && letters(chose).endsWith(letters(value));

/** null: the choice is good, or nothing is known of it. */
export function poorChoice(
  { choices }: Pick<LibrarySpec, 'choices'>,
  { chose, features, environment }: Chosen,
): PoorChoice | null {
  const level = levelOf(features);
  if (choices === null || chose === null || level === null || isGood(choices, level, chose)) return null;
  const { variables } = choices;
  const remedy = choices.remedy(level);
  const text = `chose its code for "${chose}" on a CPU with ${LEVEL_NAMES[level]}`;
  const variable = variables.find((name) => environment[name] !== undefined);
  const value = variable === undefined ? undefined : environment[variable];
  if (value === undefined) return { text, remedy };
  const set = `${variable}=${value}`;
  if (names(value, chose)) return { text: `${text}, as ${set} asks`, remedy };
  return {
    text: `${text}, with ${set} in its environment`,
    remedy: isGood(choices, level, value.toLowerCase()) ? NOT_TAKEN : remedy,
  };
}

/** @param path of the library's file */
export const choiceAdvice = (
  { provider }: Pick<LibrarySpec, 'provider'>,
  path: string,
  { text, remedy }: PoorChoice,
): Advice => ({
  topic: `${provider}-choice`,
  level: 'important',
  seen: `${path} ${text}`,
  why: 'a library that does not know a CPU takes code for another one and may leave a good part of its speed unused: a comparison would then be about that',
  action: `${remedy}; the record names what was chosen either way`,
});

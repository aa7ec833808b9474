/** The values that a flag of a sweep, or a parameter of a campaign file, stands for. Pure. */
import { expandValues, twiceIn } from '../quantities/expand.js';
import { QuantityError } from '../quantities/parse.js';

/** Each is a command with arguments of its own, which may have commas: `mpirun --mca btl tcp,self`. */
const COMMANDS: readonly string[] = ['launcher'];

export const isCommand = (name: string): boolean => COMMANDS.includes(name);

/** A list of programs is several; where one of them has arguments, it is one command. */
function valuesOfText(name: string, text: string): readonly string[] {
  const isOne = isCommand(name) && text.split(',').some((piece) => /\s/.test(piece.trim()));
  return isOne ? [text] : expandValues(text, `--${name}`);
}

/**
 * @param given a text, or a list of them, of which each is as if it were given alone
 * @throws QuantityError
 */
export function valuesOf(name: string, given: unknown): readonly string[] {
  if (!Array.isArray(given)) return valuesOfText(name, String(given));
  const values = given.flatMap((one) => valuesOfText(name, String(one)));
  const twice = twiceIn(values);
  if (twice !== null) throw new QuantityError(`--${name} has ${twice} more than once: leave one out`);
  return values;
}

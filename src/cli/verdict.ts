/**
 * `pi-bench verdict` without the rest of pi-bench: started every minute by a monitor, it may load next to nothing. The launcher
 * comes here first; whatever is not this command's plain use goes on to the command line proper.
 */
import { parseArgs } from 'node:util';
import { readAnswer, TIERS } from '../qualify/answer.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400 };
const DEFAULT_MAX_AGE = '24h';
const USAGE = 64;

/** Seconds; null where the text is no age. */
export function parseAge(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(s|m|min|h|d)$/.exec(text.trim()) ?? [];
  return digits === '' ? null : Number(digits) * (UNITS[unit] ?? Number.NaN);
}

/**
 * @param args after `verdict`
 * @returns the exit code; null: not for this short way (--help, a flag that it does not know, or one that stands there twice)
 */
export function verdict(
  args: readonly string[],
  print: (line: string) => void,
  complain: (line: string) => void,
): number | null {
  let values: { 'max-age'?: string | undefined; tier?: string | undefined; file?: string | undefined };
  let given: readonly string[];
  try {
    const parsed = parseArgs({
      args: [...args],
      options: { 'max-age': { type: 'string' }, tier: { type: 'string' }, file: { type: 'string' } },
      allowPositionals: false,
      tokens: true,
    });
    values = parsed.values;
    given = parsed.tokens.flatMap((token) => (token.kind === 'option' ? token.name : []));
  } catch {
    return null;
  }
  // Which of two was meant the long way asks.
  if (new Set(given).size < given.length) return null;
  const age = parseAge(values['max-age'] ?? DEFAULT_MAX_AGE);
  if (age === null) {
    complain(`pi-bench: --max-age takes an age such as 30min, 24h or 7d; got "${values['max-age']}"`);
    return USAGE;
  }
  const least = values.tier ?? null;
  if (least !== null && !TIERS.some((tier) => tier === least)) return null;
  const { line, code } = readAnswer(values.file ?? null, age, least);
  print(line);
  return code;
}

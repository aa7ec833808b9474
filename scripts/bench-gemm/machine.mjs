// What was measured with what: the machine, the libraries, the commit.
import { basename } from 'node:path';
import { commitLine, machineLine, systemLine } from '../lib/machine-lines.mjs';

/** Lines for people, which are markdown too. */
export function describe(candidates, { rounds, launches, seconds, seed }) {
  const files = [...new Set(candidates.flatMap(({ path }) => (path === null ? [] : [basename(path)])))];
  return [
    machineLine(),
    systemLine(),
    `- Libraries: ${files.length === 0 ? 'none found' : files.join(', ')}`,
    commitLine(),
    `- Each cell: median of ${rounds} turns of ${seconds} s in ${launches} launches, in an order drawn with seed ${seed}, and up to four times as many where those do not decide. Ratio: median over the rounds, of turns side by side, with its interval of 95 % over all looks (from 8 rounds on; with fewer the ratio alone decides); at best: of the fastest samples. One thread: CPU time, else the time on the wall. ~: disturbed in most turns, so no verdict; tie: the target lies inside the interval`,
  ].join('\n');
}

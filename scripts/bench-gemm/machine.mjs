// What was measured with what: the machine, the libraries, the commit.
import { basename } from 'node:path';
import { commitLine, machineLine, systemLine } from '../lib/machine-lines.mjs';
import { HOW_DECIDED } from '../lib/paired.mjs';

/** Lines for people, which are markdown too. */
export function describe(candidates, { rounds, launches, seconds, seed }) {
  const files = [...new Set(candidates.flatMap(({ path }) => (path === null ? [] : [basename(path)])))];
  return [
    machineLine(),
    systemLine(),
    `- Libraries: ${files.length === 0 ? 'none found' : files.join(', ')}`,
    commitLine(),
    `- Each cell: median of ${rounds} turns of ${seconds} s in ${launches} launches, in an order drawn with seed ${seed}, and up to four times as many where those do not decide. ${HOW_DECIDED} (few). At best: of the fastest samples. One thread: CPU time, else the time on the wall. Every candidate has the same CPUs and no others. ~: disturbed in most turns, so no verdict; tie: the target lies inside the interval, or between launches; not judged: a rival failed`,
  ].join('\n');
}

// What others did on a machine while a command ran: whether it was as quiet as a comparison of verdicts takes it to be.
// A neighbour on the same core of a host is seen by nothing here.
import { readFileSync } from 'node:fs';

/** Of the CPUs' time, taken by the hypervisor for others, and used by other processes of this system. */
const MOST_STOLEN = 0.01;
const MOST_OTHERS = 0.02;

/**
 * @param {string} stat /proc/stat
 * @param {string} self /proc/self/stat of the process whose children are the command
 * @returns ticks since boot of all CPUs, and of this process and what it has waited for
 */
export function ticksOf(stat, self) {
  const [user, nice, system, idle, wait, irq, soft, stolen] = stat
    .split('\n')[0]
    .trim()
    .split(/\s+/)
    .slice(1, 9)
    .map(Number);
  const busy = user + nice + system + irq + soft;
  // After the name, which may hold blanks and brackets: state is field 3; utime, stime, cutime and cstime are 14 to 17.
  const fields = self.slice(self.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { all: busy + idle + wait + stolen, busy, stolen, own };
}

const ticksNow = () => ticksOf(readFileSync('/proc/stat', 'utf8'), readFileSync('/proc/self/stat', 'utf8'));

/** Shares of the CPUs' time between two such counts. */
export function between(before, after) {
  const of = (name) => after[name] - before[name];
  return { stolen: of('stolen') / of('all'), others: Math.max(0, of('busy') - of('own')) / of('all') };
}

/** Runs a command of this process, and says what others did meanwhile. */
export function watched(command) {
  const before = ticksNow();
  const result = command();
  return { ...result, ...between(before, ticksNow()) };
}

export const wasQuiet = ({ stolen, others }) => stolen <= MOST_STOLEN && others <= MOST_OTHERS;

export const quietText = `at most ${MOST_STOLEN * 100} % of the CPUs' time stolen and ${MOST_OTHERS * 100} % used by others`;

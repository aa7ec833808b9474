/** What `mpirun` and the way to a host (ssh) have said, as one line for a person. Pure. */
import { unreachableHost } from '../execution/mpi-loss.js';

const RULER = /^[-=]{20,}$/;
const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;

interface Log {
  /** Between rulers, each as one line. */
  readonly notices: readonly string[];
  /** The lines outside of them. */
  readonly lines: readonly string[];
}

function partsOf(log: string): Log {
  const lines = log.split('\n').map((line) => line.trim());
  const notices: string[] = [];
  const outside: string[] = [];
  let notice: string[] | null = null;
  for (const line of lines) {
    if (RULER.test(line)) {
      if (notice !== null) notices.push(notice.join(' '));
      notice = notice === null ? [] : null;
    } else if (line !== '') (notice ?? outside).push(line);
  }
  if (notice !== null) notices.push(notice.join(' '));
  return { notices: notices.map((text) => text.replaceAll(/\s+/g, ' ')), lines: outside };
}

/** Results may be millions of letters; what is said of their end is behind them. */
const MOST_LETTERS = 4000;

/**
 * @param log of what came on stderr
 * @param output on stdout, where MPICH's launcher has its notice
 * @returns empty where nothing was said
 */
export function saidByMpirun(log: string, output: string): string {
  const { notices, lines } = partsOf(log);
  const unreachable = lines.findLast((line) => unreachableHost(line) !== null);
  if (unreachable !== undefined) return unreachable;
  const end = /TERMINATED WITH THE EXIT STRING: (.+)/.exec(output.slice(-MOST_LETTERS))?.[1];
  if (end !== undefined) return `the program on the host ended: ${end.trim()}`;
  const proxy = lines.findLast((line) => /^\[(proxy|mpiexec)/.test(line));
  const notice = notices.findLast((text) => text !== '');
  const own = proxy ?? (notice === undefined ? undefined : firstSentence(notice));
  // Where the launcher says why, pi-bench's progress says nothing more; where it only says that a program failed, that one knows.
  const says = own !== undefined && !/non-zero/i.test(own);
  const last = lines.findLast((line) => line !== proxy && !(says && line.startsWith('pi-bench: ')));
  return [last?.replace(/^pi-bench: /, ''), own].filter((text) => text !== undefined).join('; ');
}

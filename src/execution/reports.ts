/** What workers say, line by line. Libraries that they load can write to the same file, at any moment and anything. */
import type { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import type { Report } from '../inspection/job.js';

const EVENTS: Readonly<Record<Report['event'], true>> = {
  progress: true,
  written: true,
  joined: true,
  failed: true,
};
const MOST_CHARACTERS = 200;
/** Of a report many times less: it is somebody else's. */
const LONGEST_LINE = 1 << 20;

/**
 * Lines as they come, whole ones only. One without an end, as a progress that a library draws on one line, is given in parts: the second
 * half of what there is of it is kept, as a report may be coming at its end.
 */
export function onLines(
  stream: Pick<EventEmitter, 'on'> | null | undefined,
  onLine: (line: string) => void,
): void {
  // A character of several bytes may come in two pieces.
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    rest += first;
    for (const next of others) {
      onLine(rest);
      rest = next;
    }
    if (rest.length <= LONGEST_LINE) return;
    onLine(rest.slice(0, LONGEST_LINE / 2));
    rest = rest.slice(LONGEST_LINE / 2);
  });
}

/** null: a worker does not speak so. */
export function reportIn(line: string): Report | null {
  try {
    const said: unknown = JSON.parse(line);
    const known =
      typeof said === 'object' &&
      said !== null &&
      'event' in said &&
      Object.hasOwn(EVENTS, String(said.event));
    return known ? (said as Report) : null;
  } catch {
    return null;
  }
}

/** What becomes of a launch whose words can no longer be told from another's: what it says next may be cut or lost. */
export const unreadable = (line: string): Extract<Report, { event: 'failed' }> => ({
  event: 'failed',
  status: 'failed',
  message: `something else wrote to the file by which its process speaks with pi-bench: ${JSON.stringify(line.slice(0, MOST_CHARACTERS))}`,
});

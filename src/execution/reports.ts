/** What workers say, line by line. Libraries that they load can write to the same file, at any moment and anything. */
import type { EventEmitter } from 'node:events';
import type { Report } from '../inspection/job.js';

const EVENTS: Readonly<Record<Report['event'], true>> = {
  progress: true,
  written: true,
  joined: true,
  failed: true,
};
const MOST_CHARACTERS = 200;

/** Lines as they come, whole ones only. */
export function onLines(
  stream: Pick<EventEmitter, 'on'> | null | undefined,
  onLine: (line: string) => void,
): void {
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
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

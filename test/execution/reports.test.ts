/** What a launch says of itself, and what something else writes in between. */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { attend, joined } from '../../src/execution/mpi-ranks.js';
import { onLines, reportIn } from '../../src/execution/reports.js';
import { SPOKEN } from '../../src/inspection/job.js';
import { launchOf, WRITTEN } from './support.js';

/** For longer than a test may take. */
const GOES_ON = 'setTimeout(() => {}, 120_000);';
const STRAY = /^something else wrote to the file by which its process speaks with pi-bench: "x"$/;

describe('a line of a worker', () => {
  it('is a report', () => {
    const report = { event: 'progress', phase: 'measure', taken: 3 };
    expect(reportIn(JSON.stringify(report))).toEqual(report);
  });

  it.each([
    '',
    'x',
    'x{"event":"written"}',
    'null',
    '7',
    '[]',
    '{}',
    '{"event":"toString"}',
  ])('is none: %j', (line) => expect(reportIn(line)).toBeNull());
});

describe('lines', () => {
  const linesOf = (...pieces: readonly Uint8Array[]): readonly string[] => {
    const stream = new EventEmitter();
    const lines: string[] = [];
    onLines(stream, (line) => lines.push(line));
    for (const piece of pieces) stream.emit('data', piece);
    return lines;
  };

  it('are whole, in whatever pieces they come', () => {
    const [one, two] = ['{"path":"/home/jürgen/results"}', '日本'];
    const bytes = Buffer.from(`${one}\n${two}\n\nrest`);
    const all = [one, two, ''];
    expect(linesOf(bytes)).toEqual(all);
    expect(linesOf(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(all);
  });

  it('without an end are not kept for ever, and what stands at their end is', () => {
    const drawn = Buffer.from('\r10 %'.repeat(20_000));
    const lines = linesOf(...Array<Buffer>(100).fill(drawn), Buffer.from(WRITTEN));
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2 ** 21);
    expect(lines.join('')).toBe(drawn.toString().repeat(100) + WRITTEN.trimEnd());
    expect(lines.at(-1)?.endsWith(WRITTEN.trimEnd())).toBe(true);
  });
});

describe('a launch', () => {
  const says = (...lines: readonly string[]) =>
    launchOf(`for (const line of ${JSON.stringify(lines)}) writeSync(3, line); process.exit(0);`);

  it('on whose channel something else writes has failed, and is over', async () => {
    const end = await launchOf(`writeSync(3, 'x\\n'); ${GOES_ON}`);
    expect(end).toMatchObject({ status: 'failed', path: null });
    expect(end.reason).toMatch(STRAY);
  });

  it('on whose channel something else writes without an end has failed at once', async () => {
    const end = await launchOf(`writeSync(3, 'x'.repeat(1 << 21)); ${GOES_ON}`);
    expect(end).toMatchObject({ status: 'failed', path: null });
    expect(end.reason).toMatch(/^something else wrote .*: "x{200}"$/);
  });

  it('is not believed after that', async () => {
    expect(await says('x\n', WRITTEN)).toMatchObject({ status: 'failed', path: null });
  });

  it('that has said its last word is not changed by it', async () => {
    expect(await says(WRITTEN, 'x\n')).toMatchObject({ status: 'measured', path: 'there' });
  });
});

describe('ranks of which a line cannot be read', () => {
  it('have failed, with that line, and are ended', async () => {
    const program = `process.stdout.write('a library\\n${SPOKEN}x\\n'); ${GOES_ON}`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'pipe'] });
    const ranks = attend({ library: '/lib/libmpi.so', launcher: 'mpirun', ranks: 2 }, child);
    try {
      expect(await joined(ranks)).toMatchObject({
        why: expect.stringMatching(/pi-bench: ".*x"$/),
        how: 'failed',
      });
      await ranks.closed;
      expect(child.signalCode).toBe('SIGTERM');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/** What is said of where a launch was that is lost. */
import { describe, expect, it } from 'vitest';
import { hungText, lastHeardText } from '../../src/execution/last-heard.js';
import { launchOf } from './support.js';

/** A worker that says where it is, is silent for as long, and then ends itself by a signal. */
const lostAfter = (phase: string, taken: number, silentMs: number): string => {
  const report = JSON.stringify({ event: 'progress', phase, taken });
  return `writeSync(3, ${JSON.stringify(`${report}\n`)}); setTimeout(() => process.kill(process.pid, 'SIGSEGV'), ${silentMs});`;
};

describe('a launch that is lost', () => {
  it('was last heard of a while before: it may have come far since', async () => {
    const { status, reason } = await launchOf(lostAfter('start of libX.so', 0, 400));
    expect(status).toBe('crashed');
    const words =
      /^crashed with SIGSEGV, last heard of in phase start of libX\.so after 0 repetitions, (\S+) (m?s) before$/;
    const [, count, unit] = words.exec(reason ?? '') ?? [];
    // Slow machines make it longer.
    expect(Number(count) * (unit === 'ms' ? 1 : 1000)).toBeGreaterThanOrEqual(390);
  });

  it('says how far it was then, and how long before', () => {
    const last = { phase: 'measure', taken: 1204, at: 10 };
    expect(lastHeardText(last, 11.234)).toBe(
      'last heard of in phase measure after 1,204 repetitions, 1.2 s before',
    );
  });
});

describe('a launch that hangs', () => {
  it('did not end at its limit, and was killed later than that', () => {
    const last = { phase: 'warm-up', taken: 0, at: 104.5 };
    expect(hungText({ timeout: 3, launchedAt: 100 }, last, 106.125)).toBe(
      'hung: it did not end at its limit of 3.000 s and was killed 3.13 s later, last heard of in phase warm-up after 0 repetitions, 1.6 s before',
    );
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askForGpus } from '../../src/devices/gpu-survey.js';
import type { Seconds } from '../../src/units.js';

describe('asking the driver for GPUs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-survey-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const answerOf = (code: string, limit: Seconds) => {
    const worker = join(folder, 'worker.mjs');
    writeFileSync(worker, code);
    return askForGpus(limit, worker);
  };

  it('one that does not answer was asked, and for how long is said', () => {
    expect(answerOf('setTimeout(() => {}, 60_000);', 0.3)).toEqual({
      unheard: 'the NVIDIA driver did not answer within 0.3 s',
      timedOut: true,
    });
  });

  it('one that ends the process shows no GPU, which is an answer', () => {
    const crash = "process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 60_000);";
    expect(answerOf(crash, 30)).toMatchObject({
      problem: 'asking the NVIDIA driver ended with SIGKILL',
      devices: [],
    });
  });

  it('what it says is taken as it is', () => {
    const code = "import { writeSync } from 'node:fs'; writeSync(3, JSON.stringify({ devices: [] }));";
    expect(answerOf(code, 30)).toEqual({ devices: [] });
  });
});

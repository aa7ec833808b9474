/** What a check program says is told on: what it left out must not pass as checked. */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HOST, printResult, runProgram } from '../../scripts/lib/native-programs.mjs';
import { root, withFolder } from '../support/pi-bench.js';

afterEach(() => void vi.restoreAllMocks());

/** Runs a program that says this. */
const saying = (lines: readonly string[], onProgress = (_: string) => {}) =>
  withFolder(async (folder) => {
    const program = join(folder, 'says');
    writeFileSync(program, `#!/bin/sh\ncat <<'EOF'\n${lines.join('\n')}\nEOF\n`, { mode: 0o755 });
    return runProgram({ ...HOST, onProgress }, relative(root, program));
  });

const SAID = ['ok 1 - one', '# wide does not run here', '#> half: 2 s', '# wide does not run here', '1..1'];

describe('what a check program informs of', () => {
  it('stands once below its line', async () => {
    const printed: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    const result = await saying(SAID);
    expect(printResult(result)).toBe(true);
    expect(printed.join('').split('\n').slice(1)).toEqual(['  # wide does not run here', '']);
  });

  it('is no progress, which is told while it runs', async () => {
    const progress: string[] = [];
    await saying(SAID, (line) => void progress.push(line));
    expect(progress).toEqual(['half: 2 s']);
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { printText } from '../../src/cli/print-text.js';

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-print-'));

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const printed = (out: string | null): string => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  printText('text\n', out);
  return write.mock.calls.map(([text]) => String(text)).join('');
};

it('a text goes to stdout, or into a file, of which stdout has the name, or into what is no file, and nothing else', () => {
  const file = join(folder, 'text');
  expect(printed(null)).toBe('text\n');
  vi.restoreAllMocks();
  expect(printed(file)).toBe(`${file}\n`);
  expect(readFileSync(file, 'utf8')).toBe('text\n');
  vi.restoreAllMocks();
  expect(printed('/dev/null')).toBe('');
});

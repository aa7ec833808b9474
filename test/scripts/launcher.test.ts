/** The launcher where it cannot do its work: 1 is an answer of pi-bench, so no failure of its own may end with it, as Node's do. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, withFolder } from '../support/pi-bench.js';

/** An installed package of which only so much is there. */
function packageOf(folder: string, files: Readonly<Record<string, string>>): void {
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "version": "0.0.0"}');
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function run(folder: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'bin/pi-bench.mjs'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

const VERDICT = 'dist/bundle/cli/verdict.js';

describe('the launcher of a damaged installation', () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['its own modules are missing', {}, /Cannot find module/],
    ['what answers cannot be loaded', { [VERDICT]: 'import "./gone.js";' }, /Cannot find module/],
    ['what answers is cut off', { [VERDICT]: 'export const verdict = (' }, /Unexpected end of input/],
    [
      'what answers fails',
      { [VERDICT]: 'export const verdict = () => { throw new Error("EACCES"); };' },
      /EACCES/,
    ],
    [
      'what answers fails later',
      {
        [VERDICT]:
          'export const verdict = () => { setTimeout(() => { throw new Error("EIO"); }); return 0; };',
      },
      /EIO/,
    ],
  ])('ends with 70 and one line where %s', (_, files, says) =>
    withFolder(async (folder) => {
      packageOf(folder, files);
      if (VERDICT in files)
        cpSync(join(root, 'scripts/lib'), join(folder, 'scripts/lib'), { recursive: true });
      const { status, stdout, stderr } = run(folder, 'verdict');
      expect([status, stdout]).toEqual([70, '']);
      expect(stderr).toMatch(/^pi-bench: internal error: .*\n$/);
      expect(stderr).toMatch(says);
      expect(run(folder, 'verdict', '--debug').stderr).toMatch(/\n {4}at /);
    }));
});

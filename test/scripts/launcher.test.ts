/** The launcher where it cannot do its work: 1 is an answer of pi-bench, so no failure of its own may end with it, as Node's do. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** What a Node says of itself, before anything of ours is loaded. */
const pretending = (version: string, platform: string): string => {
  const said = { versions: { ...process.versions, node: version }, platform };
  const lines = Object.entries(said).map(
    ([name, value]) =>
      `Object.defineProperty(process, ${JSON.stringify(name)}, { value: ${JSON.stringify(value)} });`,
  );
  return `--import=data:text/javascript,${encodeURIComponent(lines.join(''))}`;
};

describe('where pi-bench does not run', () => {
  const start = (script: string, version: string, platform: string) =>
    spawnSync(process.execPath, [pretending(version, platform), join(root, script), '--version'], {
      encoding: 'utf8',
    });

  it.each([
    ['14.21.3', 'linux', /^pi-bench: Node 14.21.3 is too old or unsupported: use 20.19\+.*\n$/],
    ['22.11.0', 'linux', /^pi-bench: Node 22.11.0 is too old or unsupported.*\n$/],
    ['22.12.0', 'darwin', /^pi-bench: it measures on Linux only, and this is darwin\n$/],
  ])('it says so, and installing does not fail: Node %s, %s', (version, platform, says) => {
    const { status, stdout, stderr } = start('bin/pi-bench.mjs', version, platform);
    expect([status, stdout]).toEqual([70, '']);
    expect(stderr).toMatch(says);
    const installed = start('scripts/install.mjs', version, platform);
    expect(installed.status).toBe(0);
    expect(installed.stderr).toMatch(says);
  });

  it.each([
    'bin/pi-bench.mjs',
    'bin/supported.mjs',
    'scripts/install.mjs',
  ])('an old Node reads %s, and nothing that it cannot before it was asked for its version', (file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    for (const unknown of ['?.', '??', '||=', '&&=', 'replaceAll', '.at('])
      expect(code).not.toContain(unknown);
    // Within functions only, which are indented.
    expect(code).not.toMatch(/^(?=\S).*\bawait\b/m);
    const imported = [...code.matchAll(/^import .* from '([^']+)'/gm)].map(([, name]) => name);
    expect(imported.filter((name) => !name?.endsWith('/supported.mjs'))).toEqual([]);
  });
});

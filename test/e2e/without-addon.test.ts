/** Where the addon is not there and cannot be built, as on a head node without a compiler: whoever does not measure does its work. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installed } from '../support/installed.js';
import { root, start, withFolder } from '../support/pi-bench.js';

const run = (launcher: string, folder: string, ...args: string[]) =>
  start(process.execPath, [launcher, ...args], folder).ended;

describe('without the addon', () => {
  it('who measures nothing begins at once, and doctor says what is missing and why', () =>
    withFolder(async (folder) => {
      const launcher = installed(folder, {});
      const { code, stdout, stderr } = await run(launcher, folder, 'import', 'thoth', 'nowhere');
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).not.toContain('addon');

      const doctor = await run(launcher, folder, 'doctor', '--json', '--self-test');
      expect(doctor.code).toBe(1);
      const { findings, missing } = JSON.parse(doctor.stdout) as {
        findings: { name: string; ok: boolean; text: string }[];
        missing: { what: string }[];
      };
      // Nobody has looked for it, so it is not said to be missing.
      expect(missing.map(({ what }) => what)).not.toContain('frequency');
      expect(findings.find(({ name }) => name === 'addon')).toEqual({
        name: 'addon',
        ok: false,
        text: expect.stringMatching(/pibench\.node could not be loaded: Cannot find module .*/),
      });
      expect(doctor.stderr).toContain('the native addon could not be built');
      expect(doctor.stderr).toContain('no self-test: it needs the addon');
      // The compiler's log is for who cannot go on.
      expect(doctor.stderr).not.toContain('gyp info');
    }));

  it('that is there and is refused, the next command builds it anew', () =>
    withFolder(async (folder) => {
      const launcher = installed(folder, { 'pibench.node': join(root, 'package.json') });
      const first = await run(launcher, folder, 'matmul', '--size', '64', '--reps', '10', '--quiet');
      expect(first.code).not.toBe(0);
      expect(first.stderr).toMatch(
        /pibench\.node cannot be loaded here \(.*invalid ELF header.*\): the next command/,
      );
      expect(existsSync(join(folder, 'build', 'Release', 'pibench.node.refused'))).toBe(true);
      // Nothing can be built here.
      const next = await run(launcher, folder, 'memory');
      expect(next.code).toBe(70);
      expect(next.stderr).toContain('the native addon could not be built');
    }));
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CUDA_FOLDER, CUDA_MODULES, findNvcc } from '../../scripts/lib/cuda-kernels.mjs';
import { glooThere } from '../../scripts/lib/gloo-plugin.mjs';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { root, withFolder } from '../support/pi-bench.js';

/**
 * In the place of nvcc of who installs it, so that the kernels for GPUs are made whether or not it is here: what it would compile
 * has to be in the package, with all that it includes. What the real one makes of them test/scripts/cuda-kernels-compiled.test.ts says.
 */
const NVCC = `#!/bin/sh
case "$1" in --*) echo 'sm_80 sm_89 sm_90 sm_100 compute_100'; exit ;; esac
for word; do case "$word" in *.cu) source=$word ;; esac; done
exec g++ -std=c++20 -x c++ -M "$source" -o "$word"
`;

/**
 * npm says to its scripts where things are; a user's shell has none of it. How fast the addon is matters nowhere here, and
 * to optimise it takes most of the time of building it.
 */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== 'NODE_ENV'),
  ),
  CXXFLAGS: '-O0',
};
const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const packedWithNvcc = findNvcc() !== undefined;

it(
  'the packed tarball, installed in an empty folder, works like the clone',
  () =>
    withFolder(async (folder) => {
      run(root, 'npm', 'pack', '--silent', '--pack-destination', folder);
      const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
      writeFileSync(join(folder, 'package.json'), '{"name": "user", "private": true}');
      env.CUDACXX = join(folder, 'nvcc');
      writeFileSync(env.CUDACXX, NVCC, { mode: 0o755 });
      run(folder, 'npm', 'install', '--no-audit', '--no-fund', `./${tarball}`);
      const record = JSON.parse(
        run(
          folder,
          'npx',
          '--no-install',
          'pi-bench',
          'matmul',
          '--size',
          '64',
          '--reps',
          '50',
          '--json',
          '--quiet',
        ),
      ) as PiBenchRecord;
      expect(record.status).toBe('complete');
      expect(record.batches[0]?.verified).toBe('passed');
      expect(record.piBench.commit).toMatch(/^[0-9a-f]{40}/);
      // The page is made of files of the package and of what npm put beside it.
      run(
        folder,
        'npx',
        '--no-install',
        'pi-bench',
        'report',
        join('results', record.campaign.id),
        '--out',
        'page.html',
      );
      expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain(record.campaign.id);
      const installed = join(folder, 'node_modules', 'pi-bench');
      const kernels = Object.keys(CUDA_MODULES)
        .map((module) => `${module}.fatbin`)
        .sort();
      // Packed where nvcc is, it has them for nodes that have a driver and nothing else; what is compiled there goes first.
      const packed = join(installed, 'dist', 'cuda');
      if (packedWithNvcc) {
        expect(readdirSync(packed).sort()).toEqual(kernels);
        for (const name of kernels)
          expect(readFileSync(join(packed, name)).equals(readFileSync(join(CUDA_FOLDER, name))), name).toBe(
            true,
          );
        run(installed, process.execPath, join('scripts', 'build-plugins.mjs'));
      }
      const compiled = join(installed, 'build', 'plugins', 'cuda');
      expect(readdirSync(compiled).sort()).toEqual(kernels);
      // What calls Gloo is found where it was built with the addon.
      if (glooThere(env)) {
        const what = 'collective all-reduce --transport gloo --ranks 2 --bytes 8 --reps 10 --inspections 1';
        const args = `${what} --no-wait --json --quiet`.split(' ');
        const { batches } = JSON.parse(run(folder, 'npx', '--no-install', 'pi-bench', ...args));
        expect(batches[0]).toMatchObject({ verified: 'passed', stack: { provider: 'gloo' } });
      }
      expect(readdirSync(join(installed, 'schema')).sort()).toEqual([
        'baseline.schema.json',
        'campaign.schema.json',
        'inspection.schema.json',
        'record.schema.json',
        'stack-file.schema.json',
        'suite.schema.json',
      ]);
      expect(readFileSync(join(installed, 'README.md'), 'utf8')).toContain('Two commands');
      expect(readFileSync(join(installed, 'docs', 'measuring.md'), 'utf8')).toContain('--precision');
      expect(readdirSync(installed)).not.toContain('test');
      // What runs, once; and whose code is in it.
      expect(readdirSync(join(installed, 'dist')).sort()).toEqual([
        'bundle',
        'commit',
        ...(packedWithNvcc ? ['cuda'] : []),
      ]);
      expect(readFileSync(join(installed, 'dist', 'bundle', 'LICENSES'), 'utf8')).toMatch(
        /^zod [\d.]+ \(MIT\)$/m,
      );
    }),
  // Against what hangs only.
  1_200_000,
);

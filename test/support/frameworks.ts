/** Frameworks for tests: the real packages, in a folder of their own, and projects in which one of them goes wrong. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './pi-bench.js';

/** A project that has them; null and npm's reason where the registry cannot be reached. */
export function frameworksProject(
  set: 'frameworks' | 'kubernetes' = 'frameworks',
): { readonly folder: string } | { readonly folder: null; readonly why: string } {
  const script = join(root, 'scripts', 'test-frameworks.mjs');
  // Which vitest.config.ts takes from all others.
  const certificates = process.env.TESTS_CA_CERTS;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, set], {
    encoding: 'utf8',
    env: { ...process.env, ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }) },
  });
  return status === 0 ? { folder: stdout.trim() } : { folder: null, why: stderr.trim() };
}

/** A package of CommonJS in a project's node_modules. */
export function writePackage(project: string, name: string, program: string, version = '9.9.9'): void {
  const folder = join(project, 'node_modules', name);
  mkdirSync(dirname(join(folder, 'index.js')), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
  writeFileSync(join(folder, 'index.js'), program);
}

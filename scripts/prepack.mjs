// npm's step before packing: compiles, bundles, writes the schemas, and notes the commit, since a package has no git.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOfSources } from './lib/commit.mjs';
import { packageRoot } from './lib/tree.mjs';

const run = (command, ...args) =>
  execFileSync(command, args, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

rmSync(join(packageRoot, 'dist'), { recursive: true, force: true });
run(process.execPath, join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json');
run(process.execPath, join('scripts', 'bundle.mjs'));
run(process.execPath, join('scripts', 'build-schema.mjs'));
const commit = commitOfSources();
if (commit === null) throw new Error('git does not say of which commit this is');
writeFileSync(join(packageRoot, 'dist', 'commit'), `${commit}\n`);

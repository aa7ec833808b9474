// node scripts/test-frameworks.mjs [SET]: installs what tests use of other people's packages into a folder of their own, once, and
// prints it: the frameworks that are measured, or with `kubernetes` the client of that. They are up to 350 MB, so they are nobody's
// devDependencies; nothing but the npm registry is asked, and no install script runs. Ends with 1 and npm's words where the registry
// cannot be reached.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const SETS = {
  frameworks: {
    '@tensorflow/tfjs-backend-cpu': '4.22.0',
    '@tensorflow/tfjs-backend-wasm': '4.22.0',
    '@tensorflow/tfjs-core': '4.22.0',
    'onnxruntime-node': '1.30.0',
  },
  kubernetes: { '@kubernetes/client-node': '1.4.0' },
};

/** A registry that answers no more; one that is slow is waited for. */
const STALLED_MS = 1_200_000;

const set = process.argv[2] ?? 'frameworks';
const versions = SETS[set];
if (versions === undefined)
  throw new Error(`there is no set ${set}; there is ${Object.keys(SETS).join(', ')}`);

// Not in node_modules: npm ci empties that.
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pi-bench', 'test-frameworks');
const folder = join(cache, `${set === 'frameworks' ? '' : `${set}-`}${Object.values(versions).join('-')}`);

/** Beside its place and then renamed: a folder that is there is whole. */
function install() {
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'installing-'));
  try {
    writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true, dependencies: versions }));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    const npm = spawnSync('npm', ['install', ...flags], {
      cwd: scratch,
      encoding: 'utf8',
      timeout: STALLED_MS,
    });
    if (npm.status !== 0) return npm.error?.message ?? npm.stderr.trim();
    renameSync(scratch, folder);
    return null;
  } catch (error) {
    // Another one was faster.
    return existsSync(folder) ? null : error.message;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const failure = existsSync(folder) ? null : install();
if (failure === null) {
  process.stdout.write(`${folder}\n`);
} else {
  process.stderr.write(`packages for tests (${set}) could not be installed: ${failure}\n`);
  process.exitCode = 1;
}

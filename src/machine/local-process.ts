/** The edge to this process: what no file tells of the machine. */
import { execFileSync } from 'node:child_process';
import type { MachineDeps } from './describe.js';

export function localDeps(): MachineDeps {
  return {
    architecture: process.arch,
    nodeVersion: process.version,
    v8Version: process.versions.v8 ?? null,
    glibcVersion: glibcVersion(),
    getconf,
    env: process.env,
  };
}

/** From the diagnostic report's header, made without its network part, which asks name servers. */
function glibcVersion(): string | null {
  const report = process.report as (NodeJS.ProcessReport & { excludeNetwork?: boolean }) | undefined;
  if (report === undefined) return null;
  const excludeNetwork = report.excludeNetwork ?? false;
  report.excludeNetwork = true;
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: unknown } };
    const version = header?.glibcVersionRuntime;
    return typeof version === 'string' && version !== '' ? version : null;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

const GETCONF_LIMIT_MS = 5000;

function getconf(): string | null {
  try {
    return execFileSync('getconf', ['-a'], {
      encoding: 'utf8',
      timeout: GETCONF_LIMIT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // Not every system has it; what it would tell is then not known.
    return null;
  }
}

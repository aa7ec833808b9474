// Of which sources what is compiled in dist/ is. As a program it ends with 0 where it is of those that are here: what was packed
// before they were changed must not be put over it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOfSources } from '../lib/commit.mjs';
import { COMPILED, compiledStale } from '../lib/tree.mjs';

/** As whoever built noted it; null: nobody did. */
function notedCommit() {
  const noted = join(COMPILED, 'commit');
  return existsSync(noted) ? readFileSync(noted, 'utf8').trim() : null;
}

const here = () => ({ noted: notedCommit(), sources: commitOfSources(), stale: compiledStale() });

/**
 * What is known of it, and of the sources: the commit that was noted with it, theirs (null: not known), and whether it is older than
 * they are.
 * @typedef {{ noted: string | null, sources: string | null, stale: boolean }} Compiled
 */

/** @param {Compiled} compiled */
export const isOfSources = ({ noted, sources, stale }) => noted !== null && noted === sources && !stale;

/**
 * The commit of what was checked, and why it is not of one alone. Where all that is native is of the sources that pack.mjs packed,
 * it is the one that was packed: what git says on a machine that is lent may be of what that was given.
 * @param {boolean} packed
 * @param {Compiled} [compiled]
 * @returns {{ commit: string, wrong: string[] }}
 */
export function commitHere(packed, { noted, sources, stale } = here()) {
  if (packed && noted !== null) return { commit: noted, wrong: [] };
  const remedy = 'npm run build:ts, or pack it anew (scripts/gpu-check/pack.mjs)';
  const differ = noted !== null && sources !== null && noted !== sources;
  if (differ)
    return {
      commit: `${sources}, dist/ ${noted}`,
      wrong: [`dist/ is of ${noted}, the sources are of ${sources}: ${remedy}`],
    };
  return {
    commit: sources ?? noted ?? 'not known',
    wrong: stale ? [`dist/ is older than what it is made of: ${remedy}`] : [],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = isOfSources(here()) ? 0 : 1;

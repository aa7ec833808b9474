// Of which sources what is compiled in dist/ is. As a program it ends with 0 where it is of those that are here: what was packed
// before they were changed must not be put over it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOfSources } from '../lib/commit.mjs';
import { readIfThere } from '../lib/source-record.mjs';
import { COMPILED, compiledStale, contentsOf, packageRoot, typescriptFiles } from '../lib/tree.mjs';
import { hashOfContents } from './contents.mjs';

/** As whoever built or packed noted it; null: nobody did. */
const noted = (path) => readIfThere(path)?.trim() ?? null;

/** By their contents where these were noted, else by their times. */
function isOfTheseHere() {
  const contents = noted(contentsOf(COMPILED));
  return contents === null ? !compiledStale() : contents === hashOfContents(packageRoot, typescriptFiles());
}

const here = () => ({
  noted: noted(join(COMPILED, 'commit')),
  sources: commitOfSources(),
  ofThese: isOfTheseHere(),
});

/**
 * What is known of it, and of the sources: the commit that was noted with it, theirs (null: not known), and whether it is of their
 * contents.
 * @typedef {{ noted: string | null, sources: string | null, ofThese: boolean }} Compiled
 */

/** @param {Compiled} compiled */
export const isOfSources = ({ noted, ofThese }) => noted !== null && ofThese;

/**
 * The commit of what was checked, or both where it is not of one alone, and what is wrong: contents count for that, not names. Where all
 * that is native is of the sources that pack.mjs packed as well, the commit is the one that was packed: what git says on a machine that
 * is lent may be of what that was given.
 * @param {boolean} packed
 * @param {Compiled} [compiled]
 * @returns {{ commit: string, wrong: string[] }}
 */
export function commitHere(packed, { noted, sources, ofThese } = here()) {
  const own = ofThese && (packed || sources === null) ? (noted ?? sources) : sources;
  const commit = own ?? 'not known';
  return {
    commit: noted === null || noted === commit ? commit : `${commit}, dist/ ${noted}`,
    wrong: ofThese
      ? []
      : [
          'dist/ is of other sources than those that are here: npm run build:ts, or pack it anew (scripts/gpu-check/pack.mjs)',
        ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = isOfSources(here()) ? 0 : 1;

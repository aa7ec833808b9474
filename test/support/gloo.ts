/** Gloo for tests, where its headers are: what calls it is compiled once, and kept, apart from what somebody measures with. */
import { join } from 'node:path';
import { buildGlooPlugin, GLOO_NEEDED, glooThere } from '../../scripts/lib/gloo-plugin.mjs';
import { searchLibrary } from '../../src/stacks/search.js';
import { localSystem } from '../../src/stacks/system.js';
import { root } from './pi-bench.js';

const LIBRARY = { sonames: ['libgloo.so.0'], subfolders: [], folders: [] };
const PLUGIN = join(root, 'node_modules', '.cache', 'gloo-plugin', 'tests', 'gloo.so');
/** How fast it is matters to no test, and to make it fast takes the compiler most of its time. */
const CXXFLAGS = '-O1';

export interface GlooHere {
  readonly library: string;
  readonly plugin: string;
  /** In which pi-bench finds it. */
  readonly env: NodeJS.ProcessEnv;
}

/** Or why it is not there. @throws Error where it is, and what calls it cannot be compiled */
export function glooHere(): GlooHere | string {
  if (!glooThere()) return `Gloo is not installed here: it takes ${GLOO_NEEDED}`;
  const why = buildGlooPlugin({ ...process.env, CXXFLAGS }, PLUGIN);
  if (why !== null) throw new Error(why);
  const [library] = searchLibrary(LIBRARY, localSystem);
  if (library === undefined) return `${LIBRARY.sonames[0]} was not found`;
  return { library, plugin: PLUGIN, env: { ...process.env, PIBENCH_GLOO_PLUGIN: PLUGIN } };
}

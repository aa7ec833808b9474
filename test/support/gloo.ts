/** Gloo for tests, where its headers are: what calls it is compiled once, and kept. */
import { buildGlooPlugin, GLOO_NEEDED, GLOO_PLUGIN, glooThere } from '../../scripts/lib/gloo-plugin.mjs';
import { gloo } from '../../src/stacks/gloo.js';

export interface GlooHere {
  readonly library: string;
  readonly plugin: string;
}

/** Or why it is not there. @throws Error where it is, and what calls it cannot be compiled */
export function glooHere(): GlooHere | string {
  if (!glooThere()) return `Gloo is not installed here: it takes ${GLOO_NEEDED}`;
  const why = buildGlooPlugin();
  if (why !== null) throw new Error(why);
  const [library] = gloo.variants().here;
  return library === undefined ? 'libgloo.so.0 was not found' : { library, plugin: GLOO_PLUGIN };
}

/** Gloo: the collectives of the library that PyTorch takes on CPUs, over TCP. It takes a plugin that is built with its headers. */
import { existsSync } from 'node:fs';
import { glooPlugin } from '../native.js';
import { BUILD_PLUGINS } from '../package.js';
import { library } from './library.js';

export const gloo = library({
  provider: 'gloo',
  summary: 'Gloo between processes, over TCP',
  executes: ['collective'],
  interface: 'gloo',
  sonames: ['libgloo.so.0'],
  subfolders: [],
  folders: [],
  dtypes: [],
  prepacks: false,
  mostThreads: null,
  environment: () => ({}),
  plugin: { path: glooPlugin, isBuilt: () => existsSync(glooPlugin) },
  needed: `Debian’s package libgloo-dev (apt-get install libgloo-dev), then: ${BUILD_PLUGINS}`,
  choices: null,
});

// Whether what a sanitizer's build is made with reports anything at all: each kind of mistake that it is there for, made on purpose by a
// program or an addon of the same build. A sanitizer that says nothing of these says nothing of the rest either.
import { commonFlags } from '../native-sources.mjs';
import { compileAll, link } from './native-objects.mjs';

const SOURCE = 'test/native/controls/reported.cc';

/**
 * What each sanitizer is there for: how reported.cc names the mistake, and how a report does.
 * @type {Readonly<Record<string, readonly { mistake: string, reported: RegExp }[]>>}
 */
const CONTROLS = {
  'address,undefined': [
    { mistake: 'heap-overflow', reported: /ERROR: AddressSanitizer: heap-buffer-overflow/ },
    { mistake: 'signed-overflow', reported: /runtime error: signed integer overflow/ },
  ],
  thread: [{ mistake: 'data-race', reported: /WARNING: ThreadSanitizer: data race/ }],
};

/** The variable that says which mistake an addon makes when it is loaded. */
export const MISTAKE_VARIABLE = 'PIBENCH_MISTAKE';

const controlObjects = (build) => compileAll(build, [{ path: SOURCE, flags: commonFlags() }]);

/** Of that build, the program whose argument is a mistake; where it is, relative to the package. */
export const buildControlProgram = async (build) => link(build, 'control', await controlObjects(build));

/** Of that build, the addon that makes one when Node loads it. */
export const buildControlAddon = async (build) =>
  link(build, 'control.node', await controlObjects(build), ['-shared']);

/**
 * @param {string} sanitize
 * @param {(mistake: string) => { failed: boolean, report: string } | Promise<{ failed: boolean, report: string }>} make
 *   makes a mistake: whether who made it ended with a failure, and what was said
 * @returns {Promise<string[]>} what was reported, as reported.cc names it
 * @throws Error where one is not reported
 */
export async function requireReports(sanitize, make) {
  for (const { mistake, reported } of CONTROLS[sanitize]) {
    const { failed, report } = await make(mistake);
    if (!failed || !reported.test(report))
      throw new Error(
        `${sanitize} does not report a ${mistake} that was made on purpose: ${report || 'nothing was said'}`,
      );
  }
  return CONTROLS[sanitize].map(({ mistake }) => mistake);
}

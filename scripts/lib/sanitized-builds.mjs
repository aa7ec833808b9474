// How the native code is compiled and run under sanitizers: the check programs (native-checks.mjs) and the addon
// (sanitize-addon.mjs) are made of the same objects.
import { HOST } from './native-programs.mjs';

/** What every sanitizer takes: position-independent code, so that an addon can be made of it too. -g1 names files and lines. */
const WATCHED = {
  ...HOST,
  asBuilt: false,
};
const flagsFor = (...flags) => [
  '-O1',
  '-g1',
  '-fno-omit-frame-pointer',
  '-fPIC',
  // A sanitizer's own code deceives warnings that rest on how values flow. The plain build has all of them as errors.
  '-Wno-error',
  ...flags,
];

/**
 * Functions with more accesses than these call a function for each instead of looking themselves: kernels, which are unrolled, take
 * the compiler twice as long without, and hardly run faster.
 */
const MOST_LOOKED_AT_IN_PLACE = 100;

/** @type {import('./native-objects.mjs').Build} */
const ADDRESS = {
  ...WATCHED,
  folder: 'address',
  flags: flagsFor(
    '-fsanitize=address,undefined',
    '-fno-sanitize-recover=all',
    `--param=asan-instrumentation-with-call-threshold=${MOST_LOOKED_AT_IN_PLACE}`,
  ),
  environment: { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
};

/**
 * Kinds of undefined behaviour that hardly do harm without touching memory that the address sanitizer watches. To look for them
 * too takes the compiler much longer.
 */
export const SEEN_TWICE = ['null', 'object-size', 'pointer-overflow'];

/**
 * Each sanitizer, by what `--sanitize` takes. It sees what is executed: kernels of instruction sets that this CPU lacks are linked as
 * they are, which leaves out the half of what the compiler takes.
 * @type {Readonly<Record<string, import('./native-objects.mjs').Build>>}
 */
export const SANITIZED = {
  'address,undefined': {
    ...ADDRESS,
    whatRuns: true,
    flags: [...ADDRESS.flags, `-fno-sanitize=${SEEN_TWICE.join(',')}`],
  },
  thread: {
    ...WATCHED,
    whatRuns: true,
    folder: 'thread',
    flags: flagsFor('-fsanitize=thread'),
    environment: { TSAN_OPTIONS: 'halt_on_error=1' },
  },
};

/**
 * The same where time does not matter: all that each can see.
 * @type {Readonly<Record<string, import('./native-objects.mjs').Build>>}
 */
export const SANITIZED_FULLY = {
  thread: { ...SANITIZED.thread, whatRuns: false },
  'address,undefined': { ...ADDRESS, folder: 'address-fully' },
};

// How the native code is compiled and run under sanitizers: the check programs (native-checks.mjs) and the addon
// (sanitize-addon.mjs) are made of the same objects.
import { HOST } from './native-programs.mjs';

/** What every sanitizer takes: position-independent code, so that an addon can be made of it too. -g1 names files and lines. */
const WATCHED = {
  ...HOST,
  asBuilt: false,
};
/**
 * Warnings that rest on how values flow: a sanitizer's own code deceives them, so that GCC 12 warns of the standard library.
 * The plain build has them as errors.
 */
const DECEIVED = [
  'array-bounds',
  'maybe-uninitialized',
  'restrict',
  'stringop-overflow',
  'stringop-overread',
];
const flagsFor = (...flags) => [
  '-O1',
  '-g1',
  '-fno-omit-frame-pointer',
  '-fPIC',
  ...DECEIVED.map((name) => `-Wno-${name}`),
  ...flags,
];

/**
 * Each sanitizer, by what `--sanitize` takes.
 * @type {Readonly<Record<string, import('./native-objects.mjs').Build>>}
 */
export const SANITIZED = {
  'address,undefined': {
    ...WATCHED,
    folder: 'address',
    flags: flagsFor('-fsanitize=address,undefined', '-fno-sanitize-recover=all'),
    environment: { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
  },
  thread: {
    ...WATCHED,
    folder: 'thread',
    flags: flagsFor('-fsanitize=thread'),
    environment: { TSAN_OPTIONS: 'halt_on_error=1' },
  },
};

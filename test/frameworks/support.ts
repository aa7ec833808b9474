import type { PreparedProduct } from '../../src/frameworks/adapter.js';

/** A product of a test's own. */
export const productOf = (run: PreparedProduct['run']): PreparedProduct => ({
  run,
  poison: () => {},
  renew: () => {},
  deliver: () => {},
  implementation: 'a test',
  timed: 'nothing',
});

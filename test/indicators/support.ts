/** What the tests of indicators share. */
import type { Placement } from '../../src/indicators/indicator.js';

/** On the CPU, by threads that are not bound. */
export const UNBOUND: Placement = { cpus: [], gpu: null };

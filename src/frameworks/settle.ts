/** The twin of settle() in native/inspection.cc. */
import { native } from '../native.js';
import type { Seconds } from '../units.js';
import type { PreparedProduct } from './adapter.js';
import { call, type Nanoseconds } from './loop.js';

const TIME: Nanoseconds = 1e6;
const LEAST_CALLS = 2;
const LONG_CALL: Seconds = 0.5;

/**
 * Reading files cools the caches and lets a framework's threads fall asleep: some calls bring back what the warm-up had
 * reached. Of a long call that is little, and two more of them would be much of what is looked at around the repetitions.
 */
export async function settle(product: PreparedProduct, callSeconds: Seconds): Promise<void> {
  if (callSeconds > LONG_CALL) return;
  const until = native().endCall() + TIME;
  for (let calls = 0; calls < LEAST_CALLS || native().endCall() < until; ++calls) await call(product, 1);
}

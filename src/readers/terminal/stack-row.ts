/** What a record's page says of a library that was measured: whose file it is, and how its threads were placed. */
import type { RecordBatch } from '../../record/schema.js';
import type { Row } from './table.js';

const BINDINGS = {
  each: 'its threads bound to a CPU each',
  together: 'its threads share the CPUs of the case: it makes them anew in each call',
  none: 'its threads not bound',
} as const;

/** Nothing for our own kernels, and for what others published. */
export function stackRow({ stack, asked }: RecordBatch): Row[] {
  if (stack.path == null) return [];
  const { path, version, package: owner, threadBinding } = stack;
  const parts = [
    path,
    ...(version === null ? [] : [version.trim()]),
    ...(owner == null ? [] : [owner]),
    // Of one thread that is not bound there is nothing to say.
    ...(threadBinding === undefined || (threadBinding === 'none' && asked.case.parameters.pin === false)
      ? []
      : [BINDINGS[threadBinding]]),
  ];
  return [['library', parts.join(', ')]];
}

/** What is said of an error that has another behind it. */
import { expect, it } from 'vitest';
import { messageWithCause } from '../src/errors.js';

it.each([
  [
    new Error('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }),
    'fetch failed: connect ECONNREFUSED 127.0.0.1:1',
  ],
  // As of a name with two addresses, neither of which answers.
  [
    new Error('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
    'fetch failed: ECONNREFUSED',
  ],
  [new Error('404 not found'), '404 not found'],
  ['a text', 'a text'],
])('%s', (error, text) => {
  expect(messageWithCause(error)).toBe(text);
});

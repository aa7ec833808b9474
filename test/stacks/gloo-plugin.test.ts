/** What calls Gloo, compiled where Gloo's headers are; test/e2e/gloo.test.ts finds it made. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { glooHere } from '../support/gloo.js';

const COMPILE_TIMEOUT_MS = 300_000;

it(
  'what calls Gloo compiles',
  ({ skip }) => {
    const here = glooHere();
    if (typeof here === 'string') return skip(here);
    expect(existsSync(here.plugin)).toBe(true);
  },
  COMPILE_TIMEOUT_MS,
);

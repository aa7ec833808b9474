/** What --at-once refuses, whichever command it is given to. */
import { expect, it } from 'vitest';
import { aloneText } from '../../src/cli/at-once.js';
import { batchesOfEntry } from '../../src/cli/entry-batches.js';
import { sweptBatches } from '../../src/cli/swept-batches.js';
import { findIndicator } from '../../src/indicators/index.js';
import type { Flags } from '../../src/indicators/indicator.js';
import { machineOf } from '../support/machine.js';

const HOW = { warmup: 'auto', timeout: '10min', inspections: '1' };
const batchesOf = (indicator: string, flags: Flags) =>
  sweptBatches(findIndicator(indicator), { ...HOW, 'at-once': 'only', ...flags }, machineOf(), new Map());
const entry = (indicator: string, device: string) => ({
  indicator,
  flags: { device, 'at-once': 'only', inspections: '1' },
  labels: {},
  line: 7,
});
const ofEntry = (device: string, ...more: readonly 'alone'[]) =>
  batchesOfEntry(entry('matmul', device), 'c.yaml', machineOf(), new Map(), ...more);

it('is refused by a sweep where it would change nothing', () => {
  expect(() => batchesOf('matmul', { device: 'cpu' })).toThrow(
    /^--at-once: cpu is one device here, so there is nothing to measure at the same time: name several/,
  );
  expect(() => batchesOf('matmul', { device: 'cpu:0', size: '64,128' })).toThrow(/cpu:0 is one device here/);
  const two = batchesOf('matmul', { device: 'cpu:0,cpu:1' });
  expect(two.map(({ device, atOnce }) => [device, atOnce])).toEqual([
    ['cpu:0', true],
    ['cpu:1', true],
  ]);
});

it.each(['only', 'beside'])('%s names what is measured alone only, as no other device has it', (how) => {
  const flags = { 'at-once': how };
  const both = batchesOf('matmul', { device: 'cpu:0,cpu:1', size: '64', ...flags });
  expect(aloneText(both, flags)).toBeNull();
  const alone = batchesOf('matmul', { device: 'cpu:0', size: '128', 'at-once': undefined });
  expect(aloneText([...alone, ...both], flags)).toMatch(
    /^--at-once: measured alone only, as no other device has the same case: matmul .*128.* on cpu:0$/,
  );
  expect(aloneText([...both, ...Array.from({ length: 5 }, () => alone).flat()], flags)).toMatch(/; 2 more$/);
});

it('is missed by nobody who does not ask for it', () => {
  expect(
    aloneText(batchesOf('matmul', { device: 'cpu:0', size: '128', 'at-once': undefined }), {}),
  ).toBeNull();
});

it('is refused of an entry of a campaign file, with its line; a suite measures the device alone', () => {
  expect(() => ofEntry('cpu')).toThrow(/^c\.yaml:7: --at-once: cpu is one device here/);
  expect(ofEntry('cpu', 'alone').map(({ atOnce }) => atOnce)).toEqual([undefined]);
  expect(ofEntry('cpu:each').map(({ atOnce }) => atOnce)).toEqual([true, true]);
});

it.each([
  ['collective', { device: 'cpu', operation: 'all-reduce', bytes: '1MiB' }],
  ['overlap', { device: 'cpu' }],
])('is refused of %s, which runs on several devices by itself', (indicator, flags) => {
  expect(() => batchesOf(indicator, flags)).toThrow(
    `--at-once: ${indicator} runs on several devices by itself: leave --at-once out`,
  );
});

import { describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { brokenRules } from '../../src/record/check.js';
import { digestOf } from '../../src/record/digest.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { campaignFolder, piBench, printedRecord, type Run, withFolder } from '../support/pi-bench.js';
import { there } from '../support/there.js';

const SHORT = ['--threads', '1', '--inspections', '1', '--reps', '20', '--warmup', '5'];

async function peakRecord(out: string, ...args: string[]): Promise<{ run: Run; record: PiBenchRecord }> {
  const run = await piBench('peak', '--json', '--quiet', '--out', out, ...args);
  return { run, record: printedRecord(run) };
}

describe('peak', () => {
  it('has a verified batch for each data type, in a record that fits its schema', () =>
    withFolder(async (out) => {
      const { run, record } = await peakRecord(out, '--dtype', 'float32,int8', ...SHORT);
      expect(run.code).toBe(0);
      expect(run.stderr).toBe('');
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      expect(digestOf(record)).toBe(record.digest);
      expect(
        record.batches.map(({ case: one, verified, rateUnit }) => [one.parameters.dtype, verified, rateUnit]),
      ).toEqual([
        ['float32', 'passed', 'FLOP/s'],
        ['int8', 'passed', 'OP/s'],
      ]);
      for (const { rate, elapsed, work, roofline, inspections } of record.batches) {
        expect((rate?.median ?? 0) * (elapsed?.median ?? 0)).toBeCloseTo(there(work, 'work').flop, 3);
        expect(roofline).toBeNull();
        expect(inspections[0]?.verification?.method).toBe('sums');
      }
    }));

  it('has KPIs of its rate, the clock, and the operations of a cycle, which agree', () =>
    withFolder(async (out) => {
      const { record } = await peakRecord(out, '--dtype', 'float32', ...SHORT);
      const valueNamed = (name: string): number => {
        const kpi = record.kpis.find((one) => one.name === `pibench_peak_${name}`);
        return kpi !== undefined && 'value' in kpi ? kpi.value : Number.NaN;
      };
      const frequency = valueNamed('effective_frequency_hertz');
      expect(frequency).toBe(record.batches[0]?.inspections[0]?.frequency);
      expect(frequency).toBeGreaterThan(1e8);
      // Of repetitions in which no thread lost its CPU; where other work leaves none, or hides it, nothing is said.
      const [batch] = record.batches;
      const { undisturbedMedian: seconds = null, flags = [] } = batch?.inspections[0] ?? {};
      const perCycle = valueNamed('operations_per_cycle_ratio');
      if (seconds === null || flags.some(({ name }) => name === 'stolen' || name === 'throttled'))
        expect(perCycle).toBeNaN();
      else expect((perCycle * frequency * seconds) / (batch?.work?.flop ?? 0)).toBeCloseTo(1, 9);
    }));

  it('of several data types is one table for a person', () =>
    withFolder(async (out) => {
      const run = await piBench('peak', '--quiet', '--out', out, ...SHORT);
      for (const part of ['float32', 'float64', 'bfloat16', 'int8', 'op/cycle', 'GHz']) {
        expect(run.stdout).toContain(part);
      }
      expect(run.stdout).toContain('verified in 4 launches');
      for (const line of run.stdout.split('\n').filter((text) => !text.includes(out))) {
        expect(line.length).toBeLessThanOrEqual(80);
      }
    }));

  it('of one data type is a page of its own, with the clock', () =>
    withFolder(async (out) => {
      const run = await piBench('peak', '--quiet', '--out', out, '--dtype', 'float64', ...SHORT);
      expect(run.stdout).toContain('peak float64, 1 thread, pinned');
      expect(run.stdout).toMatch(/clock +[\d.]+ GHz on the first thread/);
      // They are known of repetitions in which it kept its CPU.
      if (!/disturbed +100 %/.test(run.stdout))
        expect(run.stdout).toMatch(/a cycle +[\d.]+ operations of one thread/);
      expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain('the sums in the registers of every thread');
    }));

  it('is of a chosen instruction set', () =>
    withFolder(async (out) => {
      const { record } = await peakRecord(out, '--stack', 'embedded:portable', ...SHORT);
      for (const { stack, verified } of record.batches) {
        // Either of its two variants: the one for x86-64-v3 is taken where it runs.
        expect(stack.implementation).toMatch(/^portable(-v3)?$/);
        expect(verified).toBe('passed');
      }
    }));

  it('says of each launch what the CPU has beside the loop, and for a person that this is no ceiling', () =>
    withFolder(async (out) => {
      const portable = ['--stack', 'embedded:portable', '--dtype', 'float32', ...SHORT];
      const { record } = await peakRecord(out, ...portable);
      const told = record.batches[0]?.inspections[0]?.ceilings;
      const has512 = native()
        .kernels()
        .some(({ isa, runsHere }) => isa === 'avx512' && runsHere);
      expect(told).toMatchObject({ arithmetic: null, memory: null });
      expect(told?.unusedInstructions?.includes('AVX-512')).toBe(has512);
      const shown = (await piBench('show', campaignFolder(out))).stdout.replaceAll(/\s+/g, ' ');
      expect(shown.includes('ceiling none: the loop that was asked for (portable) does not use')).toBe(
        told?.unusedInstructions?.length !== 0,
      );
    }));
});

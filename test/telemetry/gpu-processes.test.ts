/** Who else was on a GPU, and where NVML's lists are no evidence that nobody was. */
import { describe, expect, it } from 'vitest';
import type { GpuProcess, NvmlTelemetry } from '../../src/telemetry/gpu.js';
import { LEAST_UNLISTED, othersOnGpu } from '../../src/telemetry/gpu-processes.js';

const OWN = 77;
const one = (pid: number, more: Partial<GpuProcess> = {}): GpuProcess => ({ pid, bytes: 1e9, ...more });

/** A launch alone on a GPU, outside of a container, but for what is said. */
const launch = (more: Partial<NvmlTelemetry> = {}): NvmlTelemetry => ({
  problem: null,
  processesBefore: [],
  processesAfter: [one(OWN)],
  processesBetween: [],
  processesAsked: 4,
  drawingKnown: true,
  bytesInUseBefore: 0,
  ownPid: OWN,
  ownPidNamespace: false,
  ...more,
});
const seen = (more: Partial<NvmlTelemetry> = {}, besideHere = 0) => othersOnGpu(launch(more), besideHere);
const inContainer = (more: Partial<NvmlTelemetry> = {}) => seen({ ownPidNamespace: true, ...more });

describe('a list that holds this process', () => {
  it('holds everybody', () => {
    expect(seen()).toEqual({ others: 0, drawing: 0, passing: 0, unlisted: 0, mayHide: null });
    expect(seen({ processesBefore: [one(8)], processesAfter: [one(8), one(OWN)] })).toMatchObject({
      others: 1,
      mayHide: null,
    });
  });

  it('counts each of the others once, also those that left, came, or came and went', () => {
    const lists = {
      processesBefore: [one(8), one(9)],
      processesAfter: [one(9), one(10), one(OWN)],
      processesBetween: [one(11)],
    };
    expect(seen(lists)).toMatchObject({ others: 4, passing: 1 });
  });

  it('counts who only draws, and is not whole where NVML does not tell of these', () => {
    const drawing = one(8, { draws: true });
    expect(seen({ processesBefore: [drawing], processesAfter: [drawing, one(OWN)] })).toMatchObject({
      others: 1,
      drawing: 1,
    });
    expect(seen({ drawingKnown: false })?.mayHide).toMatch(/does not show who draws/);
  });

  it('leaves out launches of our own', () => {
    const both = { processesBefore: [one(8)], processesAfter: [one(8), one(OWN)], bytesInUseBefore: 9e9 };
    expect(seen(both, 1)).toMatchObject({ others: 0, unlisted: null });
  });
});

describe('a list that lacks this process, which is on the GPU', () => {
  it('holds only others where numbers are the driver’s, and not all of them', () => {
    expect(seen({ processesAfter: [one(8)] })).toMatchObject({
      others: 1,
      mayHide: expect.stringMatching(/lacks this one/),
    });
  });

  it('is no evidence of anything where it holds nobody', () => {
    const nobody = /shows no process on this GPU, and ours is there/;
    expect(seen({ processesAfter: [] })).toMatchObject({ others: 0, mayHide: expect.stringMatching(nobody) });
    expect(inContainer({ processesAfter: [] })?.mayHide).toMatch(nobody);
  });

  it('may hold it under another number in a container: one entry more than before is ours', () => {
    expect(inContainer({ processesAfter: [one(4711)] })).toMatchObject({ others: 0, mayHide: null });
    expect(inContainer({ processesBefore: [one(8)], processesAfter: [one(8), one(4711)] })).toMatchObject({
      others: 1,
    });
    // Nobody who was there before we were is us.
    expect(inContainer({ processesBefore: [one(8)], processesAfter: [one(8)] })).toMatchObject({ others: 1 });
  });
});

describe('memory in use before a launch', () => {
  it('that nobody who is listed has is somebody’s', () => {
    expect(inContainer({ bytesInUseBefore: 40e9 })?.unlisted).toBe(40e9);
    expect(seen({ processesBefore: [one(8)], bytesInUseBefore: 1e9 + LEAST_UNLISTED })?.unlisted).toBe(
      LEAST_UNLISTED,
    );
    expect(seen({ processesBefore: [one(8, { bytes: null })], bytesInUseBefore: 40e9 })?.unlisted).toBeNull();
  });

  it('is what shows that a container’s list left nobody out: without it nothing does', () => {
    expect(inContainer()?.mayHide).toBeNull();
    expect(inContainer({ bytesInUseBefore: null })?.mayHide).toMatch(/^in a container/);
    expect(seen({ ownPidNamespace: null, bytesInUseBefore: null })?.mayHide).toMatch(/^in a container/);
    expect(seen({ bytesInUseBefore: null })?.mayHide).toBeNull();
  });
});

it('documents of older versions are read as they were', () => {
  const old = (before: readonly GpuProcess[] | null, after: readonly GpuProcess[]) =>
    othersOnGpu({ problem: null, processesBefore: before, processesAfter: after }, 0);
  expect(old([], [one(1)])).toMatchObject({ others: 0, unlisted: null, mayHide: null });
  expect(old([one(7)], [one(1)])).toMatchObject({ others: 1 });
  expect(old([], [one(1), one(7)])).toMatchObject({ others: 1 });
  expect(old([], [])?.mayHide).toMatch(/ours is there/);
  expect(old(null, [one(1)])).toBeNull();
});

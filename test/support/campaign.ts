/** Campaigns as tests describe them: what they leave out is the same everywhere. */
import type { BatchSpec, Campaign } from '../../src/record/schema.js';

export const specOf = (more: Partial<BatchSpec> = {}): BatchSpec => ({
  case: { indicator: 'matmul', parameters: {} },
  stack: { provider: 'embedded', variant: null },
  device: 'cpu',
  inspections: 1,
  sampling: { kind: 'fixed', repetitions: 1 },
  warmup: { kind: 'auto' },
  timeout: 1,
  ...more,
});

export const campaignOf = (batches: readonly BatchSpec[], seed = 1): Campaign => ({
  id: 'x',
  createdAt: '2026-01-01T00:00:00.000Z',
  command: [],
  seed,
  batches: [...batches],
  fault: null,
});

/** Reports of synthetic campaigns that were written to disk and read back, as the command reads real ones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  summariseSynthetic,
  syntheticBatch,
  syntheticCampaign,
  writeSyntheticInspections,
} from '../../scripts/lib/synthetic-campaign.mjs';
import { rounds } from '../../src/campaign/plan.js';
import { analyseCampaign } from '../../src/cli/analyse-campaign.js';
import * as random from '../../src/random.js';
import { buildRecord } from '../../src/record/build.js';
import { sha256 } from '../../src/record/digest.js';
import type { BatchSpec, PiBenchRecord } from '../../src/record/schema.js';
import { type ReadReport, readReport } from '../../src/report/read-report.js';
import { findStack } from '../../src/stacks/index.js';
import { encodeSamples } from '../../src/store/samples-file.js';
import { openStore } from '../../src/store/store.js';
import { machineOf } from './machine.js';

export interface Asked {
  readonly size?: number;
  readonly repetitions?: number;
  readonly inspections?: number;
  readonly dtype?: string;
}

const parts = () => ({
  rounds,
  random,
  sha256,
  encodeSamples,
  openStore,
  analyseCampaign,
  buildRecord,
  stackIdentity: findStack('embedded').identify(null, 'cpu'),
  machine: machineOf(),
});

/** Writes a campaign of these batches into the folder. */
export async function writeCampaign(folder: string, batches: readonly Asked[]): Promise<PiBenchRecord> {
  const campaign = syntheticCampaign(batches.map(syntheticBatch));
  writeSyntheticInspections(folder, campaign, parts());
  return summariseSynthetic(folder, campaign, parts());
}

export const specOf = (asked: Asked): BatchSpec => syntheticBatch(asked);

/** A campaign on disk while `use` runs. */
export async function withCampaign<T>(
  batches: readonly Asked[],
  use: (folder: string, record: PiBenchRecord) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-report-'));
  try {
    return await use(folder, await writeCampaign(folder, batches));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const reportOf = (batches: readonly Asked[]): Promise<ReadReport> =>
  withCampaign(batches, (folder) => readReport(folder));

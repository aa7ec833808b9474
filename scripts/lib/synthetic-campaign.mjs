// A campaign that nobody measured, as pi-bench would have left it on disk: for tests and benchmarks of what reads records.
// Its series have known parts: an effect of the launch, noise that depends on what was before, a few stalls.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('../../dist/record/schema.js').BatchSpec} BatchSpec */
/** @typedef {import('../../dist/record/schema.js').Campaign} Campaign */
/**
 * What this needs of pi-bench is passed in, so that tests can give the sources and benchmarks what they compiled to.
 * @typedef {object} Parts
 * @property {typeof import('../../dist/campaign/plan.js').rounds} rounds
 * @property {typeof import('../../dist/random.js')} random
 * @property {typeof import('../../dist/record/digest.js').sha256} sha256
 * @property {typeof import('../../dist/store/samples-file.js').encodeSamples} encodeSamples
 * @property {typeof import('../../dist/store/store.js').openStore} openStore
 * @property {typeof import('../../dist/cli/analyse-campaign.js').analyseCampaign} analyseCampaign
 * @property {typeof import('../../dist/record/build.js').buildRecord} buildRecord
 * @property {ReturnType<import('../../dist/stacks/stack.js').Stack['identify']>} stackIdentity the embedded stack's
 * @property {import('../../dist/machine/types.js').MachineDescription} machine
 */

const CREATED = '2026-01-02T03:04:05.000Z';
const PEAK = 400e9;
const READING = 40e9;
const WARMUP_CALLS = 40;
const STALLS = 0.001;
const REMEMBERED = 0.4;

/**
 * @param {{ size?: number, repetitions?: number, inspections?: number, dtype?: string, threads?: number }} [asked]
 *   `size`: of a square product
 * @returns {BatchSpec} as a campaign asks for it
 */
export const syntheticBatch = ({
  size = 512,
  repetitions = 200,
  inspections = 6,
  dtype = 'float32',
  threads = 2,
} = {}) => ({
  case: {
    indicator: 'matmul',
    parameters: {
      m: size,
      n: size,
      k: size,
      transpose: 'NN',
      batch: 1,
      prepack: false,
      dtype,
      threads,
      pin: true,
      cache: 'hot',
    },
  },
  stack: { provider: 'embedded', variant: null },
  device: 'cpu',
  inspections,
  sampling: { kind: 'fixed', repetitions },
  warmup: { kind: 'count', count: WARMUP_CALLS },
  timeout: 600,
});

/**
 * @param {BatchSpec[]} batches
 * @returns {Campaign}
 */
export const syntheticCampaign = (batches, id = '20260102T030405Z-matmul-000000') => ({
  id,
  createdAt: CREATED,
  command: ['matmul', '--synthetic'],
  seed: 1,
  batches,
  fault: null,
});

/** Seconds of a repetition without noise: the rate approaches four fifths of the peak as the product grows. */
function elapsedOf({ case: { parameters } }) {
  const { n } = parameters;
  return (2 * n ** 3) / (PEAK * 0.8 * (n / (n + 100)));
}

function seriesOf(batch, uniform, normal) {
  const { repetitions } = batch.sampling;
  const base = elapsedOf(batch) * Math.exp(0.006 * normal());
  const [seconds, entries, disturbed] = [[], [], []];
  let noise = 0;
  let at = 0;
  for (let i = 0; i < repetitions; i++) {
    noise = REMEMBERED * noise + 0.012 * normal();
    const stalled = uniform() < STALLS;
    const value = Math.round(base * (1 + Math.abs(noise) + (stalled ? 3 + 20 * uniform() : 0)) * 1e9) / 1e9;
    if (stalled) disturbed.push(i);
    seconds.push(value);
    entries.push(Math.round(at * 1e9) / 1e9);
    at += value + 1e-7;
  }
  const warmup = Array.from({ length: WARMUP_CALLS }, (_, i) => base * (1 + 2 * Math.exp(-i / 6)));
  return { seconds, entries, disturbed, warmup, wall: at };
}

const quietTelemetry = (threads, window) => ({
  window,
  allowedCpus: threads,
  onlineCpus: threads,
  threads: Array.from({ length: threads }, (_, i) => ({
    tid: i + 1,
    cpuTime: window,
    runDelay: 0,
    voluntarySwitches: 0,
    involuntarySwitches: 0,
    migrations: 0,
    minorFaults: 0,
    majorFaults: 0,
    cpuBefore: i,
    cpuAfter: i,
  })),
  processCpuTime: window * threads,
  cgroup: { version: 2, quotaCpus: null, period: null, periods: 0, throttledPeriods: 0, throttledTime: 0 },
  cpuPressure: 0,
  memoryPressure: 0,
  ioPressure: 0,
  steal: 0,
  otherCpuTime: 0,
  thermalThrottles: 0,
  frequency: { before: 3e9, after: 3e9 },
  temperatures: [],
  energy: [],
  missing: [],
});

/** The document of one launch and the file of its samples. */
function syntheticInspection(campaign, { index, batch: number, seed }, parts) {
  const { stackIdentity: stack, random, encodeSamples, sha256 } = parts;
  const batch = campaign.batches[number];
  const { threads } = batch.case.parameters;
  const uniform = random.uniformOf(random.randomBits(seed));
  const series = seriesOf(batch, uniform, random.normalOf(uniform));
  const { seconds, entries, disturbed, warmup, wall } = series;
  const samples = encodeSamples(
    { seconds: Float64Array.from(seconds), entries: Float64Array.from(entries), disturbed },
    1,
  );
  const span = (name, value) => ({ name, seconds: value });
  const document = {
    $schema: 'urn:pi-bench:schema:inspection:2',
    kind: 'pi-bench inspection',
    schemaVersion: 2,
    campaign: campaign.id,
    index,
    attempt: 1,
    case: batch.case,
    stack: { ...stack, implementation: 'synthetic' },
    device: batch.device,
    seed,
    cpus: Array.from({ length: threads }, (_, i) => i),
    startedAt: CREATED,
    ended: 'complete',
    clock: { name: 'monotonic', overhead: 1.6e-8, resolution: 1e-9 },
    warmup: { rule: batch.warmup, calls: WARMUP_CALLS, steady: null, seconds: warmup },
    callsPerSample: 1,
    samples: {
      file: `${index}.npz`,
      sha256: sha256(samples),
      count: seconds.length,
      disturbed: disturbed.length,
    },
    wall,
    evicting: 0,
    spans: [span('start', 0.1), span('warm-up', 0.05), span('measure', wall), span('verify', 0.01)],
    telemetry: quietTelemetry(threads, wall),
    ceilings: {
      arithmetic: { rate: PEAK, isa: 'synthetic' },
      memory: { rate: READING, bytes: 3 * 4 * batch.case.parameters.n ** 2 },
    },
    verification: {
      passed: true,
      method: 'reference',
      tolerance: 'synthetic',
      worstError: 0.1,
      checked: 1,
      wrong: 0,
      firstWrong: '',
    },
    fault: null,
  };
  return { document, samples };
}

/** Every launch that the campaign's fixed counts ask for. */
const plannedOf = (campaign, { rounds }) => [
  ...rounds(campaign, (batch, launch) => launch < campaign.batches[batch].inspections),
];

/**
 * Writes the launches of a campaign into its folder.
 * @param {string} folder
 * @param {Campaign} campaign
 * @param {Parts} parts
 */
export function writeSyntheticInspections(folder, campaign, parts) {
  mkdirSync(join(folder, 'inspections'), { recursive: true });
  for (const inspection of plannedOf(campaign, parts)) {
    const { document, samples } = syntheticInspection(campaign, inspection, parts);
    writeFileSync(join(folder, 'inspections', `${inspection.index}.npz`), samples);
    writeFileSync(join(folder, 'inspections', `${inspection.index}.json`), `${JSON.stringify(document)}\n`);
  }
}

/**
 * Makes the record of the inspections that lie there, and writes it.
 * @param {string} folder
 * @param {Campaign} campaign
 * @param {Parts} parts
 */
export async function summariseSynthetic(folder, campaign, parts) {
  const { openStore, analyseCampaign, buildRecord, machine } = parts;
  const store = openStore(folder, campaign.id, ({ from, why }) => {
    throw new Error(`${from} cannot be written: ${why}`);
  });
  /** @type {import('../../dist/record/inspection-end.js').BatchEnd[]} */
  const ends = plannedOf(campaign, parts).map(({ index, batch }) => ({
    index,
    batch,
    attempt: 1,
    status: 'measured',
    reason: null,
    wall: 1,
  }));
  const record = buildRecord({
    campaign,
    machine,
    piBench: { version: '0.0.0', commit: null },
    ends,
    analysed: await analyseCampaign(folder, ends, null),
    stoppedBy: 'plan',
    settled: true,
    contendedBy: null,
    wall: ends.length,
    lostEarlier: { seconds: 0, unended: 0 },
  });
  store.writeRecord(record);
  return record;
}

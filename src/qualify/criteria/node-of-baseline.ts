/**
 * What a node itself differs in from those of a baseline: GPUs that are gone, CPUs that are not there or set otherwise, power limits. A
 * baseline of such nodes finds nothing slow on what it has no entries for, so the node is an open question. Pure.
 */
import { gpuNamed } from '../../devices/device.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Finding } from '../../record/schema.js';
import { limitAdvice } from '../baseline.js';
import { COUNTS, hardwareOf } from '../baseline-hardware.js';
import { baselineDevice, deviceText, sameDevice, sameKind } from '../baseline-key.js';
import type { Baseline, BaselineDevice } from '../baseline-schema.js';
import { causeNamed } from '../causes.js';
import { atLeast, equalTo, type Looked, skipped } from '../findings.js';
import type { CheckOf } from '../suite-file.js';
import { type Context, type Judged, type Judgement, judged, placeOf } from './criterion.js';

/** What is not here of the GPUs that a node of the baseline has; null: nothing that it knows of. */
function missingGpus(
  { name, entries, gpusPerNode = 0 }: Baseline,
  { machine, expected, source }: Context,
): Finding | null {
  const first = entries.find(({ device }) => device.kind === 'gpu');
  const here = machine.gpus?.devices.length ?? 0;
  // Who says how many have to be here is held to that.
  const wanted = expected.gpu === undefined ? gpusPerNode : 0;
  if (first === undefined) return null;
  if (here === 0) {
    const why = `baseline ${name} is of nodes with ${deviceText(first.device)}, and no GPU is here`;
    return { ...skipped('devices', why, source), verdict: 'inconclusive' };
  }
  return here >= wanted
    ? null
    : atLeast(
        {
          quantity: 'gpus',
          measured: here,
          source: `${source} of baseline ${name}`,
          note: 'those that are not here, or that this process does not see, are not judged',
          otherwise: 'inconclusive',
        },
        wanted,
      );
}

/** The device of the baseline that is of its kind, and no other is the same; null: one is, or none is of its kind. */
function unlikeIn({ entries }: Baseline, own: BaselineDevice): BaselineDevice | null {
  const alike = entries.map(({ device }) => device).filter((device) => sameKind(device, own));
  return alike.some((device) => sameDevice(device, own)) ? null : (alike[0] ?? null);
}

const unlikeFinding = (
  quantity: string,
  measured: Looked['measured'],
  limit: NonNullable<Finding['limit']>,
  source: string,
  unit: string | null = null,
): Finding => equalTo({ quantity, measured, unit, source, otherwise: 'inconclusive' }, limit);

/** CPUs, cores, sockets, hyperthreads and NUMA nodes, of which as many have to be here as there. */
function cpuFindings(baseline: Baseline, machine: MachineDescription, source: string): readonly Finding[] {
  const own = baselineDevice(machine, 'cpu');
  if (!baseline.entries.some(({ device }) => sameKind(device, own))) return [];
  const cpus = unlikeIn(baseline, own)?.cpus ?? null;
  const here = hardwareOf(machine);
  return [
    ...(cpus === null ? [] : [unlikeFinding('cpus', own.cpus, cpus, source)]),
    ...COUNTS.flatMap((name) => {
      const [limit, measured] = [baseline.hardware?.[name], here[name]];
      return limit === undefined || measured === undefined || limit === measured
        ? []
        : [unlikeFinding(name, measured, limit, source)];
    }),
  ];
}

/** Whether there may be less of something than on the baseline's nodes: of what is not told nobody knows. */
const maybeLess = ({ measured, limit }: Finding): boolean =>
  measured === null || (typeof measured === 'number' && typeof limit === 'number' && measured < limit);

type Unlike = Pick<Judged, 'findings' | 'cause' | 'because'> & { readonly device: string };

function unlikeCpu(baseline: Baseline, machine: MachineDescription, source: string): readonly Unlike[] {
  const findings = cpuFindings(baseline, machine, source);
  if (findings.length === 0) return [];
  // Where there is more, or as many that are set otherwise, nothing is gone.
  if (!findings.some(maybeLess)) return [{ device: 'cpu', findings, cause: causeNamed('other-setting') }];
  const because =
    'something of this node is gone or is set otherwise, or it is of another kind: then make a baseline of nodes of its kind (pi-bench fleet baseline)';
  return [{ device: 'cpu', findings, cause: causeNamed('missing-device'), because }];
}

/** GPUs whose power limit is another one, or not known. */
function unlikeGpus(baseline: Baseline, machine: MachineDescription, source: string): readonly Unlike[] {
  return (machine.gpus?.devices ?? []).flatMap(({ ordinal }) => {
    const device = gpuNamed(ordinal);
    const own = baselineDevice(machine, device);
    const there = unlikeIn(baseline, own);
    const limit = there?.powerLimitWatts ?? null;
    if (there === null || limit === null || limit === own.powerLimitWatts) return [];
    const finding = unlikeFinding('power_limit', own.powerLimitWatts, limit, source, 'W');
    const cause = causeNamed(own.powerLimitWatts === null ? 'driver-fault' : 'power-limit');
    return [{ device, findings: [finding], cause, because: limitAdvice(there) }];
  });
}

/** Of the first attempt: no other changes the node. */
export function nodeOfBaseline(
  check: CheckOf<'floor'>,
  baseline: Baseline,
  context: Context,
): readonly Judgement[] {
  if (context.reference !== null) return [];
  const { machine } = context;
  const source = `${context.source} of baseline ${baseline.name}`;
  const missing = missingGpus(baseline, context);
  const unlike: readonly Unlike[] = [
    ...unlikeCpu(baseline, machine, source),
    ...unlikeGpus(baseline, machine, source),
    ...(missing === null
      ? []
      : [{ device: 'cuda', findings: [missing], cause: causeNamed('missing-device') }]),
  ];
  return unlike.map((one) => judged(check, { ...placeOf(check), ...one }));
}

/** What the checks of GPU launches have in common: a launch on the CPU has nothing to be checked. */
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import type { Observation } from '../../telemetry/types.js';
import type { Detector, Found } from './detector.js';
import type { FlagName } from './types.js';

export interface GpuCheck {
  readonly name: FlagName;
  /** Whether it is about the GPU at work alone, and not about one whose memory is only the other end of a copy. */
  readonly ofWorkOnly?: boolean;
  /** Of one GPU. */
  readonly detect: (nvml: NvmlTelemetry, observation: Observation) => Found | null;
  /** Why NVML's answers do not suffice; null: they do. */
  readonly blindness: (nvml: NvmlTelemetry, observation: Observation) => string | null;
}

/** Of each GPU that took part. */
const allOf = ({ telemetry: { gpu } }: Observation): readonly NvmlTelemetry[] =>
  gpu === undefined ? [] : [gpu.nvml, ...(gpu.others ?? [])];

/** Ranks that are processes of their own tell nothing of their GPUs. */
const UNWATCHED = 'nobody watched the GPUs of these ranks';

/** Of several GPUs, which it is: the ends of a copy by their names, others as far from the first as they have a rank. */
const ofOne = ({ reason, evidence }: Found, place: number, { peer }: Observation): Found => {
  if (peer === undefined)
    return { reason: `rank ${place}: ${reason}`, evidence: { ...evidence, rank: place } };
  const gpu = nameOf(place, peer);
  return { reason: `${gpu}: ${reason}`, evidence: { ...evidence, gpu } };
};

const nameOf = (place: number, { own, other }: NonNullable<Observation['peer']>): string =>
  place === 0 ? own : other;

function whose(places: readonly number[], { peer }: Observation): string {
  if (peer !== undefined) return places.map((place) => nameOf(place, peer)).join(', ');
  return `${places.length === 1 ? 'rank' : 'ranks'} ${places.join(', ')}`;
}

/** Each reason with those that have it: one GPU may show what another does not. @param whys of each GPU */
function ofEach(whys: readonly (string | null)[], observation: Observation): readonly string[] {
  const places = new Map<string, number[]>();
  whys.forEach((why, place) => {
    if (why !== null) places.set(why, [...(places.get(why) ?? []), place]);
  });
  return [...places].map(([why, own]) =>
    own.length === whys.length ? why : `${whose(own, observation)}: ${why}`,
  );
}

export function gpuDetector({ name, ofWorkOnly = false, detect, blindness }: GpuCheck): Detector {
  const asked = (observation: Observation): readonly NvmlTelemetry[] =>
    ofWorkOnly && observation.peer !== undefined ? allOf(observation).slice(0, 1) : allOf(observation);
  return {
    name,
    detect(observation) {
      const all = asked(observation);
      return all.flatMap((nvml, place) => {
        const found = nvml.problem === null ? detect(nvml, observation) : null;
        if (found === null) return [];
        return all.length === 1 ? found : ofOne(found, place, observation);
      });
    },
    blindness(observation) {
      const all = asked(observation);
      if (all.length === 0) return observation.onGpu === true ? UNWATCHED : null;
      const why = ({ problem }: NvmlTelemetry) =>
        problem === null ? null : `NVML does not tell: ${problem}`;
      return ofEach(
        all.map((nvml) => why(nvml) ?? blindness(nvml, observation)),
        observation,
      );
    },
  };
}

/** Where the throttle reasons decide. */
export const withoutReasons = ({ reasons, readings }: NvmlTelemetry): string | null => {
  if ((readings ?? 0) === 0) return 'the repetitions were over before NVML could be read';
  return reasons == null ? 'this GPU does not tell why its clock is lowered' : null;
};

/** What the checks of GPU launches have in common: a launch on the CPU has nothing to be checked. */
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import type { Observation } from '../../telemetry/types.js';
import type { Detector, Found } from './detector.js';
import type { FlagName } from './types.js';

export interface GpuCheck {
  readonly name: FlagName;
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

/** Of several GPUs, which it is: as far from the first as it has a rank. */
const ofRank = ({ reason, evidence }: Found, rank: number): Found => ({
  reason: `rank ${rank}: ${reason}`,
  evidence: { ...evidence, rank },
});

/** Each reason with the ranks that have it: one GPU may show what another does not. @param whys of each rank */
function ofEach(whys: readonly (string | null)[]): readonly string[] {
  const ranks = new Map<string, number[]>();
  whys.forEach((why, rank) => {
    if (why !== null) ranks.set(why, [...(ranks.get(why) ?? []), rank]);
  });
  return [...ranks].map(([why, own]) =>
    own.length === whys.length ? why : `${own.length === 1 ? 'rank' : 'ranks'} ${own.join(', ')}: ${why}`,
  );
}

export function gpuDetector({ name, detect, blindness }: GpuCheck): Detector {
  return {
    name,
    detect(observation) {
      const all = allOf(observation);
      return all.flatMap((nvml, rank) => {
        const found = nvml.problem === null ? detect(nvml, observation) : null;
        if (found === null) return [];
        return all.length === 1 ? found : ofRank(found, rank);
      });
    },
    blindness(observation) {
      const all = allOf(observation);
      if (all.length === 0) return observation.onGpu === true ? UNWATCHED : null;
      const why = ({ problem }: NvmlTelemetry) =>
        problem === null ? null : `NVML does not tell: ${problem}`;
      return ofEach(all.map((nvml) => why(nvml) ?? blindness(nvml, observation)));
    },
  };
}

/** Where the throttle reasons decide. */
export const withoutReasons = ({ reasons, readings }: NvmlTelemetry): string | null => {
  if ((readings ?? 0) === 0) return 'the repetitions were over before NVML could be read';
  return reasons == null ? 'this GPU does not tell why its clock is lowered' : null;
};

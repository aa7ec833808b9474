/** What the checks of GPU launches have in common: a launch on the CPU has nothing to be checked. */
import type { GpuTelemetry, NvmlTelemetry } from '../../telemetry/gpu.js';
import type { Observation } from '../../telemetry/types.js';
import type { Detector } from './detector.js';
import type { Flag, FlagName } from './types.js';

type Found = Omit<Flag, 'name'> | null;

export interface GpuCheck {
  readonly name: FlagName;
  readonly detect: (nvml: NvmlTelemetry, observation: Observation) => Found;
  /** Why NVML's answers do not suffice; null: they do. */
  readonly blindness: (nvml: NvmlTelemetry, observation: Observation) => string | null;
}

const telemetryOf = ({ telemetry }: Observation): GpuTelemetry | null => telemetry.gpu ?? null;

export function gpuDetector({ name, detect, blindness }: GpuCheck): Detector {
  return {
    name,
    detect(observation) {
      const gpu = telemetryOf(observation);
      return gpu === null || gpu.nvml.problem !== null ? null : detect(gpu.nvml, observation);
    },
    blindness(observation) {
      const gpu = telemetryOf(observation);
      if (gpu === null) return null;
      const { problem } = gpu.nvml;
      return problem === null ? blindness(gpu.nvml, observation) : `NVML does not tell: ${problem}`;
    },
  };
}

/** Where the throttle reasons decide. */
export const withoutReasons = ({ reasons, readings }: NvmlTelemetry): string | null => {
  if ((readings ?? 0) === 0) return 'the repetitions were over before NVML could be read';
  return reasons == null ? 'this GPU does not tell why its clock is lowered' : null;
};

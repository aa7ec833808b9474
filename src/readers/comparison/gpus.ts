/** Whether what is compared ran on one GPU, set in one way: its name, cuda:0, is that of any GPU that a job was given. Pure. */
import { isGpu, ordinalOf } from '../../devices/device.js';
import { type GpuDescription, type GpuSurvey, limitInForce } from '../../machine/gpus.js';
import type { Circumstance, TextPair } from './circumstance.js';
import type { Entry } from './sides.js';

/** As the record describes it; null: the device is no GPU, or the record tells of none. */
function gpuOf({ of: { record }, batch: { device } }: Entry): GpuDescription | null {
  if (!isGpu(device)) return null;
  const { gpus } = record.machine as { gpus?: GpuSurvey };
  return gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device)) ?? null;
}

const onOff = (value: boolean | null | undefined): string | null =>
  value == null ? null : value ? 'on' : 'off';

type Trait = (gpu: GpuDescription) => string | null;

/** In words; null: not told. */
const uuidOf: Trait = ({ uuid }) => (uuid === '' ? null : uuid);
const SETTINGS: readonly Trait[] = [
  ({ ecc }) => (ecc == null ? null : `ECC ${onOff(ecc)}`),
  ({ mig }) => (mig == null ? null : `MIG ${onOff(mig)}`),
  (gpu) => {
    const limit = limitInForce(gpu);
    return limit === null ? null : `power limit ${Math.round(limit)} W`;
  },
];

/** Of two machines, or of two devices of one, the GPUs are others by their labels. */
const sameByName = (one: Entry, other: Entry): boolean =>
  one.batch.device === other.batch.device && one.labels.machine === other.labels.machine;

export const GPU: Circumstance = {
  by: null,
  note: 'not on one GPU with the same settings, which may be the reason of a difference',
  weakness: { flag: 'other-gpu', text: 'on another GPU, or one that is set otherwise' },
  differences: (reference, candidate) => {
    const [own, other] = [gpuOf(reference), gpuOf(candidate)];
    if (own === null || other === null) return [];
    const asked = sameByName(reference, candidate) ? [uuidOf, ...SETTINGS] : SETTINGS;
    return asked.flatMap((textOf): readonly TextPair[] => {
      const [text, others] = [textOf(own), textOf(other)];
      return text === null || others === null || text === others ? [] : [[text, others]];
    });
  },
};

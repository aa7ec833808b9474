/** Whether what is compared ran on one GPU, set in one way: its name, cuda:0, is that of any GPU that a job was given. Pure. */
import { isGpu, ordinalOf } from '../../devices/device.js';
import { type GpuDescription, type GpuSurvey, limitInForce } from '../../machine/gpus.js';
import type { Entry, MatchedCase, Side } from './sides.js';
import { noteOfSides, type Told } from './told.js';

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

function toldOf({ entries: [reference, ...candidates] }: MatchedCase): readonly Told[] {
  const own = reference == null ? null : gpuOf(reference);
  if (reference == null || own === null) return [];
  return candidates.flatMap((candidate, i): readonly Told[] => {
    const other = candidate === null ? null : gpuOf(candidate);
    if (candidate === null || other === null) return [];
    const asked = sameByName(reference, candidate) ? [uuidOf, ...SETTINGS] : SETTINGS;
    return asked.flatMap((textOf): readonly Told[] => {
      const [text, others] = [textOf(own), textOf(other)];
      if (text === null || others === null || text === others) return [];
      return [
        { side: 0, text },
        { side: i + 1, text: others },
      ];
    });
  });
}

/** One sentence, with each side's values; nothing where the GPUs are one and the same, or a record tells nothing of its own. */
export const gpuNote = (cases: readonly MatchedCase[], sides: readonly Side[]): readonly string[] =>
  noteOfSides(
    'not on one GPU with the same settings, which may be the reason of a difference',
    cases.flatMap(toldOf),
    sides,
  );

/** Names of Arm implementers and cores, by the numbers that /proc/cpuinfo shows (Arm ARM, MIDR_EL1; as in util-linux' lscpu). */
import type { ArmIdentity } from './types.js';

const IMPLEMENTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '0x41': 'ARM',
    '0x42': 'Broadcom',
    '0x43': 'Cavium',
    '0x46': 'Fujitsu',
    '0x48': 'HiSilicon',
    '0x4e': 'NVIDIA',
    '0x50': 'APM',
    '0x51': 'Qualcomm',
    '0x53': 'Samsung',
    '0x61': 'Apple',
    '0x6d': 'Microsoft',
    '0x70': 'Phytium',
    '0xc0': 'Ampere',
  }),
);

const PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '0x41/0xd03': 'Cortex-A53',
    '0x41/0xd05': 'Cortex-A55',
    '0x41/0xd07': 'Cortex-A57',
    '0x41/0xd08': 'Cortex-A72',
    '0x41/0xd09': 'Cortex-A73',
    '0x41/0xd0a': 'Cortex-A75',
    '0x41/0xd0b': 'Cortex-A76',
    '0x41/0xd0c': 'Neoverse-N1',
    '0x41/0xd0d': 'Cortex-A77',
    '0x41/0xd40': 'Neoverse-V1',
    '0x41/0xd41': 'Cortex-A78',
    '0x41/0xd44': 'Cortex-X1',
    '0x41/0xd49': 'Neoverse-N2',
    '0x41/0xd4a': 'Neoverse-E1',
    '0x41/0xd4f': 'Neoverse-V2',
    '0x41/0xd84': 'Neoverse-V3',
    '0x41/0xd8e': 'Neoverse-N3',
    '0x43/0x0af': 'ThunderX2-99xx',
    '0x46/0x001': 'A64FX',
    '0x48/0xd01': 'TaiShan-v110',
    '0x4e/0x004': 'Carmel',
    '0xc0/0xac3': 'Ampere-1',
    '0xc0/0xac4': 'Ampere-1a',
  }),
);

/** null for numbers that are not in the tables. */
export function armName(identity: ArmIdentity): {
  readonly vendor: string | null;
  readonly model: string | null;
} {
  return {
    vendor: IMPLEMENTERS.get(identity.implementer) ?? null,
    model: PARTS.get(`${identity.implementer}/${identity.part}`) ?? null,
  };
}

/** Whether this is a virtual machine or a container, and whose. Each answer follows from a file or variable that was read. */
import { type FileReader, readTrimmed } from './linux/reader.js';
import type { Virtualisation } from './types.js';

/** What the firmware's maker and product say of the hypervisor. */
const PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/QEMU|\bKVM\b|OpenStack|RHEV|oVirt|Proxmox/i, 'KVM'],
  [/VMware/i, 'VMware'],
  [/VirtualBox|innotek/i, 'VirtualBox'],
  [/Microsoft Corporation.*Virtual Machine/i, 'Hyper-V'],
  [/\bXen\b/i, 'Xen'],
  [/Parallels/i, 'Parallels'],
  [/Google Compute Engine/i, 'KVM (Google Compute Engine)'],
  [/Amazon EC2/i, 'Nitro (Amazon EC2)'],
  [/Alibaba Cloud/i, 'KVM (Alibaba Cloud)'],
  [/DigitalOcean/i, 'KVM (DigitalOcean)'],
];

export function readVirtualisation(
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
  architecture: string,
): Virtualisation {
  const product = readProduct(reader);
  const flag = hypervisorFlag(reader, architecture);
  const named = readNamedHypervisor(reader);
  // A cloud's bare metal has the cloud's name in its firmware, but a CPU that sees no hypervisor.
  const bareMetal = named === null && (flag === false || /\.metal\b|\bmetal-/i.test(product ?? ''));
  const hypervisor = named ?? (bareMetal ? null : guessHypervisor(reader, product, flag === true));
  return {
    guest: hypervisor !== null ? true : bareMetal ? false : flag,
    hypervisor,
    product,
    container: readContainer(reader, env),
  };
}

function readProduct(reader: FileReader): string | null {
  const parts = ['sys_vendor', 'product_name']
    .map((file) => readTrimmed(reader, `/sys/class/dmi/id/${file}`))
    .filter((part) => part !== null);
  return parts.length > 0 ? parts.join(' ') : null;
}

/** What CPUID says; null where the architecture has no such bit. */
function hypervisorFlag(reader: FileReader, architecture: string): boolean | null {
  if (architecture !== 'x64' && architecture !== 'ia32') return null;
  const flags = /^flags\s*:(.*)$/m.exec(reader('/proc/cpuinfo') ?? '')?.[1];
  return flags === undefined ? null : /\shypervisor(\s|$)/.test(flags);
}

/** Where the hypervisor itself is named. */
function readNamedHypervisor(reader: FileReader): string | null {
  const type = readTrimmed(reader, '/sys/hypervisor/type');
  // The control domain of Xen sees the type too, and runs on a hypervisor as well.
  if (type !== null) return type === 'xen' ? 'Xen' : type;
  if (reader('/proc/xen/capabilities') !== null) return 'Xen';
  const deviceTree = readTrimmed(reader, '/proc/device-tree/hypervisor/compatible');
  if (deviceTree !== null) return deviceTree.includes('kvm') ? 'KVM' : deviceTree;
  return null;
}

/** From the firmware's product, else from a clock that only the hypervisor offers. */
function guessHypervisor(reader: FileReader, product: string | null, guest: boolean): string | null {
  const byProduct = PRODUCTS.find(([pattern]) => pattern.test(product ?? ''))?.[1];
  if (byProduct !== undefined) return byProduct;
  if (!guest) return null;
  const clocks = reader('/sys/devices/system/clocksource/clocksource0/available_clocksource') ?? '';
  if (clocks.includes('kvm-clock')) return 'KVM';
  if (clocks.includes('hyperv_clocksource')) return 'Hyper-V';
  return null;
}

function readContainer(
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
): Virtualisation['container'] {
  const cgroup = reader('/proc/self/cgroup') ?? '';
  const manager = readTrimmed(reader, '/run/systemd/container') ?? env.container ?? '';
  if (env.KUBERNETES_SERVICE_HOST !== undefined || /kubepods/.test(cgroup)) return 'kubernetes';
  if (reader('/.dockerenv') !== null && hasContainerMounts(reader)) return 'docker';
  if (reader('/run/.containerenv') !== null) return 'podman';
  if (isApptainer(reader)) return 'apptainer';
  if (/[/:](docker)[/-]/.test(cgroup) || manager === 'docker') return 'docker';
  if (/libpod/.test(cgroup) || manager === 'podman') return 'podman';
  if (/\/lxc[./]/.test(cgroup) || /^lxc/.test(manager)) return 'lxc';
  if (/cri-containerd|crio-/.test(cgroup) || manager !== '') return 'other';
  return null;
}

/**
 * Apptainer leaves the control group as it is, and its variables prove nothing: Slurm passes those of who submitted on to nodes where
 * nothing is in a container. It puts this file into each image of its own; one of OCI (--oci) has none, and is not known.
 */
const isApptainer = (reader: FileReader): boolean => reader('/.singularity.d/runscript') !== null;

/**
 * Docker mounts these files of its own into each container. A virtual machine whose disk was made from an image has
 * /.dockerenv without being a container. Where the mounts cannot be read, the file alone decides.
 */
function hasContainerMounts(reader: FileReader): boolean {
  const mountinfo = reader('/proc/self/mountinfo');
  return mountinfo === null || / \/etc\/(hostname|hosts|resolv\.conf) /.test(mountinfo);
}

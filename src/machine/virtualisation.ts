/** Whether this is a virtual machine or a container, and whose. Each answer follows from a file or variable that was read. */
import { type FileReader, readTrimmed } from './linux/reader.js';
import type { Virtualisation } from './types.js';

interface Firmware {
  readonly product: RegExp;
  readonly hypervisor: string;
  /** It is part of an emulator, so it is on no bare metal, also where the emulator hides itself from CPUID. */
  readonly emulated?: true;
}

/** What the firmware's maker and product say of the hypervisor. */
const FIRMWARE: readonly Firmware[] = [
  { product: /QEMU/i, hypervisor: 'KVM', emulated: true },
  { product: /\bKVM\b|OpenStack|RHEV|oVirt|Proxmox/i, hypervisor: 'KVM' },
  { product: /VMware/i, hypervisor: 'VMware', emulated: true },
  { product: /VirtualBox|innotek/i, hypervisor: 'VirtualBox', emulated: true },
  { product: /Microsoft Corporation.*Virtual Machine/i, hypervisor: 'Hyper-V', emulated: true },
  { product: /\bXen\b/i, hypervisor: 'Xen' },
  { product: /Parallels/i, hypervisor: 'Parallels', emulated: true },
  { product: /Google Compute Engine/i, hypervisor: 'KVM (Google Compute Engine)' },
  { product: /Amazon EC2/i, hypervisor: 'Nitro (Amazon EC2)' },
  { product: /Alibaba Cloud/i, hypervisor: 'KVM (Alibaba Cloud)' },
  { product: /DigitalOcean/i, hypervisor: 'KVM (DigitalOcean)' },
];

export function readVirtualisation(
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
  architecture: string,
): Virtualisation {
  const product = readProduct(reader);
  const flag = hypervisorFlag(reader, architecture);
  const named = readNamedHypervisor(reader);
  const firmware = FIRMWARE.find((one) => one.product.test(product ?? ''));
  // A cloud's bare metal has the cloud's name in its firmware, but a CPU that sees no hypervisor.
  const seesNone = flag === false || /\.metal\b|\bmetal-/i.test(product ?? '');
  const bareMetal = named === null && firmware?.emulated !== true && seesNone;
  const guessed = firmware?.hypervisor ?? (flag === true ? hypervisorOfClocks(reader) : null);
  const hypervisor = named ?? (bareMetal ? null : guessed);
  return {
    guest: hypervisor !== null ? true : bareMetal ? false : flag,
    hypervisor,
    product,
    ...contained(reader, env),
  };
}

function contained(
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Virtualisation, 'container' | 'booted'> {
  const container = readContainer(reader, env);
  return container === null || reader(OF_INIT) === null ? { container } : { container, booted: true };
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
  // Microsoft's kernel for WSL 2, of which each distribution is a guest's, though systemd there calls it a container.
  if (/microsoft.*WSL2/i.test(reader('/proc/sys/kernel/osrelease') ?? '')) return 'Hyper-V (WSL)';
  return null;
}

/** By a clock that only it offers. */
function hypervisorOfClocks(reader: FileReader): string | null {
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
  const mounts = reader('/proc/self/mountinfo') ?? '';
  // Alone the variables prove nothing, because Slurm passes those of who submitted on to nodes where nothing is in a container.
  const told = OWN_MOUNTS.test(mounts) || LXC_MOUNTS.test(mounts) ? env : {};
  const named = MANAGERS.map((file) => readTrimmed(reader, file)).find(Boolean) ?? told.container ?? '';
  const manager = named === 'wsl' ? '' : named;
  if (told.KUBERNETES_SERVICE_HOST !== undefined || /kubepods/.test(cgroup)) return 'kubernetes';
  if (reader('/.dockerenv') !== null && hasContainerMounts(reader)) return 'docker';
  if (reader('/run/.containerenv') !== null) return 'podman';
  if (isApptainer(reader)) return 'apptainer';
  if (/\bdocker[/-][0-9a-f]{64}\b/.test(cgroup) || manager === 'docker') return 'docker';
  if (/libpod/.test(cgroup) || manager === 'podman') return 'podman';
  if (/\/lxc[./]/.test(cgroup) || /^lxc/.test(manager)) return 'lxc';
  // containerd itself (ctr, nerdctl) leaves nothing but its mounts.
  if (/cri-containerd|crio-/.test(cgroup) || manager !== '' || OWN_MOUNTS.test(mounts)) return 'other';
  return LXC_MOUNTS.test(mounts) ? 'lxc' : null;
}

/** Of systemd where it is a container's init. */
const OF_INIT = '/run/systemd/container';
/** Where systemd names it in a container: its init, and its nspawn. */
const MANAGERS = [OF_INIT, '/run/host/container-manager'] as const;

/** Mount points that a container has: of Docker and its like, of a pod (its node has them under /var/lib/kubelet). */
const OWN_MOUNTS =
  / \/etc\/hostname | (\/var)?\/run\/secrets\/kubernetes\.io\/serviceaccount | \/dev\/termination-log /;
/** That LXC has, and where somebody mounts them, others too. */
const LXC_MOUNTS = / \/proc\/\S+ .* fuse\.lxcfs /;

/**
 * Apptainer leaves the control group as it is, and its variables prove nothing either, as what it mounts others mount, too. It
 * puts this file into each image of its own; one of OCI (--oci) has none, and is not known.
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

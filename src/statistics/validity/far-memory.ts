/**
 * The host's memory of a copy lay on another NUMA node than the one at which the GPU is: each byte crossed
 * the link between sockets, too.
 */
import { formatShare } from '../../quantities/format.js';
import type { HostMemory } from '../../telemetry/gpu.js';
import type { Observation } from '../../telemetry/types.js';
import type { Detector } from './detector.js';

/** Of its pages; fewer are within what a copy's rate moves by itself. */
const FAR_AT_MOST = 0.05;

const memoryOf = ({ telemetry: { gpu } }: Observation): HostMemory | null => gpu?.hostMemory ?? null;

/** What was done for it to lie near. */
const DONE: Readonly<Record<HostMemory['asked'], string>> = {
  preferred: 'it was asked for there, and that node had too little free',
  kept: 'somebody had said from where this process takes its memory (numactl, a job’s binding), which was kept',
  refused: 'the kernel, or a container’s filter, let nobody ask for it there',
  none: 'it was not asked for anywhere',
};

export const farMemory: Detector = {
  name: 'far-memory',
  detect(observation) {
    const memory = memoryOf(observation);
    if (memory?.gpuNode == null || memory.nodes === null) return null;
    const { gpuNode, nodes, asked } = memory;
    const others = nodes.filter(({ node }) => node !== gpuNode);
    const far = others.reduce((sum, { share }) => sum + share, 0);
    if (far <= FAR_AT_MOST) return null;
    const names = others.map(({ node }) => node).join(', ');
    return {
      reason: `${formatShare(far)} of the host’s memory of these copies lay on NUMA node ${names}, and the GPU is at node ${gpuNode}: ${DONE[asked]}; the rate may be that of the link between sockets`,
      evidence: { farShare: far, gpuNode, nodes: names, asked },
    };
  },
  blindness(observation) {
    const memory = memoryOf(observation);
    const { overHostLink, peer, telemetry } = observation;
    // Documents of older versions.
    if (memory === null && telemetry.gpu !== undefined && overHostLink === true && peer === undefined)
      return 'nobody looked on which NUMA node the host’s memory of these copies lies';
    // All memory of a machine with one node is as near.
    if (memory === null || memory.memoryNodes === 1) return null;
    if (memory.gpuNode === null) return 'the kernel does not tell at which NUMA node the GPU is';
    if (memory.nodes !== null) return null;
    const done =
      memory.asked === 'preferred' ? `; it was asked for on that of the GPU, ${memory.gpuNode}` : '';
    return `the kernel does not tell on which NUMA node the host’s memory of these copies lies${done}`;
  },
};

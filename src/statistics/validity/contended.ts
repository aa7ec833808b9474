/** Other work ran on the machine, whether or not it took this launch's CPUs: caches, memory and clocks are shared. */
import { type Detector, percent } from './detector.js';

const MOST_SHARE = 0.05;
/** CPU time of the machine is counted in ticks of 10 ms. */
const LEAST_WINDOW = 0.2;

export const contended: Detector = {
  name: 'contended',
  detect({ concurrentCampaign, telemetry: { otherCpuTime, window, onlineCpus, cpuPressure } }) {
    const share = otherCpuTime === null || window < LEAST_WINDOW ? null : otherCpuTime / (window * onlineCpus);
    const loaded = share !== null && share > MOST_SHARE;
    if (concurrentCampaign === null && !loaded) return null;
    const signs: string[] = [];
    if (concurrentCampaign !== null) signs.push(`${concurrentCampaign} measured at the same time`);
    if (loaded) signs.push(`other processes used ${percent(share)} of the machine’s CPU time`);
    return {
      reason: signs.join('; '),
      evidence: { concurrentCampaign, otherCpuSeconds: otherCpuTime, share, windowSeconds: window, onlineCpus, cpuPressureSeconds: cpuPressure },
    };
  },
  blindness: ({ telemetry: { otherCpuTime } }) =>
    otherCpuTime === null ? 'the kernel does not tell what others used' : null,
};

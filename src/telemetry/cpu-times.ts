/** /proc/stat: what all CPUs together did since boot, in ticks. */
import { wholeNumber } from '../machine/linux/reader.js';

export interface CpuTimes {
  /** user, nice, system, irq and softirq. Guests' time is within user already. */
  readonly busyTicks: number;
  /** null on kernels that do not count it. */
  readonly stealTicks: number | null;
}

/** null when the text has no line for all CPUs. */
export function parseCpuTimes(text: string): CpuTimes | null {
  const line = text.split('\n').find((candidate) => /^cpu\s/.test(candidate));
  if (line === undefined) return null;
  const [user, nice, system, , , irq, softirq, steal] = line.trim().split(/\s+/).slice(1).map(wholeNumber);
  if (user == null || nice == null || system == null || irq == null || softirq == null) return null;
  return { busyTicks: user + nice + system + irq + softirq, stealTicks: steal ?? null };
}

/** CPU bandwidth limits of a control group, as v2 (`cpu.max`) and v1 (`cpu.cfs_quota_us`, `cpu.cfs_period_us`) write them. */
import type { Seconds } from '../../units.js';
import { wholeNumber } from './reader.js';

export interface CpuQuota {
  /** CPUs' worth of time that a period allows. */
  readonly cpus: number;
  readonly period: Seconds;
}

const MICROSECONDS_A_SECOND = 1e6;

/** `max 100000` is no quota, `150000 100000` is 1.5 CPUs. null when there is no quota, or the text is something else. */
export function parseCpuMax(text: string): CpuQuota | null {
  const [quota, period, ...rest] = text.trim().split(/\s+/);
  return rest.length > 0 ? null : quotaOf(wholeNumber(quota), wholeNumber(period));
}

/** A quota of -1 is none. null when there is no quota, or the texts are something else. */
export function parseCfsQuota(quotaText: string, periodText: string): CpuQuota | null {
  return quotaOf(wholeNumber(quotaText), wholeNumber(periodText));
}

/** The quota of the group in a directory, from whichever files are there. */
export function quotaIn(read: (path: string) => string | null, directory: string): CpuQuota | null {
  const max = read(`${directory}/cpu.max`);
  if (max !== null) return parseCpuMax(max);
  const quota = read(`${directory}/cpu.cfs_quota_us`);
  const period = read(`${directory}/cpu.cfs_period_us`);
  return quota === null || period === null ? null : parseCfsQuota(quota, period);
}

/** The level of a hierarchy that allows least; null when none has a quota. */
export function tightest(quotas: readonly (CpuQuota | null)[]): CpuQuota | null {
  return quotas.reduce<CpuQuota | null>(
    (least, quota) => (quota !== null && (least === null || quota.cpus < least.cpus) ? quota : least),
    null,
  );
}

function quotaOf(quota: number | null, period: number | null): CpuQuota | null {
  if (quota === null || period === null || quota === 0 || period === 0) return null;
  return { cpus: quota / period, period: period / MICROSECONDS_A_SECOND };
}

/** A CPU quota or a thermal limit stopped the threads: the rate inside a repetition is a burst that does not last. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import { QUOTA_ABOVE } from '../../telemetry/cgroup.js';
import type { CgroupTelemetry } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { type Detector, whyMissing } from './detector.js';

function quotaReason(
  { quotaCpus, throttledPeriods, periods, throttledTime }: CgroupTelemetry,
  window: Seconds,
): string {
  const quota = quotaCpus === null ? 'its CPU quota' : `its quota of ${plural(quotaCpus, 'CPU')}`;
  const share = formatShare(throttledPeriods / Math.max(1, periods));
  return `the control group used up ${quota} in ${throttledPeriods} of ${plural(periods, 'period')} (${share}) and stood still for ${formatSeconds(throttledTime, 3)}, its CPUs added up, in ${formatSeconds(window, 3)}: the sustained rate is what it can keep up; raise the quota, or use fewer threads`;
}

export const throttled: Detector = {
  name: 'throttled',
  detect({ telemetry: { cgroup, window, thermalThrottles } }) {
    const byQuota = cgroup !== null && cgroup.throttledPeriods > 0;
    const byHeat = thermalThrottles !== null && thermalThrottles > 0;
    if (!byQuota && !byHeat) return null;
    const signs: string[] = [];
    if (byQuota) signs.push(quotaReason(cgroup, window));
    if (byHeat) {
      signs.push(
        `the processor reported its thermal limit ${plural(thermalThrottles, 'time')}: see to its cooling`,
      );
    }
    return {
      reason: signs.join('; '),
      evidence: {
        quotaCpus: cgroup?.quotaCpus ?? null,
        periodSeconds: cgroup?.period ?? null,
        periods: cgroup?.periods ?? null,
        throttledPeriods: cgroup?.throttledPeriods ?? null,
        throttledPeriodsShare: cgroup === null ? null : cgroup.throttledPeriods / Math.max(1, cgroup.periods),
        throttledSeconds: cgroup?.throttledTime ?? null,
        /** Can exceed 1: the kernel adds up the group's CPUs. */
        throttledShareOfWindow: cgroup === null || !(window > 0) ? null : cgroup.throttledTime / window,
        windowSeconds: window,
        thermalThrottles,
      },
    };
  },
  blindness({ telemetry }) {
    const unseen: string[] = [];
    const above = telemetry.missing.find(({ what }) => what === QUOTA_ABOVE);
    if (telemetry.cgroup === null) {
      unseen.push(
        `CPU quota: ${whyMissing(telemetry, 'CPU quota', 'the control group’s counters are not visible')}`,
      );
    } else if (above !== undefined) {
      unseen.push(`CPU quota: ${above.why}`);
    }
    if (telemetry.thermalThrottles === null) {
      unseen.push(
        `thermal limit: ${whyMissing(telemetry, 'thermal throttling', 'the processor does not count it')}`,
      );
    }
    return unseen.length === 0 ? null : unseen.join('; ');
  },
};

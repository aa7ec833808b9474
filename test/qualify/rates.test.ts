/** Which KPI of an indicator is the rate that a baseline holds, for whoever writes one and for whoever is held to it. */
import { describe, expect, it } from 'vitest';
import { indicators } from '../../src/indicators/index.js';
import { rateKpi } from '../../src/qualify/rates.js';

describe('the KPI that is the median rate', () => {
  it.each(indicators.map(({ name, kpis }) => ({ name, kpis })))('is declared by $name', ({ name, kpis }) => {
    const kpi = rateKpi(name);
    expect(kpi).toMatch(new RegExp(`^pibench_${name.replaceAll('-', '_')}_rate_[a-z]+_per_second$`));
    expect(kpis.find((one) => one.name === kpi)?.statistic).toBe('median');
  });
  it('is not known of what others published', () => {
    expect(rateKpi('gemm-of-others')).toBeNull();
  });
});

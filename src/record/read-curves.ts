/** The curves of reading in a memory record: what tells of caches. Pure. */
import type { Point } from '../statistics/plateaus.js';
import type { CurveKpi, PiBenchRecord } from './schema.js';

export interface ReadCurve {
  readonly threads: number;
  readonly points: readonly Point[];
}

export const isCurve = (kpi: PiBenchRecord['kpis'][number]): kpi is CurveKpi => 'points' in kpi;

export function readCurves(record: Pick<PiBenchRecord, 'kpis'>): readonly ReadCurve[] {
  return record.kpis.filter(isCurve).flatMap(({ labels, points }) => {
    const { indicator, operation, threads } = labels;
    if (indicator !== 'memory' || operation !== 'read' || typeof threads !== 'number') return [];
    return [{ threads, points }];
  });
}

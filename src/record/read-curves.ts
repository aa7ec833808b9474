/** The curves of reading in a memory record: what tells of caches. Pure. */
import type { Readers } from '../machine/implied-caches.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { Point } from '../statistics/plateaus.js';
import type { CurveKpi, PiBenchRecord, RecordBatch } from './schema.js';

export interface ReadCurve extends Readers {
  readonly device: string;
  readonly atOnce: boolean;
  readonly points: readonly Point[];
}

export const isCurve = (kpi: PiBenchRecord['kpis'][number]): kpi is CurveKpi => 'points' in kpi;

/** Of all measured launches; null where they differ, or one does not tell. */
function cpusOf(batches: readonly RecordBatch[]): readonly number[] | null {
  const lists = batches.flatMap(({ inspections }) =>
    inspections.filter(({ status }) => status === 'measured').map(({ cpus }) => cpus ?? null),
  );
  const [one = null, ...others] = new Set(lists);
  return others.length === 0 ? parseCpuList(one) : null;
}

export function readCurves({ kpis, batches }: Pick<PiBenchRecord, 'kpis' | 'batches'>): readonly ReadCurve[] {
  return kpis.filter(isCurve).flatMap(({ labels, points, batches: places }): ReadCurve[] => {
    const { indicator, operation, threads } = labels;
    if (indicator !== 'memory' || operation !== 'read' || typeof threads !== 'number') return [];
    const own = batches.filter((_, i) => places?.includes(i) === true);
    const cpus = cpusOf(own);
    return [
      {
        threads,
        cpus: cpus?.length === threads ? cpus : null,
        device: String(labels.device ?? own[0]?.device ?? 'cpu'),
        // Curves of older records have no batches.
        atOnce: labels.at_once === true || own.some(({ atOnce }) => atOnce !== undefined),
        points,
      },
    ];
  });
}

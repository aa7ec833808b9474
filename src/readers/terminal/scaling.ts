/** The same collective on other numbers of ranks, in words: speed-up and efficiencies of strong and of weak scaling. */
import type { Operation } from '../../indicators/collective-cases.js';
import { briefBytes, formatShare, significant } from '../../quantities/format.js';
import { efficienciesOf } from '../../record/collective-kpis.js';
import { canonicalJson } from '../../record/digest.js';
import { isResult } from '../../record/result.js';
import type { RecordBatch } from '../../record/schema.js';
import { doesNoWork } from '../../record/work.js';
import { type PopRun, popScaling, type ScalingKind, speedupOf } from '../../statistics/pop.js';
import type { Bytes, Seconds } from '../../units.js';
import { stackKey } from '../comparison/sides.js';
import type { Row } from './table.js';

const SCALING_KINDS: readonly ScalingKind[] = ['weak', 'strong'];

/** What differs between two numbers of ranks that are compared: they, and what follows from them. */
const OF_RANKS: readonly string[] = ['ranks', 'bytes', 'pin', 'perHost'];

/** All else, which has to be alike. */
const scalingKey = ({ case: { parameters }, stack, device }: RecordBatch): string => {
  const same = Object.entries(parameters).filter(([name]) => !OF_RANKS.includes(name));
  return canonicalJson([Object.fromEntries(same), stackKey(stack), device]);
};

/** A rank that is not the root has only its own share of their bytes; of the others each rank gives or gets all of them. */
const OF_ALL_RANKS: readonly unknown[] = ['gather', 'scatter'] satisfies Operation[];

/** What all ranks together give or get, whichever is more. */
const bytesOfAll = ({ operation, bytes, ranks }: RecordBatch['case']['parameters']): Bytes =>
  Number(bytes) * (OF_ALL_RANKS.includes(operation) ? 1 : Number(ranks));

/**
 * As much for all ranks together: strong scaling; as much for each of them: weak. null: neither, or nothing is given or got, as in a
 * barrier.
 */
function scalingKind(
  one: RecordBatch['case']['parameters'],
  reference: RecordBatch['case']['parameters'],
): ScalingKind | null {
  const [own, before] = [bytesOfAll(one), bytesOfAll(reference)];
  if (own === 0) return null;
  if (own === before) return 'strong';
  return own * Number(reference.ranks) === before * Number(one.ranks) ? 'weak' : null;
}

interface Measured {
  readonly batch: RecordBatch;
  readonly ranks: number;
  readonly seconds: Seconds;
}

/** Of as much for each rank, or for all of them, on the fewest ranks; null: there is none on fewer. */
function referenceOf(one: Measured, kind: ScalingKind, all: readonly Measured[]): Measured | null {
  const [fewest] = all
    .filter(
      ({ batch, ranks }) =>
        ranks < one.ranks && scalingKind(one.batch.case.parameters, batch.case.parameters) === kind,
    )
    .toSorted((a, b) => a.ranks - b.ranks);
  return fewest ?? null;
}

/** What POP's efficiencies need, of the repetitions in which waiting was observed; null: it was in none. */
const runOf = ({ batch: { ranks } }: Measured): PopRun | null =>
  ranks?.useful == null || ranks.runtime === null ? null : { useful: ranks.useful, runtime: ranks.runtime };

/** '' where waiting was not observed. */
function efficienciesText(one: Measured, reference: Measured, kind: ScalingKind): string {
  const own = efficienciesOf(one.batch);
  const [run, before] = [runOf(one), runOf(reference)];
  const scaling = run === null || before === null ? null : popScaling(run, before, kind);
  if (own === null || scaling === null) return '';
  return `, parallel efficiency ${formatShare(own.parallel, 3)} (load balance ${formatShare(own.loadBalance, 3)} x communication ${formatShare(own.communication, 3)}), global ${formatShare(scaling.global, 3)}`;
}

/** The same case on other numbers of ranks: of each size, and of strong and weak scaling, against the fewest. */
function scalingOf(batches: readonly RecordBatch[], named: boolean): readonly Row[] {
  const measured = batches.filter(isResult).flatMap((batch): Measured[] => {
    const { elapsed } = batch;
    // Of what moves nothing no time can be the reference.
    if (elapsed === null || doesNoWork(batch)) return [];
    return [{ batch, ranks: Number(batch.case.parameters.ranks), seconds: elapsed.median }];
  });
  return measured.flatMap((one): Row[] =>
    SCALING_KINDS.flatMap((kind): Row[] => {
      const reference = referenceOf(one, kind, measured);
      if (reference === null) return [];
      const { operation, dtype, bytes } = one.batch.case.parameters;
      const of = named ? ` of ${operation} ${dtype}` : '';
      const speedup = speedupOf(one, reference, kind);
      return [
        [
          `${reference.ranks} → ${one.ranks} ranks`,
          `${kind} scaling${of} at ${briefBytes(Number(bytes))}: speed-up ${significant(speedup, 3)}${efficienciesText(one, reference, kind)}`,
        ],
      ];
    }),
  );
}

/** Of each kind of case by itself: an all-gather on two ranks is no scaled all-reduce. */
export function scalingRows(batches: readonly RecordBatch[]): readonly Row[] {
  const kinds = [...new Set(batches.map(scalingKey))];
  return kinds.flatMap((kind) =>
    scalingOf(
      batches.filter((batch) => scalingKey(batch) === kind),
      kinds.length > 1,
    ),
  );
}

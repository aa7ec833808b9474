/** What times over sizes tell of a collective, in words: latency, bandwidth, and where they change. */
import { briefBytes, formatSeconds, withPrefix } from '../../quantities/format.js';
import { canonicalJson } from '../../record/digest.js';
import { isResult } from '../../record/result.js';
import type { RecordBatch } from '../../record/schema.js';
import { doesNoWork } from '../../record/work.js';
import { fitAlphaBeta, type Piece } from '../../statistics/alpha-beta.js';
import { nameBatches } from '../batch-names.js';
import { stackKey } from '../comparison/sides.js';

function pieceText({ from, to, alpha, beta }: Piece): string {
  const range = `${briefBytes(from)} to ${briefBytes(to)}`;
  const bandwidth = beta > 0 ? `${withPrefix(1 / beta, 'B/s', 3)}` : 'no cost of size';
  return `${range}: ${formatSeconds(alpha, 3)} + size / ${bandwidth}`;
}

/** Batches of one case on one stack and device at several sizes: a curve over them. */
interface Sizes {
  /** '' where there is no other. */
  readonly name: string;
  readonly batches: readonly RecordBatch[];
}

const withoutSize = (parameters: RecordBatch['case']['parameters']): RecordBatch['case']['parameters'] =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== 'bytes'));

const sizesKey = ({ case: { parameters }, stack, device, asked }: RecordBatch): string =>
  canonicalJson([withoutSize(parameters), stackKey(stack), device, asked.labels ?? null]);

function sizesOf(batches: readonly RecordBatch[]): readonly Sizes[] {
  const keys = batches.map(sizesKey);
  const groups = [...new Set(keys)].map((key) => batches.filter((_, i) => keys[i] === key));
  // Sizes that fit are not the same for 3 ranks as for 4, and no name of either.
  const { names } = nameBatches(
    groups.flatMap(([first]) => {
      if (first === undefined) return [];
      const { asked } = first;
      const parameters = withoutSize(asked.case.parameters);
      return [{ ...first, asked: { ...asked, case: { ...asked.case, parameters } } }];
    }),
  );
  return groups.map((own, i) => ({ name: names[i] ?? '', batches: own }));
}

/** Latency and bandwidth over sizes; nothing where there are too few of them. */
function fitText({ name, batches }: Sizes): readonly string[] {
  const points = batches.filter(isResult).flatMap((batch) => {
    const { elapsed } = batch;
    const bytes = Number(batch.case.parameters.bytes);
    // What does not move a byte, as a barrier, has no bandwidth.
    return elapsed === null || doesNoWork(batch) ? [] : [{ bytes, seconds: elapsed.median }];
  });
  if (new Set(points.map(({ bytes }) => bytes)).size < points.length) return [];
  const pieces = fitAlphaBeta(points);
  if (pieces.length === 0) return [];
  const of = name === '' ? '' : `${name}: `;
  const knees = pieces.slice(1).map(({ from }) => briefBytes(from));
  const named = knees.length === 0 ? 'no knee' : `knees at ${knees.join(', ')}`;
  return [`${of}time = latency + size / bandwidth, ${named}: ${pieces.map(pieceText).join('; ')}`];
}

/** A line for each curve. */
export const fitTexts = (batches: readonly RecordBatch[]): readonly string[] =>
  sizesOf(batches).flatMap(fitText);

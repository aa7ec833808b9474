// From the turns of a case to its figures. Pure.
import { operationsOf } from './shapes.mjs';

/** A rate above the register-only peak by more than this has used more threads than it was given. */
const ABOVE_PEAK = 1.05;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** How much faster `own` was than `other`, round by round, so that what drifted over the rounds cancels. */
export const pairedRatio = (own, other) =>
  median(own.turns.map((turn, round) => other.turns[round].median / turn.median));

/** One candidate's figures: rates per second, of the median round and of its best sample. */
function row({ candidate, hello, turns, trouble }, operations, peak) {
  const { name, role } = candidate;
  if (trouble !== null) return { name, role, trouble, turns: [] };
  const rate = operations / median(turns.map((turn) => turn.median));
  const best = operations / Math.min(...turns.map((turn) => turn.min));
  const samples = turns.reduce((sum, { count }) => sum + count, 0);
  const disturbed = turns.reduce((sum, turn) => sum + turn.disturbed, 0);
  // Turns that consist of disturbed samples only are no clean measurement.
  const contended = turns.filter((turn) => turn.disturbed === turn.count).length * 2 > turns.length;
  const impossible = peak !== null && rate > ABOVE_PEAK * peak;
  return {
    name,
    role,
    trouble: impossible ? `${(rate / peak).toFixed(2)} of the peak of the threads asked for` : null,
    turns,
    rate,
    best,
    samples,
    disturbed,
    contended,
    setting: candidate.setting?.label ?? '',
    kernel: hello.kernel ?? '',
    pinned: hello.pinned,
  };
}

/** The rival that leaves `own` the smallest ratio, with it. Null where there is none. */
export function strongest(own, rivals) {
  const ratios = rivals.map((rival) => ({ rival, ratio: pairedRatio(own, rival) }));
  return ratios.reduce((least, entry) => (least === null || entry.ratio < least.ratio ? entry : least), null);
}

/** The targets of the issue, in its words. AMX's are for kernels that use it. */
export function targetFor({ type, shape, threads }, versus, kernel) {
  if (shape.skinny) return null;
  if (versus === 'prepacked') return kernel.startsWith('amx') ? 0.9 : null;
  if (versus === 'jit') return threads === 1 ? 0.95 : null;
  if (versus === 'own') return null;
  return type === 'float32' || type === 'float64' || kernel.startsWith('amx') ? 1 : null;
}

/** Which rows each comparison sets against each other. */
const COMPARISONS = [
  { own: 'own', versus: 'library' },
  { own: 'own', versus: 'jit' },
  { own: 'own prepacked', versus: 'prepacked' },
];

/**
 * The figures of one case: { situation, peak, rows, comparisons }. A comparison is { own, versus, rival, ratio, target,
 * holds }; `holds` is null where there is no target, rival null where nothing is there to compare with.
 */
export function figures(situation, runs) {
  const operations = operationsOf(situation.shape);
  const peakRun = runs.find(({ candidate, trouble }) => candidate.role === 'peak' && trouble === null);
  const peak =
    peakRun === undefined ? null : Math.max(...peakRun.turns.map((turn) => turn.operations / turn.median));
  const rows = runs
    .filter(({ candidate }) => candidate.role !== 'peak')
    .map((run) => row(run, operations, peak));
  const sound = rows.filter(({ trouble }) => trouble === null);
  const comparisons = COMPARISONS.flatMap(({ own: role, versus }) =>
    rows
      .filter((entry) => entry.role === role)
      .map((own) => compare(situation, own, versus, sound))
      .filter((comparison) => comparison.rival !== null || versus === 'library'),
  );
  return { situation, peak, rows, comparisons };
}

function compare(situation, own, versus, sound) {
  const target = targetFor(situation, versus, own.kernel ?? '');
  if (own.trouble !== null)
    return {
      own: own.name,
      versus,
      rival: null,
      ratio: null,
      target,
      holds: target === null ? null : false,
    };
  const found = strongest(
    own,
    sound.filter(({ role }) => role === versus),
  );
  if (found === null) return { own: own.name, versus, rival: null, ratio: null, target, holds: null };
  const { rival, ratio } = found;
  return {
    own: own.name,
    versus,
    rival: rival.name,
    ratio,
    target,
    holds: target === null ? null : ratio >= target,
  };
}

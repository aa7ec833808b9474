// From the turns of a case to its figures. Pure.

/** A rate above the register-only peak by more than this has used more threads than it was given. */
const ABOVE_PEAK = 1.05;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

const isClean = ({ count, disturbed }) => disturbed < count;

/**
 * How much faster `own` was than `other`, round by round, so that what drifted over the rounds cancels; from the rounds in
 * which both had undisturbed samples. `clean` is false where those are less than half: then it says little.
 */
export function pairedRatio(own, other) {
  const rounds = own.turns.map((turn, round) => ({ mine: turn, theirs: other.turns[round] }));
  const undisturbed = rounds.filter(({ mine, theirs }) => isClean(mine) && isClean(theirs));
  const clean = undisturbed.length * 2 >= rounds.length;
  const counted = clean ? undisturbed : rounds;
  return { ratio: median(counted.map(({ mine, theirs }) => theirs.median / mine.median)), clean };
}

/** One candidate's figures: rates per second, of the median round and of its best sample. */
function row({ candidate, hello, turns, trouble }, peak) {
  const { name, role } = candidate;
  if (trouble !== null) return { name, role, trouble, turns: [] };
  const { operations } = hello;
  const rate = operations / median(turns.map((turn) => turn.median));
  const best = operations / Math.min(...turns.map((turn) => turn.min));
  const samples = turns.reduce((sum, { count }) => sum + count, 0);
  const disturbed = turns.reduce((sum, turn) => sum + turn.disturbed, 0);
  const contended = turns.filter(isClean).length * 2 < turns.length;
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
  const ratios = rivals.map((rival) => ({ rival, ...pairedRatio(own, rival) }));
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
 * Whether `own` reaches the target against every rival. A clean turn-by-turn loss is a loss; a win over rivals whose turns
 * were disturbed is none, so then it is null: not known.
 */
export function judge(own, rivals, target) {
  if (target === null || rivals.length === 0) return null;
  const pairs = rivals.map((rival) => pairedRatio(own, rival));
  if (pairs.some(({ ratio, clean }) => clean && ratio < target)) return false;
  return pairs.every(({ clean }) => clean) ? true : null;
}

function compare(situation, own, versus, rivals) {
  const target = targetFor(situation, versus, own.kernel ?? '');
  const comparison = { own: own.name, versus, rival: null, ratio: null, target };
  if (own.trouble !== null) return { ...comparison, holds: target === null ? null : false };
  const found = strongest(own, rivals);
  if (found === null) return { ...comparison, holds: null };
  const { rival, ratio } = found;
  return { ...comparison, rival: rival.name, ratio, holds: judge(own, rivals, target) };
}

/**
 * The figures of one case: { situation, peak, rows, comparisons }. A comparison is { own, versus, rival, ratio, target,
 * holds }: `rival` is null where nothing is there to compare with, `holds` where there is no target or no clean answer.
 */
export function figures(situation, runs) {
  const peakRun = runs.find(({ candidate, trouble }) => candidate.role === 'peak' && trouble === null);
  const peak =
    peakRun === undefined
      ? null
      : peakRun.hello.operations / Math.min(...peakRun.turns.map(({ min }) => min));
  const rows = runs.filter(({ candidate }) => candidate.role !== 'peak').map((run) => row(run, peak));
  const sound = rows.filter(({ trouble }) => trouble === null);
  const comparisons = COMPARISONS.flatMap(({ own: role, versus }) =>
    rows
      .filter((entry) => entry.role === role && !entry.trouble?.startsWith('unsupported'))
      .map((own) =>
        compare(
          situation,
          own,
          versus,
          sound.filter((entry) => entry.role === versus),
        ),
      )
      .filter(({ rival }) => rival !== null || versus === 'library'),
  );
  return { situation, peak, rows, comparisons };
}

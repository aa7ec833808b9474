// Whether our product of a type and size reaches its share of the fastest that was measured beside it. Pure.

/** Of which PyTorch's results have the type of ours: of 16-bit operands it writes 16-bit results, which is less work. */
const SAME_WORK_AS_PYTORCH = ['float32', 'float64'];
/** Flags of what the device did: a side that has one which the other has not was not measured under the same conditions. */
const OF_THE_DEVICE = [
  'thermal',
  'power-capped',
  'power-limit-moved',
  'power-brake',
  'clock-not-settled',
  'clock-held',
  'foreign-load',
  'link-degraded',
  'device-errors',
];
const NAMES = { cublas: 'cuBLAS', cublaslt: 'cuBLASLt' };

/** All that was measured beside ours, each with its launches' rates; PyTorch's launches are not known, nor its flags. */
function rivalsOf(rows, pytorch, dtype, size) {
  const libraries = rows
    .filter(({ stack, rate }) => NAMES[stack] !== undefined && rate !== null)
    .map(({ stack, ...row }) => ({ ...row, name: NAMES[stack] }));
  const rate = pytorch?.rates?.[`${dtype} ${size}`] ?? null;
  if (rate === null || !SAME_WORK_AS_PYTORCH.includes(dtype)) return libraries;
  return [...libraries, { name: 'PyTorch', rate, launches: null, flags: null }];
}

/** Of each of our launches its rate over the rival's of the same round, or over the only one that is known of it. */
const ratiosOf = (own, rival) =>
  own.launches.flatMap((rate, round) => {
    const beside = rival.launches === null ? rival.rate : rival.launches[round];
    return rate === null || beside == null ? [] : [rate / beside];
  });

/** Of readings at the power limit, in every launch: then that limit is what the rate is of. */
const HELD_DOWN = 0.9;
/** So far clocks go up and down at it; what moved farther did not begin there. */
const MOVES_AT_LIMIT = 0.1;

/** Whether the power limit held a side down throughout. */
const isHeldDown = ({ heldDown: held }) =>
  held !== undefined && held.share >= HELD_DOWN && held.clockMoved <= MOVES_AT_LIMIT;

/**
 * What of the device only one of the two ran into. Where the power limit held down both throughout, clocks never rest: whose was
 * seen to move is chance, and no other condition.
 */
function notOfBoth(own, rival) {
  if (rival.flags === null) return [];
  const bothHeld = isHeldDown(own) && isHeldDown(rival);
  const differs = (name) => own.flags.includes(name) !== rival.flags.includes(name);
  return OF_THE_DEVICE.filter((name) => differs(name) && !(name === 'clock-not-settled' && bothHeld));
}

/** Why what was measured cannot tell whether the target is reached; null: it can. */
function doubtOf(own, rival, ratios, target) {
  const differing = notOfBoth(own, rival);
  if (differing.length > 0) return `only one of the two is ${differing.join(', ')}`;
  if (ratios.length < 2) return 'it takes two launches of each';
  const reach = ratios.filter((ratio) => ratio >= target).length;
  return reach === 0 || reach === ratios.length ? null : 'its launches lie on both sides';
}

/**
 * Our rate over a rival's, and whether that reaches a target; `met` null: not judged, for that doubt.
 * @param {any} own
 * @param {any} rival
 * @param {number} target
 * @returns {{ share: number, met: boolean | null, doubt: string | null }}
 */
export function judged(own, rival, target) {
  const share = own.rate / rival.rate;
  const doubt = doubtOf(own, rival, ratiosOf(own, rival), target);
  return { share, met: doubt === null ? share >= target : null, doubt };
}

/**
 * @param {{ rows: readonly any[], pytorch?: any }} found
 * @param {string} dtype
 * @param {number} size
 * @param {number} target
 * @returns {{ beside: string[], best: string | null, share: number | null, met: boolean | null, doubt: string | null }} which were
 *   measured, the fastest of them, our rate over its rate; `met` null: not measured, or not judged for that doubt
 */
export function besideRivals({ rows, pytorch }, dtype, size, target) {
  const of = rows.filter((row) => row.dtype === dtype && row.size === size);
  const own = of.find(({ stack }) => stack === 'embedded');
  const rivals = rivalsOf(of, pytorch, dtype, size);
  const beside = rivals.map(({ name }) => name);
  if (own === undefined || own.rate === null || rivals.length === 0)
    return { beside, best: null, share: null, met: null, doubt: null };
  const best = rivals.reduce((a, b) => (b.rate > a.rate ? b : a));
  return { beside, best: best.name, ...judged(own, best, target) };
}

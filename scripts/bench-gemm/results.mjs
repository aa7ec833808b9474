// From the turns of a case to its figures. Pure.
import { median } from '../lib/measure.mjs';

/**
 * What a candidate told of one turn: seconds of a product.
 * @typedef {object} Turn
 * @property {number} median
 * @property {number} min
 * @property {number} count of samples
 * @property {number} disturbed
 */
/**
 * What is multiplied, and by how many threads.
 * @typedef {object} Situation
 * @property {string} type
 * @property {import('./shapes.mjs').Shape} shape
 * @property {number} threads
 * @property {readonly number[]} cpus
 */
/**
 * A candidate with the turns that it had.
 * @typedef {object} Run
 * @property {{ name: string, role: string, setting?: { label: string } }} candidate
 * @property {{ operations: number, kernel?: string, version: string, pinned: boolean }} hello
 * @property {readonly Turn[]} turns
 * @property {string | null} trouble what kept it from having them
 */
/** @typedef {{ turns: readonly Turn[] }} WithTurns */
/** @typedef {ReturnType<typeof row>} Row */
/** @typedef {ReturnType<typeof compare>} Comparison */
/** @typedef {ReturnType<typeof figures>} Figures */
/** @typedef {'library' | 'jit' | 'prepacked' | 'avx2'} Versus */

/** A rate above the register-only peak by more than this has used more threads than it was given. */
const ABOVE_PEAK = 1.05;

/** @param {Turn} turn */
const isClean = ({ count, disturbed }) => disturbed < count;

/**
 * The chance that an interval of a median may be wrong: 5 % shared by the four looks that a case may take, because measuring
 * goes on until an interval decides.
 */
const RISK = 0.05 / 4;

/**
 * How many values may be left out at each end so that what remains holds the median: the most whose two tails of a binomial
 * distribution with p = 1/2 stay within the risk. Null where even all of them are too few to tell: under 8 values.
 * @param {number} count
 */
export function leftOutAtEachEnd(count) {
  let probability = 2 ** -count;
  let tail = probability;
  if (2 * tail > RISK) return null;
  for (let out = 1; ; out++) {
    probability *= (count - out + 1) / out;
    tail += probability;
    if (2 * tail > RISK) return out - 1;
  }
}

/**
 * How much faster `own` was than `other`, round by round, so that what drifted over the rounds cancels; from the rounds in
 * which both had undisturbed samples, with the interval of the median (null for fewer than 8 such rounds). `clean` is
 * false where those are less than half: then it says little.
 * @param {WithTurns} own
 * @param {WithTurns} other
 */
export function pairedRatio(own, other) {
  const rounds = own.turns.map((turn, round) => ({ mine: turn, theirs: other.turns[round] }));
  const undisturbed = rounds.filter(({ mine, theirs }) => isClean(mine) && isClean(theirs));
  const clean = undisturbed.length * 2 >= rounds.length;
  const counted = clean ? undisturbed : rounds;
  const ratios = counted.map(({ mine, theirs }) => theirs.median / mine.median).sort((a, b) => a - b);
  const out = leftOutAtEachEnd(ratios.length);
  const interval = out === null ? null : { low: ratios[out], high: ratios[ratios.length - 1 - out] };
  return { ratio: median(ratios), interval, clean };
}

/**
 * One candidate's figures: rates per second, of the median round and of its best sample.
 * @param {Run} run
 * @param {number | null} peak
 */
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
    version: hello.version,
    pinned: hello.pinned,
  };
}

/**
 * The rival that leaves `own` the smallest ratio, with it. Null where there is none.
 * @param {Row} own
 * @param {readonly Row[]} rivals
 */
function strongest(own, rivals) {
  const ratios = rivals.map((rival) => ({ rival, ...pairedRatio(own, rival) }));
  return ratios.reduce((least, entry) => (least === null || entry.ratio < least.ratio ? entry : least), null);
}

/**
 * What our kernels are to reach. Kernels asked for by name are shown beside the libraries, but only the best of them is to
 * reach them. The narrow types' targets are for AMX; only plain squares have one.
 * @param {Situation} situation
 * @param {Versus} versus
 * @param {{ name: string, kernel?: string }} own
 */
export function targetFor({ type, shape, threads }, versus, own) {
  if (versus === 'avx2') return 0.5;
  if (!shape.square || !/^embedded( prepacked)?$/.test(own.name)) return null;
  const amx = own.kernel?.startsWith('amx') ?? false;
  if (versus === 'prepacked') return amx ? 0.9 : null;
  if (versus === 'jit') return threads === 1 ? 0.95 : null;
  return type === 'float32' || type === 'float64' || amx ? 1 : null;
}

const ofRole = (role) => (row) => row.role === role;
const kernelNamed = (isa) => (row) => row.name === `embedded:${isa}`;

/**
 * Which rows are set against which.
 * @type {readonly { own: (row: Row) => boolean, versus: Versus, rivals: (row: Row) => boolean }[]}
 */
const COMPARISONS = [
  { own: ofRole('own'), versus: 'library', rivals: ofRole('library') },
  { own: ofRole('own'), versus: 'jit', rivals: ofRole('jit') },
  { own: ofRole('own prepacked'), versus: 'prepacked', rivals: ofRole('prepacked') },
  { own: kernelNamed('portable'), versus: 'avx2', rivals: kernelNamed('avx2') },
];

/** What the rounds say of one rival: the interval decides; without one, the ratio. */
function against({ ratio, interval, clean }, target) {
  if (!clean) return 'disturbed';
  const { low, high } = interval ?? { low: ratio, high: ratio };
  return high < target ? 'missed' : low >= target ? 'holds' : 'tie';
}

/**
 * Whether `own` reaches the target against every rival: true or false where the rounds decide it; 'tie' where the interval
 * of a ratio has the target inside, so that they cannot be told apart; null where turns were disturbed. A sure loss to one
 * is a loss; a win over rivals whose turns were disturbed is none.
 * @param {WithTurns} own
 * @param {readonly WithTurns[]} rivals
 * @param {number | null} target
 */
export function judge(own, rivals, target) {
  if (target === null || rivals.length === 0) return null;
  const verdicts = rivals.map((rival) => against(pairedRatio(own, rival), target));
  if (verdicts.includes('missed')) return false;
  if (verdicts.includes('disturbed')) return null;
  return verdicts.includes('tie') ? 'tie' : true;
}

/**
 * @param {Situation} situation
 * @param {Row} own
 * @param {Versus} versus
 * @param {readonly Row[]} rivals
 */
function compare(situation, own, versus, rivals) {
  const target = targetFor(situation, versus, own);
  const comparison = { own: own.name, versus, rival: null, ratio: null, interval: null, target };
  if (own.trouble !== null) return { ...comparison, holds: target === null ? null : false };
  const found = strongest(own, rivals);
  if (found === null) return { ...comparison, holds: null };
  const { rival, ratio, interval } = found;
  const bestRatio = own.best / Math.max(...rivals.map(({ best }) => best));
  return { ...comparison, rival: rival.name, ratio, interval, bestRatio, holds: judge(own, rivals, target) };
}

/**
 * The figures of one case: { situation, peak, rows, comparisons }. A comparison is { own, versus, rival, ratio, interval,
 * bestRatio, target, holds }: `ratio` with its interval is what to judge by, `bestRatio` that of the best samples, `rival` is
 * null where nothing is there to compare with, `holds` where there is no target or no clean answer.
 * @param {Situation} situation
 * @param {readonly Run[]} runs
 */
export function figures(situation, runs) {
  const peakRun = runs.find(({ candidate, trouble }) => candidate.role === 'peak' && trouble === null);
  const peak =
    peakRun === undefined
      ? null
      : peakRun.hello.operations / Math.min(...peakRun.turns.map(({ min }) => min));
  const rows = runs.filter(({ candidate }) => candidate.role !== 'peak').map((run) => row(run, peak));
  const sound = rows.filter(({ trouble }) => trouble === null);
  const comparisons = COMPARISONS.flatMap(({ own, versus, rivals }) =>
    rows
      .filter((entry) => own(entry) && !entry.trouble?.startsWith('unsupported'))
      .map((entry) => compare(situation, entry, versus, sound.filter(rivals)))
      // That there is no library is worth a word where one was to be reached.
      .filter(({ rival, own: name }) => rival !== null || (versus === 'library' && name === 'embedded')),
  );
  return { situation, peak, rows, comparisons };
}

/**
 * Whether more rounds could decide what these have not.
 * @param {Figures} figures
 */
export const isOpen = ({ comparisons }) =>
  comparisons.some(
    ({ target, rival, holds }) => target !== null && rival !== null && typeof holds !== 'boolean',
  );

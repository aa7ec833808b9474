// From the turns of a case to its figures. Pure.
import { median } from '../lib/measure.mjs';
import { isClean, isUndecided, judge, pairedRatio } from '../lib/paired.mjs';

/** @typedef {import('../lib/paired.mjs').Turn} Turn */
/** @typedef {import('../lib/paired.mjs').WithTurns} WithTurns */
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
 * @property {readonly (readonly Turn[])[]} launches
 * @property {string | null} trouble what kept it from having them
 */
/** @typedef {{ situation: Situation, runs: readonly Run[] }} Measured */
/** @typedef {ReturnType<typeof row>} Row */
/** @typedef {ReturnType<typeof compare>} Comparison */
/** @typedef {ReturnType<typeof figures>} Figures */
/** @typedef {'library' | 'jit' | 'prepacked' | 'avx2' | 'before'} Versus */

/** A rate above the register-only peak by more than this has used more threads than it was given. */
const ABOVE_PEAK = 1.05;

/**
 * One candidate's figures: rates per second, of the median round and of its best sample.
 * @param {Run} run
 * @param {number | null} ceiling
 */
function row({ candidate, hello, launches, trouble }, ceiling) {
  const { name, role } = candidate;
  if (trouble !== null) return { name, role, trouble, launches: [] };
  const { operations } = hello;
  const turns = launches.flat();
  const rate = operations / median(turns.map((turn) => turn.median));
  const best = operations / Math.min(...turns.map((turn) => turn.min));
  const samples = turns.reduce((sum, { count }) => sum + count, 0);
  const disturbed = turns.reduce((sum, turn) => sum + turn.disturbed, 0);
  const contended = turns.filter(isClean).length * 2 < turns.length;
  const impossible = ceiling !== null && rate > ABOVE_PEAK * ceiling;
  return {
    name,
    role,
    trouble: impossible ? `${(rate / ceiling).toFixed(2)} of the peak of the threads asked for` : null,
    launches,
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
  if (versus === 'before') return null;
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
  { own: ofRole('own'), versus: 'before', rivals: ofRole('before') },
  { own: ofRole('own prepacked'), versus: 'prepacked', rivals: ofRole('prepacked') },
  { own: kernelNamed('portable'), versus: 'avx2', rivals: kernelNamed('avx2') },
];

const isUnsupported = ({ trouble }) => trouble?.startsWith('unsupported') ?? false;

/**
 * `own` against its rivals, those that failed among them: without them it is not known whether a target holds. Where there is
 * no target it is judged whether `own` is at least as fast.
 * @param {Situation} situation
 * @param {Row} own
 * @param {Versus} versus
 * @param {readonly Row[]} rivals
 */
function compare(situation, own, versus, rivals) {
  const target = targetFor(situation, versus, own);
  const failed = rivals.filter(({ trouble }) => trouble !== null).map(({ name }) => name);
  const sound = rivals.filter(({ trouble }) => trouble === null);
  const nothing = { rival: null, ratio: null, interval: null, bestRatio: null };
  const comparison = { own: own.name, versus, target, failed };
  if (own.trouble !== null) return { ...comparison, ...nothing, verdict: 'missed' };
  const found = strongest(own, sound);
  if (found === null)
    return { ...comparison, ...nothing, verdict: failed.length > 0 ? 'rival failed' : null };
  const { rival, ratio, interval } = found;
  const bestRatio = own.best / Math.max(...sound.map(({ best }) => best));
  const known = judge(own, sound, target ?? 1);
  const verdict = failed.length > 0 && known !== 'missed' ? 'rival failed' : known;
  return { ...comparison, rival: rival.name, ratio, interval, bestRatio, verdict };
}

/** Of the registers: the best sample of a case. */
function peakOf(runs) {
  const found = runs.find(({ candidate, trouble }) => candidate.role === 'peak' && trouble === null);
  if (found === undefined) return null;
  return found.hello.operations / Math.min(...found.launches.flat().map(({ min }) => min));
}

/**
 * The figures of one case: { situation, peak, rows, comparisons }. A comparison is { own, versus, rival, ratio, interval,
 * bestRatio, target, failed, verdict }: `ratio` with its interval is what to judge by, `bestRatio` that of the best samples,
 * `rival` is null where nothing is there to compare with.
 * @param {Situation} situation
 * @param {readonly Run[]} runs
 * @param {number | null} [ceiling] the rate that nothing exceeds
 */
export function figures(situation, runs, ceiling = null) {
  const rows = runs.filter(({ candidate }) => candidate.role !== 'peak').map((run) => row(run, ceiling));
  const able = rows.filter((one) => !isUnsupported(one));
  const comparisons = COMPARISONS.flatMap(({ own, versus, rivals }) =>
    able
      .filter(own)
      .map((entry) => compare(situation, entry, versus, able.filter(rivals)))
      // That there is no library is worth a word where one was to be reached.
      .filter(
        ({ rival, failed, own: name }) =>
          rival !== null || failed.length > 0 || (versus === 'library' && name === 'embedded'),
      ),
  );
  return { situation, peak: peakOf(runs), rows, comparisons };
}

/**
 * The figures of all cases of one type and number of threads. Nothing exceeds the best peak of them all: that of one case
 * may have been measured while the host gave the CPUs to others.
 * @param {readonly Measured[]} cases
 */
export function tableFigures(cases) {
  const peaks = cases.map(({ runs }) => peakOf(runs)).filter((peak) => peak !== null);
  const ceiling = peaks.length === 0 ? null : Math.max(...peaks);
  return cases.map(({ situation, runs }) => figures(situation, runs, ceiling));
}

/**
 * Whether more rounds could decide what these have not.
 * @param {Pick<Figures, 'comparisons'>} figures
 */
export const isOpen = ({ comparisons }) =>
  comparisons.some(
    ({ target, versus, verdict }) => (target !== null || versus === 'before') && isUndecided(verdict),
  );

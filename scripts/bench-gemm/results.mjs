// From the turns of a case to its figures. Pure.
import { median } from '../lib/measure.mjs';
import { isClean, judge, pairedRatio } from '../lib/paired.mjs';

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
 * @property {readonly Turn[]} turns
 * @property {string | null} trouble what kept it from having them
 */
/** @typedef {ReturnType<typeof row>} Row */
/** @typedef {ReturnType<typeof compare>} Comparison */
/** @typedef {ReturnType<typeof figures>} Figures */
/** @typedef {'library' | 'jit' | 'prepacked' | 'avx2'} Versus */

/** A rate above the register-only peak by more than this has used more threads than it was given. */
const ABOVE_PEAK = 1.05;

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

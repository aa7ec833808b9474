// How much of the addon a command line needs, so that the first one does not wait for what it does not use. In doubt: all.
import { existsSync, readFileSync } from 'node:fs';
import { gpuHere } from './gpu-here.mjs';
import { ADDONS } from './tree.mjs';

/** Commands that measure nothing here: they read what was measured, or have others measure (on-node, a process of its own). */
const MEASURE_NOTHING = [
  'show',
  'report',
  'compare',
  'score',
  'import',
  'fleet',
  'verdict',
  'submit',
  'on-node',
  'completion',
  'help',
  'version',
  '-v',
  '-V',
  '--version',
  '--get-yargs-completions',
];

/** Commands that say what is here: without the addon, that it is not. */
const SAY_WHAT_IS_HERE = ['doctor', 'machine'];

/**
 * Flags with which matmul is a float32 product by our own kernels on the CPU, whatever their values: neither another data
 * type nor another stack or device. What a new flag means nobody knows here, so it needs the whole addon.
 */
const OF_A_FIRST_PRODUCT = [
  'size',
  'm',
  'n',
  'k',
  'transpose',
  'batch',
  'prepack',
  'threads',
  'pin',
  'cache',
  'reps',
  'duration',
  'inspections',
  'precision',
  'budget',
  'warmup',
  'seed',
  'timeout',
  'labels',
  'wait',
  'strict',
  'out',
  'json',
  'quiet',
  'debug',
];

/**
 * Of the instruction set that a first part has, in Linux's words (kernels/cpu/gemm/avx512.cc, avx2.cc), and what the CPU
 * must not have, because all of the addon would then have better kernels.
 * @type {readonly { part: import('./tree.mjs').Part, needs: readonly string[], lacks: readonly string[] }[]}
 */
const FIRST_PARTS = [
  { part: 'firstAvx512', needs: ['avx512f', 'avx512bw', 'avx512vl', 'avx512dq', 'fma'], lacks: [] },
  { part: 'firstAvx2', needs: ['avx2', 'fma'], lacks: ['avx512f'] },
];

/** What of this machine decides. */
export const HERE = {
  arch: process.arch,
  cpuinfo: () => {
    try {
      return readFileSync('/proc/cpuinfo', 'utf8');
    } catch {
      return '';
    }
  },
  /** Of which the whole addon tells what it is. */
  gpu: gpuHere,
};

/** @param {readonly string[]} args */
function isFirstProduct([command, ...rest]) {
  if (command !== 'matmul') return false;
  const flags = rest.filter((word) => word.startsWith('-')).map((word) => word.replace(/=.*$/s, ''));
  return flags.every((flag) => OF_A_FIRST_PRODUCT.includes(flag.replace(/^--(?:no-)?/, '')));
}

/** What is enough for a first product here; undefined: nothing less than all. */
function firstPart({ arch, cpuinfo, gpu }) {
  if (arch !== 'x64' || gpu()) return undefined;
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo())?.[1]?.trim().split(/\s+/));
  const suits = ({ needs, lacks }) =>
    needs.every((feature) => flags.has(feature)) && !lacks.some((feature) => flags.has(feature));
  return FIRST_PARTS.find(suits)?.part;
}

/** @param {readonly string[]} args */
function measuresNothing(args) {
  // Behind -- stand operands.
  const words = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return (
    args.length === 0 || MEASURE_NOTHING.includes(args[0]) || words.includes('--help') || words.includes('-h')
  );
}

/**
 * Whether a command goes on, with less to say, where what it needs of the addon cannot be built.
 * @param {readonly string[]} args
 */
export const goesOnWithout = ([command]) => SAY_WHAT_IS_HERE.includes(command);

/**
 * What a command line needs where the whole addon is not there yet; where it is, that is what is used and kept up to date.
 * @param {readonly string[]} args
 * @param {boolean} [wholeThere]
 * @param {typeof HERE} [here]
 * @returns {import('./tree.mjs').Part}
 */
export function neededPart(args, wholeThere = existsSync(ADDONS.whole), here = HERE) {
  if (measuresNothing(args)) return 'none';
  return (!wholeThere && isFirstProduct(args) && firstPart(here)) || 'whole';
}

// The flags of bench:gemm.
import { parseArgs } from 'node:util';
import { positiveNumber, wholeNumber } from '../lib/flags.mjs';
import { QUICK_SIZES, SIZES, shapeNamed, skinnyShapes, square, TRANSPOSES, variantOf } from './shapes.mjs';

const TYPES = ['float32', 'float64', 'bfloat16', 'int8'];

export const USAGE = `npm run bench:gemm -- [flags]: pi-bench's own GEMM beside the libraries of this machine
  --dtype LIST     of ${TYPES.join(', ')}; all
  --threads LIST   1,2
  --size LIST      edges of square products: ${SIZES.join(',')}; "none" leaves them out
  --skinny         the skinny shapes only
  --no-skinny      without them
  --shape LIST     these shapes only, as 8x4096x1024
  --transpose LIST of A and B, of ${TRANSPOSES.join(', ')}: NN
  --batch LIST     so many products in a call: 1
  --stack LIST     our kernels: embedded (the best that runs here), or as embedded:avx2; several are compared
  --prepack        also with the right operand packed before the timed region, on both sides
  --library LIST   more libraries: cblas:FILE, mkl:FILE, onednn:FILE, libxsmm:FILE
  --only LIST      only the libraries whose names contain one of these words
  --before FILE    also beside the kernels of another checkout: what bench:gemm built there,
                   node_modules/.cache/native-checks/plain/bench-gemm
  --portable       also our portable kernel beside AVX2's, one thread, of the same types and shapes; part of a
                   run without flags
  --rounds N       turns of each candidate in each case: 8; up to four times as many where they do not decide
  --launches N     over so many processes of each: 2
  --seconds S      of a turn: 0.15
  --seed N         of the order of the turns
  --quick          sizes ${QUICK_SIZES.join(',')}, 2 rounds, 1 launch, no skinny shapes
  --markdown FILE  also writes the tables there, with the machine's description
`;

/** @satisfies {import('node:util').ParseArgsConfig['options']} */
const FLAGS = {
  dtype: { type: 'string', default: TYPES.join(',') },
  threads: { type: 'string', default: '1,2' },
  size: { type: 'string' },
  skinny: { type: 'boolean' },
  shape: { type: 'string' },
  transpose: { type: 'string', default: 'NN' },
  batch: { type: 'string', default: '1' },
  stack: { type: 'string' },
  prepack: { type: 'boolean', default: false },
  library: { type: 'string', default: '' },
  only: { type: 'string', default: '' },
  before: { type: 'string' },
  portable: { type: 'boolean' },
  rounds: { type: 'string' },
  launches: { type: 'string' },
  seconds: { type: 'string', default: '0.15' },
  seed: { type: 'string', default: '1' },
  quick: { type: 'boolean', default: false },
  markdown: { type: 'string' },
  help: { type: 'boolean', default: false },
};

/** @param {string} text */
const list = (text) => text.split(',').filter(Boolean);

/**
 * @param {{ size?: string, skinny?: boolean, shape?: string, quick: boolean }} flags
 * @returns {import('./shapes.mjs').Shape[]}
 */
function shapesAsked({ size, skinny, shape, quick }) {
  if (shape !== undefined) return list(shape).map(shapeNamed);
  const skinnies = (skinny ?? (size === undefined && !quick)) ? skinnyShapes() : [];
  const sizes = list(size ?? (quick ? QUICK_SIZES : SIZES).join(',')).filter((text) => text !== 'none');
  const squares =
    skinny && size === undefined ? [] : sizes.map((text) => square(wholeNumber('--size', text)));
  return [...squares, ...skinnies];
}

/**
 * Every shape with every transpose and batch.
 * @param {import('./shapes.mjs').Shape[]} shapes
 * @param {{ transpose: string, batch: string }} flags
 */
function variants(shapes, { transpose, batch }) {
  const transposes = list(transpose);
  const unknown = transposes.find((text) => !TRANSPOSES.includes(text));
  if (unknown !== undefined) throw new Error(`--transpose knows ${TRANSPOSES.join(', ')}, not ${unknown}`);
  const batches = list(batch).map((text) => wholeNumber('--batch', text));
  return shapes.flatMap((shape) =>
    transposes.flatMap((letters) =>
      batches.map((items) => variantOf(shape, { transpose: letters, batch: items })),
    ),
  );
}

/**
 * @param {string[]} args
 * @throws Error with what is wrong with the flags
 */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: FLAGS, allowNegative: true });
  const types = list(values.dtype);
  const unknown = types.find((type) => !TYPES.includes(type));
  if (unknown !== undefined) throw new Error(`--dtype knows ${TYPES.join(', ')}, not ${unknown}`);
  const rounds = wholeNumber('--rounds', values.rounds ?? (values.quick ? '2' : '8'));
  const launches = wholeNumber('--launches', values.launches ?? (values.quick ? '1' : '2'));
  return {
    help: values.help,
    types,
    threads: list(values.threads).map((text) => wholeNumber('--threads', text)),
    shapes: variants(shapesAsked(values), values),
    stacks: list(values.stack ?? 'embedded'),
    quick: values.quick,
    prepack: values.prepack,
    portable: values.portable ?? args.length === 0,
    libraries: list(values.library),
    only: list(values.only),
    before: values.before,
    rounds,
    launches: Math.min(rounds, launches),
    seconds: positiveNumber('--seconds', values.seconds),
    seed: wholeNumber('--seed', values.seed),
    markdown: values.markdown,
  };
}

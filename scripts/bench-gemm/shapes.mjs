// The products that are compared: squares, and the skinny shapes that users meet (a vector or a few rows against a
// layer, an update of low rank, the heads of attention, sizes that no tile divides).
export const SIZES = [64, 128, 256, 512, 1024, 2048, 4096];
export const QUICK_SIZES = [64, 512, 1024];

const SKINNY = [
  '1x4096x4096',
  '4096x1x4096',
  '8x4096x4096',
  '4096x8x4096',
  '32x4096x1024',
  '4096x32x1024',
  '16x16x4096',
  '64x64x4096',
  '4096x4096x8',
  '4096x4096x64',
  '1024x64x64',
  '7x1000x333',
];

/** Of A and B: N as it is, T as its transpose would lie. */
export const TRANSPOSES = ['NN', 'NT', 'TN', 'TT'];

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} m
 * @property {number} n
 * @property {number} k
 * @property {string} transpose one of TRANSPOSES
 * @property {number} batch such products, one behind the other
 * @property {boolean} square and plain: what the targets are for
 */

/** @type {Pick<Shape, 'transpose' | 'batch'>} */
const PLAIN = { transpose: 'NN', batch: 1 };

/** @type {(n: number) => Shape} */
export const square = (n) => ({ name: String(n), m: n, n, k: n, ...PLAIN, square: true });

/**
 * @param {string} name
 * @returns {Shape}
 * @throws Error where the text is not m x n x k
 */
export function shapeNamed(name) {
  const [m, n, k, ...more] = name.split('x').map(Number);
  if (more.length > 0 || ![m, n, k].every((side) => Number.isInteger(side) && side > 0)) {
    throw new Error(`a shape is three sides, as 8x4096x1024; not ${name}`);
  }
  return { name, m, n, k, ...PLAIN, square: false };
}

export const skinnyShapes = () => SKINNY.map(shapeNamed);

/**
 * The same sides with other operands.
 * @param {Shape} shape
 * @param {Pick<Shape, 'transpose' | 'batch'>} operands
 * @returns {Shape}
 */
export function variantOf(shape, { transpose, batch }) {
  if (transpose === PLAIN.transpose && batch === PLAIN.batch) return shape;
  const words = [
    shape.name,
    transpose === PLAIN.transpose ? '' : transpose,
    batch === 1 ? '' : `batch ${batch}`,
  ];
  return { ...shape, name: words.filter(Boolean).join(' '), transpose, batch, square: false };
}

/**
 * Of one call.
 * @param {Pick<Shape, 'm' | 'n' | 'k' | 'batch'>} shape
 */
export const operationsOf = ({ m, n, k, batch }) => 2 * m * n * k * batch;

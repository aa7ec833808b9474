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

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} m
 * @property {number} n
 * @property {number} k
 * @property {boolean} skinny
 */

/** @type {(n: number) => Shape} */
export const square = (n) => ({ name: String(n), m: n, n, k: n, skinny: false });

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
  return { name, m, n, k, skinny: true };
}

export const skinnyShapes = () => SKINNY.map(shapeNamed);

/**
 * Of one product.
 * @param {Pick<Shape, 'm' | 'n' | 'k'>} shape
 */
export const operationsOf = ({ m, n, k }) => 2 * m * n * k;

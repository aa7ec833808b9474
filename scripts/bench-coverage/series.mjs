// Launches with a known truth: noise inside a launch, and what one launch differs from the next by. In units of a typical
// repetition: 1 + 0.03 x noise + 0.005 x launch effect, the spreads that a quiet machine was seen to have.
import { errorFunction } from 'simple-statistics';

export const NOISE = 0.03;
export const EFFECT = 0.005;

/** @typedef {{ uniform: () => number, normal: () => number }} Random */
/** @typedef {{ cdf: (x: number) => number, mean: number }} Distribution */
/** @typedef {Distribution & { begin: (random: Random, repetitions: number) => () => number }} Noise of the repetitions of a launch, one after the other */
/** @typedef {Distribution & { draw: (random: Random) => number }} Effect of a launch */

/** @param {number} x */
const below = (x) => (1 + errorFunction(x / Math.SQRT2)) / 2;
/** Student's t with 3 degrees of freedom. */
const belowT3 = (x) => 0.5 + (x / Math.sqrt(3) / (1 + (x * x) / 3) + Math.atan(x / Math.sqrt(3))) / Math.PI;
const drawT3 = (normal) => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);
/** @type {(share: number, distance: number) => Effect} */
const modes = (share, distance) => ({
  cdf: (x) => (1 - share) * below(x) + share * below(x - distance),
  mean: share * distance,
  draw: ({ normal, uniform }) => normal() + (uniform() < share ? distance : 0),
});
/** @type {(sigma: number) => Effect} */
const lognormal = (sigma) => ({
  cdf: (x) => (x > 0 ? below(Math.log(x) / sigma) : 0),
  mean: Math.exp(sigma ** 2 / 2),
  draw: ({ normal }) => Math.exp(sigma * normal()),
});

/**
 * The value below which a distribution has the share p.
 * @param {Pick<Distribution, 'cdf'>} distribution
 * @param {number} p
 */
function quantileOf({ cdf }, p) {
  let [low, high] = [-100, 100];
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * A generator of one launch's noise from independent draws.
 * @param {Effect} kind
 * @returns {Noise}
 */
const independent = (kind) => ({ ...kind, begin: (random) => () => kind.draw(random) });
/** @type {Effect} */
const gaussian = { cdf: below, mean: 0, draw: ({ normal }) => normal() };
/**
 * Normal values of which each depends on the one before.
 * @param {number} rho
 * @returns {Noise['begin']}
 */
const remembering =
  (rho) =>
  ({ normal }) => {
    let x = normal();
    return () => {
      x = rho * x + Math.sqrt(1 - rho * rho) * normal();
      return x;
    };
  };
/** @param {number} rho */
const autoregressive = (rho) => ({ ...gaussian, begin: remembering(rho) });

const DRIFT = 1;
/**
 * Normal noise about a level that rises by its standard deviation over the launch.
 * @type {Noise}
 */
const drifting = {
  cdf: (x) => {
    const steps = 400;
    let sum = 0;
    for (let i = 0; i < steps; i++) sum += below(x - (DRIFT * (i + 0.5)) / steps) / steps;
    return sum;
  },
  mean: DRIFT / 2,
  begin: ({ normal }, repetitions) => {
    let i = 0;
    return () => normal() + (DRIFT * (i++ + 0.5)) / repetitions;
  },
};

/** @satisfies {Readonly<Record<string, Noise>>} */
export const NOISES = {
  independent: independent(gaussian),
  'AR(1) 0.5': autoregressive(0.5),
  'AR(1) 0.9': autoregressive(0.9),
  'AR(1) -0.35': autoregressive(-0.35),
  'two modes 70:30': independent(modes(0.3, 6)),
  't, 3 df': independent({ cdf: belowT3, mean: 0, draw: ({ normal }) => drawT3(normal) }),
  'lognormal 0.8': independent(lognormal(0.8)),
  drifting,
};

/** @satisfies {Readonly<Record<string, Effect>>} */
export const EFFECTS = {
  none: { cdf: (x) => (x >= 0 ? 1 : 0), mean: 0, draw: () => 0 },
  normal: gaussian,
  'lognormal 0.8': lognormal(0.8),
  'two modes 60:40': modes(0.4, 6),
  'contaminated 10 %': modes(0.1, 8),
};

/** Normal effects that neighbouring launches share in part, as a machine's mood: for what looks at launches in their order. */
const alike = (rho) => ({ ...gaussian, inTime: remembering(rho) });

export const MOODS = {
  'normal, neighbours alike (0.3)': alike(0.3),
  'normal, neighbours alike (0.5)': alike(0.5),
};

/**
 * Samples of one launch.
 * @param {Pick<Noise, 'begin'>} noise
 * @param {Pick<Effect, 'draw'>} effect
 * @param {number} repetitions
 * @param {Random} random
 */
export function drawLaunch(noise, effect, repetitions, random) {
  const level = 1 + EFFECT * effect.draw(random);
  const next = noise.begin(random, repetitions);
  return Float64Array.from({ length: repetitions }, () => level + NOISE * next());
}

/**
 * What the intervals are about: the launch whose level is the median over launches, its quantile p; and for methods that
 * estimate a mean the mean over all repetitions of all launches.
 * @param {Distribution} noise
 * @param {Distribution} effect
 */
export function truthOf(noise, effect) {
  const level = 1 + EFFECT * quantileOf(effect, 0.5);
  const at = (/** @type {number} */ p) => level + NOISE * quantileOf(noise, p);
  return {
    p5: at(0.05),
    median: at(0.5),
    p95: at(0.95),
    mean: 1 + EFFECT * effect.mean + NOISE * noise.mean,
  };
}

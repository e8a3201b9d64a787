/**
 * Raising to a power, to the last bit alike on every machine.
 *
 * Engines differ in the last bit of `**` (V8 changed it between Node 22 and 24), and so
 * would give different values for one plan. This is fdlibm's algorithm with the division
 * that V8 11 (Node 20, where the reference runs) has in its place.
 */

import { double, EXACT_LIMIT, type Numeric } from "./doubles.js";

/** `base` to the `exponent`; NaN or infinite where there is no such number. */
export function power(base: Numeric, exponent: Numeric): number {
  const x = double(base);
  const y = double(exponent);
  if (y === 0 || (x === 1 && Number.isFinite(y))) {
    return 1;
  }
  if (y === 1) {
    return x;
  }
  if (y === 2) {
    return x * x;
  }
  if (y === 0.5 && x >= 0) {
    return Math.sqrt(x);
  }
  const odd = Number.isInteger(y) && Math.abs(y % 2) === 1;
  if (x === 0) {
    return y < 0 ? Number.POSITIVE_INFINITY : 0;
  }
  if (x === -1 && Number.isInteger(y)) {
    return odd ? -1 : 1;
  }
  if (x < 0 && !Number.isInteger(y)) {
    return Number.NaN;
  }
  if (y === -1) {
    return 1 / x;
  }
  const magnitude = positivePower(Math.abs(x), y);
  return x < 0 && odd ? -magnitude : magnitude;
}

type Pair = readonly [number, number];

const BASE: Pair = [1.0, 1.5];
const LOG_HIGH: Pair = [0.0, 0.5849624872207642];
const LOG_LOW: Pair = [0.0, 1.350039202129749e-8];
const L = [
  0.5999999999999946, 0.4285714285785502, 0.33333332981837743, 0.272728123808534,
  0.23066074577556175, 0.20697501780033842,
] as const;
const P = [
  0.16666666666666602, -0.0027777777777015593, 6.613756321437934e-5, -1.6533902205465252e-6,
  4.1381367970572385e-8,
] as const;
const LN2 = [Math.LN2, 0.6931471824645996, -1.904654299957768e-9] as const;
const CP = [0.9617966939259756, 0.9617967009544373, -7.028461650952758e-9] as const;
const IVLN2 = [Math.LOG2E, 1.4426950216293335, 1.9259629911266175e-8] as const;
const OVERFLOW_TAIL = 8.008566259537294e-17;

const doubles = new Float64Array(1);
const words = new Int32Array(doubles.buffer);
// Which of the two words of a double is its upper one depends on the machine.
doubles[0] = 1;
const UPPER = words[1] === 0x3ff00000 ? 1 : 0;
const LOWER = 1 - UPPER;

/** The upper 32 bits of a double, signed. */
function high(value: number): number {
  doubles[0] = value;
  return words[UPPER] as number;
}

function withHigh(value: number, bits: number): number {
  doubles[0] = value;
  words[UPPER] = bits;
  return doubles[0];
}

/** A double without its lower 32 bits. */
function cut(value: number): number {
  doubles[0] = value;
  words[LOWER] = 0;
  return doubles[0];
}

/** fdlibm's `pow` for `x` above zero and none of the special exponents. */
function positivePower(x: number, y: number): number {
  const exponentBits = high(y) & 0x7fffffff;
  const baseBits = high(x);
  let logHigh: number;
  let logLow: number;
  if (exponentBits > 0x41e00000) {
    if (exponentBits > 0x43f00000 || baseBits < 0x3fefffff || baseBits > 0x3ff00000) {
      return y > 0 === baseBits >= 0x3ff00000 ? Number.POSITIVE_INFINITY : 0;
    }
    const t = x - 1;
    const w = t * t * (0.5 - t * (0.3333333333333333 - t * 0.25));
    const u = IVLN2[1] * t;
    const v = t * IVLN2[2] - w * IVLN2[0];
    logHigh = cut(u + v);
    logLow = v - (logHigh - u);
  } else {
    [logHigh, logLow] = log2(x, baseBits);
  }
  const yHigh = cut(y);
  const low = (y - yHigh) * logHigh + y * logLow;
  const upper = yHigh * logHigh;
  const sum = upper + low;
  if (sum >= 1024) {
    if (sum > 1024 || low + OVERFLOW_TAIL > sum - upper) {
      return Number.POSITIVE_INFINITY;
    }
  } else if (sum <= -1075 && (sum < -1075 || low <= sum - upper)) {
    return 0;
  }
  return exp2(upper, low);
}

function log2(given: number, givenBits: number): Pair {
  let x = given;
  let bits = givenBits;
  let n = 0;
  if (bits < 0x00100000) {
    x *= EXACT_LIMIT;
    n = -53;
    bits = high(x);
  }
  n += (bits >> 20) - 0x3ff;
  const fraction = bits & 0x000fffff;
  bits = fraction | 0x3ff00000;
  let k: 0 | 1 = fraction <= 0x3988e ? 0 : 1;
  if (fraction >= 0xbb67a) {
    k = 0;
    n += 1;
    bits -= 0x00100000;
  }
  x = withHigh(x, bits);
  let u = x - BASE[k];
  let v = 1 / (x + BASE[k]);
  const s = u * v;
  const sHigh = cut(s);
  let tHigh = withHigh(0, ((bits >> 1) | 0x20000000) + 0x00080000 + (k << 18));
  let tLow = x - (tHigh - BASE[k]);
  const sLow = v * (u - sHigh * tHigh - sHigh * tLow);
  let s2 = s * s;
  const series = L[3] + s2 * (L[4] + s2 * L[5]);
  let r = s2 * s2 * (L[0] + s2 * (L[1] + s2 * (L[2] + s2 * series)));
  r += sLow * (sHigh + s);
  s2 = sHigh * sHigh;
  tHigh = cut(3 + s2 + r);
  tLow = r - (tHigh - 3 - s2);
  u = sHigh * tHigh;
  v = sLow * tHigh + tLow * s;
  const pHigh = cut(u + v);
  const pLow = v - (pHigh - u);
  const zHigh = CP[1] * pHigh;
  const zLow = CP[2] * pHigh + pLow * CP[0] + LOG_LOW[k];
  const logHigh = cut(zHigh + zLow + LOG_HIGH[k] + n);
  return [logHigh, zLow - (logHigh - n - LOG_HIGH[k] - zHigh)];
}

function exp2(given: number, low: number): number {
  let upper = given;
  const bits = high(upper + low);
  let n = 0;
  let k = ((bits & 0x7fffffff) >> 20) - 0x3ff;
  if ((bits & 0x7fffffff) > 0x3fe00000) {
    n = bits + (0x00100000 >> (k + 1));
    k = ((n & 0x7fffffff) >> 20) - 0x3ff;
    upper -= withHigh(0, n & ~(0x000fffff >> k));
    n = ((n & 0x000fffff) | 0x00100000) >> (20 - k);
    n = bits < 0 ? -n : n;
  }
  let t = cut(low + upper);
  const u = t * LN2[1];
  const v = (low - (t - upper)) * LN2[0] + t * LN2[2];
  let z = u + v;
  const w = v - (z - u);
  t = z * z;
  const t1 = z - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
  const r = (z * t1) / (t1 - 2 - (w + z * w));
  z = 1 - (r - z);
  if ((high(z) + (n << 20)) >> 20 <= 0) {
    return scaled(z, n);
  }
  return withHigh(z, high(z) + (n << 20));
}

/** `z` times 2 to the `n`, which is below the normal doubles, rounded once. */
function scaled(z: number, n: number): number {
  // `z` is at least a half, so that the first product is still exact.
  const first = -1021;
  return z * withHigh(0, (first + 0x3ff) << 20) * withHigh(0, (n - first + 0x3ff) << 20);
}

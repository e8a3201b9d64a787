/**
 * Numbers as ECMAScript has them: their text and their rounding.
 *
 * A number is a double in the one form of its value: `-0` is `0`. A whole number beyond
 * ±(2^53−1) that a tool returned stays a `bigint`, where the host wants its digits, until
 * an operation makes a double of it.
 */

/** The largest whole number that a double tells from its neighbours. */
export const SAFE_LIMIT = 2 ** 53 - 1;

/** The largest whole number up to which every one is a double. */
export const EXACT_LIMIT = 2 ** 53;

const DIGITS_OF_A_DOUBLE = 15;

/** A number of the data; one with all the digits that a tool gave it is a `bigint`. */
export type Numeric = number | bigint;

/** Whether a value is a number; a boolean is none. */
export function isNumber(value: unknown): value is Numeric {
  return typeof value === "number" || typeof value === "bigint";
}

/** Whether all values of a list are numbers. */
export function allNumbers(values: readonly unknown[]): values is Numeric[] {
  return values.every(isNumber);
}

/** A double in the one form of its value: `-0` becomes `0`. */
export function tidy(value: number): number {
  return value + 0;
}

/** The double that a number is, in the one form of its value. */
export function double(value: Numeric): number {
  return typeof value === "bigint" ? Number(value) : value + 0;
}

const BITS = new DataView(new ArrayBuffer(8));
const SMALLEST_NORMAL = 2 ** -1022;

/**
 * By how many powers of two a number, whatever its sign, lies over another.
 *
 * @param large - A finite number.
 * @param small - A finite number.
 * @returns The difference of their exponents; 0 if it would be negative or one of them is 0.
 */
export function doublings(large: number, small: number): number {
  if (large === 0 || small === 0) return 0;
  return Math.max(exponent(large) - exponent(small), 0);
}

/** The power of two that a number other than 0 is at least, whatever its sign. */
function exponent(value: number): number {
  if (Math.abs(value) < SMALLEST_NORMAL) return exponent(value * 2 ** 60) - 60;
  BITS.setFloat64(0, value);
  return ((BITS.getUint16(0) >> 4) & 0x7ff) - 1023;
}

/**
 * The text of a number, as ECMAScript's `Number::toString` writes it.
 *
 * @param value - A finite number.
 */
export function numberToText(value: Numeric): string {
  return String(Number(value));
}

/** The double nearest to a double's first 15 digits, as `$string` shows it. */
export function roundedTo15Digits(value: number): number {
  return Number(value.toPrecision(DIGITS_OF_A_DOUBLE));
}

/**
 * `$round`: to so many decimal places, a tie going to the even neighbour.
 *
 * @param value - A finite number.
 * @param places - Whole; negative for tens, hundreds and so on.
 * @returns The rounded number, or NaN where `places` is not whole.
 */
export function halfEven(value: number, places: number): number {
  const moved = places ? shifted(value, places) : value;
  if (!Number.isFinite(moved)) return moved;
  let whole = Math.floor(moved);
  const excess = moved - whole;
  if (excess > 0.5 || (excess === 0.5 && whole % 2 !== 0)) whole += 1;
  whole = tidy(whole);
  return places ? shifted(whole, -places) : whole;
}

/** A number with its decimal point moved in its text, where no digit is lost. */
function shifted(value: number, places: number): number {
  const [mantissa, exponent = "0"] = String(value).split("e");
  return tidy(Number(`${mantissa}e${String(Number(exponent) + places)}`));
}

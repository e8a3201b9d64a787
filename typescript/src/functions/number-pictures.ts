/**
 * `$formatNumber`: a number as its picture shows it.
 *
 * A picture is read once, and refused if the reference would read it as something else than
 * it seems to be. What is done with the digits follows the reference to the letter, such as
 * where it puts commas that stand at irregular places.
 */

import { failed } from "../values/budget.js";
import { double, halfEven, type Numeric, numberToText, tidy } from "../values/doubles.js";
import { codePoints } from "../values/utf8.js";

const PICTURE =
  /^(?<prefix>[^#0-9,.%;e-]*)(?<whole>[#,]*[0,]*)(?<point>\.(?<fraction>0*#*))?(?<percent>%?)(?<suffix>[^#0-9,.%;e-]*)/;
const PER_MILLE = "\u2030";
const MAX_PICTURE = 256;
const MAX_PLACES = 100;
const MAX_KEPT = 64;

const SHAPE =
  "Write # and 0 for digits, with commas, a decimal point and % if wanted, " +
  'as in "#,##0.00" or "$0.00".';

/** A picture of `$formatNumber` is outside the grammar. */
export class PictureError extends Error {
  override readonly name = "PictureError";

  /**
   * @param position - Where, in code points.
   * @param message - What is wrong.
   * @param hint - The edit that mends it.
   */
  constructor(
    readonly position: number,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** Why a picture may not be used; undefined if it may. */
export function pictureProblem(source: string): PictureError | undefined {
  try {
    shapeOf(source);
  } catch (error) {
    if (error instanceof PictureError) return error;
    throw error;
  }
  return undefined;
}

/**
 * A number as a picture shows it.
 *
 * @throws EvaluationError if the picture is outside the grammar, or the number becomes
 *   infinite.
 */
export function formatNumber(value: Numeric, picture: string): string {
  let shape: NumberPicture;
  try {
    shape = shapeOf(picture);
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    throw failed(
      error.message.slice(0, 1).toLowerCase() + error.message.slice(1),
      error.hint.slice(0, 1).toLowerCase() + error.hint.slice(1).replace(/\.$/, ""),
    );
  }
  return shape.text(value);
}

// The same few pictures are used again and again, for each item of a list.
const kept = new Map<string, NumberPicture>();

/** The shape of a picture, of those used last kept ready. */
function shapeOf(source: string): NumberPicture {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const made = new NumberPicture(source);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(source, made);
  return made;
}

/** The parts of a picture, as they stand in it from left to right. */
interface Parts {
  readonly prefix: string;
  readonly whole: string;
  readonly hasPoint: boolean;
  readonly fraction: string;
  readonly percent: string;
  readonly suffix: string;
  /** Up to where it could be read, in UTF-16 units. */
  readonly end: number;
}

/** A picture, taken apart. */
export class NumberPicture {
  private readonly factor: number;
  private readonly prefix: string;
  private readonly suffix: string;
  private readonly hasPoint: boolean;
  private readonly mostPlaces: number;
  private readonly leastPlaces: number;
  private readonly leastDigits: number;
  // For each comma how many digits follow it before the point.
  private readonly commas: readonly number[];
  private readonly every: number;

  /**
   * @param source - As written: `$#,##0.00`.
   * @throws PictureError if it is outside the grammar.
   */
  constructor(source: string) {
    const size = codePoints(source);
    if (size > MAX_PICTURE) {
      throw new PictureError(
        MAX_PICTURE,
        `The picture has ${size} characters; at most ${MAX_PICTURE} are allowed`,
        "Shorten it.",
      );
    }
    const parts = partsOf(source);
    const { whole, fraction } = parts;
    if (parts.end < source.length || !/[#0]/.test(whole + fraction)) {
      throw misshapen(source, parts);
    }
    checkCommas(parts);
    if (fraction.length > MAX_PLACES) {
      throw new PictureError(
        codePoints(parts.prefix) + whole.length + 1,
        `The picture has ${fraction.length} places after the point; ` +
          `at most ${MAX_PLACES} are allowed`,
        "Leave out the last ones.",
      );
    }
    this.factor = factorOf(source, parts);
    this.prefix = parts.prefix;
    this.suffix = parts.percent + parts.suffix;
    this.hasPoint = parts.hasPoint;
    this.mostPlaces = fraction.length;
    const places = zeros(fraction);
    const digits = zeros(whole);
    const isBare = places === 0 && digits === 0;
    this.leastPlaces = isBare && this.mostPlaces > 0 ? 1 : places;
    this.leastDigits = isBare && this.mostPlaces === 0 ? 1 : digits;
    this.commas = commasOf(whole);
    this.every = regular(this.commas);
  }

  /**
   * A number as the picture shows it.
   *
   * @param value - A finite number.
   * @throws EvaluationError if it becomes infinite on the way.
   */
  text(value: Numeric): string {
    const number = double(value);
    const scaled = this.factor === 1 ? number : tidy(number * this.factor);
    const rounded = Number.isFinite(scaled) ? halfEven(scaled, this.mostPlaces) : scaled;
    if (!Number.isFinite(rounded)) {
      throw failed(
        `$formatNumber is given ${numberToText(number)}, which becomes infinite there`,
        "give it a smaller number",
      );
    }
    const sign = number < 0 ? "-" : "";
    return sign + this.prefix + this.digits(Math.abs(rounded)) + this.suffix;
  }

  private digits(value: number): string {
    let digits = value.toFixed(this.mostPlaces);
    if (!digits.includes(".")) digits += ".";
    digits = digits.replace(/^0+/, "").replace(/0+$/, "");
    const point = digits.indexOf(".");
    const places = digits.length - point - 1;
    digits =
      "0".repeat(Math.max(0, this.leastDigits - point)) +
      digits +
      "0".repeat(Math.max(0, this.leastPlaces - places));
    digits = this.grouped(digits, digits.indexOf("."));
    return !this.hasPoint || digits.endsWith(".") ? digits.slice(0, -1) : digits;
  }

  private grouped(digits: string, point: number): string {
    const { every } = this;
    if (every > 0) {
      const first = point > 0 ? ((point - 1) % every) + 1 : 0;
      const groups = [digits.slice(0, first)];
      for (let at = first; at < point; at += every) groups.push(digits.slice(at, at + every));
      return groups.join(",") + digits.slice(point);
    }
    let made = digits;
    for (const [done, place] of this.commas.entries()) {
      // Where there are fewer digits than the comma's place, this counts from the end, as it
      // does in the reference.
      const at = point + done - place;
      made = `${made.slice(0, at)},${made.slice(at)}`;
    }
    return made;
  }
}

function partsOf(source: string): Parts {
  const match = PICTURE.exec(source);
  const {
    prefix = "",
    whole = "",
    point,
    fraction = "",
    percent = "",
    suffix = "",
  } = match?.groups ?? {};
  const end = match?.[0].length ?? 0;
  return { prefix, whole, hasPoint: point !== undefined, fraction, percent, suffix, end };
}

function zeros(digits: string): number {
  return digits.split("0").length - 1;
}

function commasOf(whole: string): readonly number[] {
  const [, ...groups] = whole.split(",");
  let behind = 0;
  return groups
    .toReversed()
    .map((group) => {
      behind += group.length;
      return behind;
    })
    .toReversed();
}

function misshapen(source: string, { end }: Parts): PictureError {
  const mark = source[end];
  if (mark === undefined) {
    return new PictureError(0, "The picture has no # and no 0 for a digit", SHAPE);
  }
  const at = codePoints(source.slice(0, end));
  if (mark >= "1" && mark <= "9") {
    const message = `The picture has the digit ${mark}, which is no sign of a picture`;
    return new PictureError(at, message, SHAPE);
  }
  switch (mark) {
    case ";":
      return new PictureError(
        at,
        "The picture has a second one for negative numbers after ;",
        'Write one, and choose it first: x < 0 ? $formatNumber(-x, "(0)") : ' +
          '$formatNumber(x, "0").',
      );
    case "e":
      return new PictureError(
        at,
        "The picture has an e, which would mean an exponent",
        "Join such text with &.",
      );
    case "-":
      return new PictureError(
        at,
        "The picture has a -",
        "Leave it out: a negative number has its - by itself.",
      );
    default:
      return new PictureError(at, `The picture has a ${mark} where none can stand`, SHAPE);
  }
}

function checkCommas({ prefix, whole }: Parts): void {
  const start = codePoints(prefix);
  const twice = whole.indexOf(",,");
  if (twice >= 0) {
    throw new PictureError(start + twice, "The picture has two commas together", "Write one.");
  }
  if (whole.endsWith(",")) {
    throw new PictureError(
      start + whole.length - 1,
      "The picture has a comma after its last digit",
      "Remove it.",
    );
  }
}

function factorOf(source: string, { percent }: Parts): number {
  const found = source.split(PER_MILLE).length - 1;
  if (found > 1 || (found === 1 && percent)) {
    throw new PictureError(
      codePoints(source.slice(0, source.lastIndexOf(PER_MILLE))),
      "The picture has % or ‰ more than once",
      "Write one.",
    );
  }
  return found === 1 ? 1000 : percent ? 100 : 1;
}

/** How many digits stand between commas; 0 if that differs or there are none. */
function regular(places: readonly number[]): number {
  if (places.length === 0) return 0;
  const step = places.reduce(greatestDivisor);
  return places.every((_, at) => places.includes(step * (at + 1))) ? step : 0;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

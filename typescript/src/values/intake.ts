/**
 * What tools return and hosts pass, taken in as plain JSON.
 *
 * It is copied once, on the way in; from then on no code but the engine's holds it. Numbers
 * stand in the one form of their value (`doubles`), so that nothing later has to look again.
 */

import { pointer, wellFormed } from "../diagnostics.js";
import type { Code } from "../models.js";
import { type Numeric, SAFE_LIMIT, tidy } from "./doubles.js";
import { isWellFormed, jsonSize, MAX_NESTING, type Members } from "./plain.js";

// What a host passes has no limit of its own; far past this a copy would end the process.
const MOST_BYTES = 2 ** 24;
// A number, counted as one byte, takes at most 25, and a UTF-16 unit of a text at most six.
const BYTES_OF_ONE = 25;

/** A value is not JSON that the engine takes in. */
export class ValueFault extends Error {
  override readonly name = "ValueFault";

  /**
   * @param code - `not_json_result`, or `result_too_large` where a limit was asked for.
   * @param message - What is wrong, and where in the value.
   */
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

/** How integers beyond ±(2^53−1) are taken in. */
export type IntegerMode = "portable" | "exact";

/**
 * A deep copy of a value as plain JSON; `-0` becomes `0`.
 *
 * Members that are `undefined` are left out, as `JSON.stringify` leaves them out, and what
 * is `undefined` as a whole or as an item is null.
 *
 * @param value - What a tool returned or a host passed as `input`.
 * @param integers - `exact` keeps every digit of a `bigint` beyond ±(2^53−1); `portable`
 *   makes it the nearest double.
 * @param maxBytes - The bytes of compact JSON that it may have; a copy that would have more
 *   is given up as soon as that shows.
 * @throws ValueFault if it is no JSON, has a `__proto__` key or a lone surrogate, nests over
 *   64 deep, cannot be read, or is too large.
 */
export function ingest(
  value: unknown,
  integers: IntegerMode = "portable",
  maxBytes?: number,
): unknown {
  const most = maxBytes ?? MOST_BYTES;
  const intake = new Intake(integers === "exact", most);
  try {
    const taken = intake.taken(value, 0);
    if (maxBytes !== undefined && intake.counted * BYTES_OF_ONE > maxBytes) {
      intake.check(jsonSize(taken));
    }
    return taken;
  } catch (error) {
    if (error instanceof Excess) {
      const code = maxBytes === undefined ? "not_json_result" : "result_too_large";
      throw new ValueFault(code, `it is more than ${most} bytes of JSON`);
    }
    if (!(error instanceof Unfit)) throw error;
    const place = pointer(error.parts.reverse());
    const where = place ? `at ${place}: ` : "";
    throw new ValueFault("not_json_result", where + error.why);
  }
}

/** A value is not JSON; `parts` says where, from the inside out. */
class Unfit extends Error {
  readonly parts: (string | number)[] = [];

  constructor(readonly why: string) {
    super(why);
  }
}

/** A value has more JSON than may be taken in. */
class Excess extends Error {}

const MAX_DOUBLE = BigInt(Number.MAX_VALUE);

/**
 * One copying in: it remembers the keys that it has found to be ordinary.
 *
 * It counts the bytes of JSON that there are at least, in the same places as any engine: of
 * a list, before it is copied, what its items and marks take, and the texts in it once all
 * else is; of an object all that together, in the end. A scalar that is no text counts as
 * one byte.
 */
class Intake {
  private readonly ordinary = new Set<string>();
  /** The bytes so far. */
  counted = 1;

  constructor(
    private readonly exact: boolean,
    private readonly most: number,
  ) {}

  taken(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        this.count(textBytes(value));
        return value;
      case "number":
        if (!Number.isFinite(value)) throw new Unfit("a number that is not finite");
        return tidy(value);
      case "boolean":
        return value;
      case "undefined":
        return null;
      case "bigint":
        return this.wide(value);
      case "object":
        return value === null ? null : this.container(value, depth);
      default:
        throw new Unfit(`a value of type ${typeof value}`);
    }
  }

  /** Give up what has so many bytes, if these are too many. */
  check(size: number): void {
    if (!(size <= this.most)) throw new Excess();
  }

  private container(value: object, depth: number): unknown {
    try {
      return this.copied(value, depth);
    } catch (error) {
      if (error instanceof Unfit || error instanceof Excess) throw error;
      // A getter or a proxy runs code of its own, which may throw whatever it likes.
      throw unreadable(error);
    }
  }

  private copied(value: object, depth: number): unknown {
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) {
      throw new Unfit(`a value of type ${typeName(value)}`);
    }
    if (depth === MAX_NESTING) throw new Unfit(`it nests over ${MAX_NESTING} levels`);
    return isList ? this.list(value, depth + 1) : this.object(value as Members, depth + 1);
  }

  private object(value: Members, depth: number): Members {
    const keys = Object.keys(value);
    for (const key of keys) if (!this.ordinary.has(key)) this.checkKey(key);
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      if (Object.prototype.propertyIsEnumerable.call(value, symbol)) {
        throw new Unfit("a key is not text");
      }
    }
    const made: Members = {};
    let size = 0;
    for (const key of keys) {
      const member = read(value, key);
      if (member === undefined) continue;
      size += key.length + 5;
      if (typeof member === "string") {
        size += textAt(key, member);
        made[key] = member;
      } else {
        made[key] = this.member(member, key, depth);
      }
    }
    this.count(size || 1);
    return made;
  }

  private list(value: readonly unknown[], depth: number): unknown[] {
    const length = Number(value.length);
    if (!(length >= 0)) throw new Unfit("a list without a length");
    this.count(2 * length || 1);
    const made: unknown[] = [];
    let texts = 0;
    for (let index = 0; index < length; index += 1) {
      const item = read(value, index);
      if (typeof item === "string") {
        texts += textAt(index, item);
        made.push(item);
      } else {
        made.push(this.member(item, index, depth));
      }
    }
    if (texts) this.count(texts);
    return made;
  }

  private member(value: unknown, key: string | number, depth: number): unknown {
    try {
      return this.taken(value, depth);
    } catch (error) {
      if (error instanceof Unfit) error.parts.push(key);
      throw error;
    }
  }

  private count(size: number): void {
    this.counted += size;
    this.check(this.counted);
  }

  private checkKey(key: string): void {
    if (key === "__proto__") throw new Unfit("the key __proto__");
    if (!isWellFormed(key)) throw new Unfit("a key with a lone surrogate");
    this.ordinary.add(key);
  }

  private wide(value: bigint): Numeric {
    if (value > MAX_DOUBLE || value < -MAX_DOUBLE) {
      throw new Unfit("a number larger than a double can be");
    }
    const near = Number(value);
    if (!this.exact || Math.abs(near) <= SAFE_LIMIT) return near;
    this.count(String(value).length - 1);
    return value;
  }
}

function textAt(part: string | number, text: string): number {
  if (isWellFormed(text)) return text.length + 1;
  const unfit = new Unfit("text with a lone surrogate");
  unfit.parts.push(part);
  throw unfit;
}

/** What a text adds to the one byte that it is counted as: its units and its quotes. */
function textBytes(text: string): number {
  if (!isWellFormed(text)) throw new Unfit("text with a lone surrogate");
  return text.length + 1;
}

/** A member or an item. */
function read(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch (error) {
    const unfit = unreadable(error);
    unfit.parts.push(key);
    throw unfit;
  }
}

function unreadable(error: unknown): Unfit {
  let why = "";
  try {
    const said = error instanceof Error ? error.message : String(error);
    why = wellFormed(said);
  } catch {
    // What it threw cannot be read either.
  }
  return new Unfit(`a value that cannot be read${why && ` (${why})`}`);
}

/** Whether an object is one that a literal or `JSON.parse` makes, in whatever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function typeName(value: object): string {
  const made: unknown = (value as { constructor?: unknown }).constructor;
  return typeof made === "function" && made.name ? made.name : "object";
}

/** What an expression gives, as a fresh copy of plain JSON: each part checked. */

import { quoted } from "../diagnostics.js";
import { EvaluationError, failed, listTooLong, MAX_LIST, madeText } from "../values/budget.js";
import { isNumber, type Numeric, SAFE_LIMIT } from "../values/doubles.js";
import { isObject, isWellFormed, type Members } from "../values/index.js";

/** One copying out. */
export class Outgoing {
  readonly #exact: boolean;
  readonly #keys = new Set<string>();

  /** @param exact - Whether integers keep all their digits. */
  constructor(exact: boolean) {
    this.#exact = exact;
  }

  /**
   * A value of any kind, whose depth was found to be within bounds, as plain JSON.
   *
   * @throws EvaluationError: it holds what is no JSON or no safe number, or passes a limit.
   */
  copy(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        return textOf(value);
      case "number":
        return value >= -SAFE_LIMIT && value <= SAFE_LIMIT ? value : this.#number(value);
      case "object":
        if (Array.isArray(value)) {
          return this.#list(value);
        }
        return isObject(value) ? this.#object(value) : null;
      default:
        return isNumber(value) ? this.#number(value) : (value ?? null);
    }
  }

  #object(value: Members): Members {
    const keys = Object.keys(value);
    for (const key of keys) {
      if (!this.#keys.has(key)) {
        this.#checkKey(key);
      }
    }
    const made: Members = {};
    for (const key of keys) {
      made[key] = this.copy(value[key]);
    }
    return made;
  }

  #list(value: readonly unknown[]): unknown[] {
    if (value.length > MAX_LIST) {
      throw listTooLong();
    }
    const made: unknown[] = [];
    for (let at = 0; at < value.length; at += 1) {
      made.push(this.copy(value[at]));
    }
    return made;
  }

  #checkKey(key: string): void {
    if (!isWellFormed(key)) {
      throw failed(`it gives an object with the key ${quoted(key)}`, "give it another name");
    }
    this.#keys.add(key);
  }

  #number(value: Numeric): Numeric {
    if (value >= -SAFE_LIMIT && value <= SAFE_LIMIT) {
      return value;
    }
    if (this.#exact && typeof value === "bigint") {
      return value;
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw failed("it gives a number that is not finite", "test the numbers first");
    }
    throw new EvaluationError(
      "unsafe_number",
      "it gives a whole number beyond 9007199254740991, where integers are not exact",
      "let the tool return ids as text",
    );
  }
}

function textOf(value: string): string {
  if (!isWellFormed(value)) {
    throw failed(
      "it gives a text with half of a character in it",
      "split texts by a separator, not into units",
    );
  }
  return madeText(value);
}

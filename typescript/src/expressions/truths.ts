/**
 * `&&` and `||`: whether they stand for a truth or for a value, and the edit for each.
 *
 * Where they come from, `a || b` is `a` or else `b`, and `a && b` is `b` if there is `a`. Only
 * where a truth is wanted, `or` and `and` are the same; elsewhere they would make `true` of a
 * value without a word.
 */

import { evident, parts, region, type Span, textOfSpan } from "./evident.js";
import { operandEnd } from "./operands.js";
import { Edit, type Scope } from "./problems.js";
import type { Scan } from "./scan.js";

const OUTER: ReadonlySet<string> = new Set([",", ";", ":=", "~>"]);
const TRUTHS: ReadonlySet<unknown> = new Set(["not", "boolean"]);
const SIEVES: ReadonlySet<unknown> = new Set([
  "filter",
  "single",
  "sift",
  "find",
  "findIndex",
  "first",
  "some",
  "every",
  "any",
  "all",
]);

/** What is said of one operator, and the edits if it is certain what it means. */
export interface Mend {
  readonly hint: string;
  readonly edits: readonly Edit[];
}

/** The `&&` and `||` of one text, each chain of them looked at once. */
export class Truths {
  readonly #scan: Scan;
  readonly #asks: boolean;
  readonly #mends = new Map<number, Mend>();
  readonly #wanted = new Map<string, boolean>();

  /**
   * @param scan - The text.
   * @param scope - Where the expression stands; undefined is any root.
   */
  constructor(scan: Scan, scope: Scope | undefined) {
    this.#scan = scan;
    this.#asks = scope?.field === "when";
  }

  /** What the operator whose first token stands at an index is to become. */
  mended(at: number): Mend {
    if (!this.#mends.has(at)) this.#decide(region(this.#scan, at));
    return this.#mends.get(at) ?? { hint: "", edits: [] };
  }

  /** What every operator in a piece, and in no brackets of its own, is to become. */
  #decide(whole: Span): void {
    const scan = this.#scan;
    const truth = this.#wantsTruth(whole);
    const operands = parts(scan, whole, "|");
    const chains = operands.map((operand) => parts(scan, operand, "&"));
    const either = operands.length > 1 ? meantByOr(scan, operands, chains, truth) : undefined;
    for (const [place, operand] of operands.entries()) {
      const chain = chains[place] ?? [];
      if (chain.length > 1) {
        const both = meantByAnd(scan, chain, truth);
        for (const { last } of chain.slice(0, -1)) {
          this.#mends.set(last + 1, this.#made(last + 1, both));
        }
      }
      if (either !== undefined && place < operands.length - 1) {
        this.#mends.set(operand.last + 1, this.#made(operand.last + 1, either));
      }
    }
  }

  #made(at: number, meant: Meant): Mend {
    if (meant.guard !== undefined) return { hint: meant.hint, edits: [meant.guard] };
    if (meant.word === undefined) return { hint: meant.hint, edits: [] };
    return { hint: meant.hint, edits: [operatorEdit(this.#scan, at, meant.word)] };
  }

  /** Whether only the truth of what a piece gives counts. */
  #wantsTruth(span: Span): boolean {
    const key = `${span.first} ${span.last}`;
    const known = this.#wanted.get(key);
    if (known !== undefined) return known;
    const wanted = this.#asksTruth(span);
    this.#wanted.set(key, wanted);
    return wanted;
  }

  #asksTruth(span: Span): boolean {
    const scan = this.#scan;
    const before = scan.sign(span.first - 1);
    const after = scan.sign(span.last + 1);
    const holder = scan.holderOf(span.first);
    const opened = scan.opens.get(holder);
    if (opened === "predicate" || (after === "?" && before !== "?")) return true;
    if (before === ">" && scan.isSign(span.first - 2, "=")) return isInSieve(scan, holder);
    const inObject = opened === "object" || opened === "group";
    if (before === "?" || ((before === ":" || after === ":") && !inObject)) {
      // What a condition gives is what all of it gives.
      const whole = region(scan, span.first, OUTER);
      if (whole.first !== span.first || whole.last !== span.last) {
        return this.#wantsTruth(whole);
      }
    }
    switch (opened) {
      case undefined:
        return this.#asks;
      case "call":
        return TRUTHS.has(scan.token(holder - 1).value);
      case "body":
        return isInSieve(scan, scan.holderOf(scan.other(holder - 1) - 1));
      case "block":
        return span.last + 1 === scan.other(holder) && this.#blockAsks(holder);
      default:
        return false;
    }
  }

  /** Whether only the truth of a block counts, by what stands beside it. */
  #blockAsks(holder: number): boolean {
    const scan = this.#scan;
    if (scan.sign(holder - 1) === "!") return true;
    if (scan.token(holder - 1).value === "not") return true;
    const outer = region(scan, holder);
    for (const place of [holder - 1, scan.other(holder) + 1]) {
      if (place < outer.first || place > outer.last) continue;
      const sign = scan.sign(place);
      const doubled = scan.isSign(place - 1, sign) || scan.isSign(place + 1, sign);
      if (sign === "and" || sign === "or") return true;
      if ((sign !== "&" && sign !== "|") || !doubled) return false;
    }
    return this.#wantsTruth(outer);
  }
}

/** What a chain means: the word for its operators, or the edit that leaves its guard out. */
interface Meant {
  readonly hint: string;
  readonly word?: string;
  readonly guard?: Edit;
}

function meantByOr(
  scan: Scan,
  operands: readonly Span[],
  chains: readonly (readonly Span[])[],
  truth: boolean,
): Meant {
  const kinds = new Set(operands.map((operand) => evident(scan, operand)));
  const others = [...kinds].filter((kind) => kind !== "boolean" && kind !== undefined);
  if (truth || (others.length === 0 && kinds.has("boolean"))) {
    return { hint: "write `or`", word: "or" };
  }
  if (chains.some((chain) => chain.length > 1)) {
    return { hint: "for a truth write `and` and `or`, for a value x ? y : z" };
  }
  const hint = "write `?:` for a default, `or` for a truth";
  if (operands.some(({ first, last }) => first > last)) return { hint };
  const plain = operands.every(({ first, last }) => operandEnd(scan, first) === last);
  if (plain && !kinds.has("boolean")) return { hint, word: "?:" };
  return { hint: `${hint}; put what belongs together in parentheses` };
}

function meantByAnd(scan: Scan, operands: readonly Span[], truth: boolean): Meant {
  const [guard] = operands;
  const value = operands.at(-1);
  if (guard === undefined || value === undefined) return { hint: "" };
  if (truth || evident(scan, value) === "boolean") return { hint: "write `and`", word: "and" };
  const first = textOfSpan(scan, guard);
  const last = textOfSpan(scan, value);
  const isGuard = last.startsWith(`${first}.`) || last.startsWith(`${first}[`);
  if (operands.length === 2 && first !== "" && isGuard) {
    const start = scan.token(guard.first).start;
    const end = scan.token(value.first).start;
    const hint = "leave the guard out: a field of nothing is nothing";
    return { hint, guard: new Edit(start, end, "") };
  }
  return { hint: "for a truth write `and`, for a value x ? y : z" };
}

const ENDS_BLANK = /[ \n\t]$/;
const STARTS_BLANK = /^[ \n\t]/;

function operatorEdit(scan: Scan, at: number, word: string): Edit {
  const { start } = scan.token(at);
  const { end } = scan.token(at + 1);
  const before = ENDS_BLANK.test(scan.text.slice(0, start)) ? "" : " ";
  const after = STARTS_BLANK.test(scan.text.slice(end)) ? "" : " ";
  return new Edit(start, end, before + word + after);
}

/** Whether a function stands in a call that only asks for its truth. */
function isInSieve(scan: Scan, holder: number): boolean {
  return scan.opens.get(holder) === "call" && SIEVES.has(scan.token(holder - 1).value);
}

/**
 * Which arguments a function takes, and how the reference fits those that it is given.
 *
 * A signature is written as the reference writes it: `<s-nn?:s>` takes a text, which is the
 * context if it is left out, a number, and perhaps another. How arguments are fitted depends
 * only on their kinds, so it is worked out once for each combination of these.
 */

import { type EvaluationError, failed } from "../values/budget.js";
import { Opaque } from "../values/index.js";
import { kind } from "../values/sequences.js";

const PARAMETER = /(\([a-z]+\)|[a-z])(<[a-z]>)?([-?+]?)/g;
const PLANS_KEPT = 512;
const LONGEST_KEY = 8;

const KINDS: Readonly<Record<string, string>> = {
  s: "text",
  n: "a number",
  b: "true or false",
  o: "an object",
  a: "a list",
  f: "a function",
};
const SYMBOLS_OF: Readonly<Record<string, string>> = {
  a: "asnblfom",
  x: "asnblfom",
  j: "asnblom",
  f: "f",
};
const ITEM_KINDS: Readonly<Record<string, string>> = {
  n: "numbers",
  s: "texts",
  o: "objects",
};

/** A function as an argument: a lambda, or a listed function's name. */
export class FunctionValue extends Opaque {
  /**
   * @param arity - How many arguments it is made to take.
   * @param each - Calls it for a value, its index or key, and what holds it.
   * @param fold - Calls it for what was kept so far, the next value, its index, and the list.
   * @param compare - Calls it for two items that are to be put in order.
   */
  constructor(
    readonly arity: number,
    readonly each: (value: unknown, key: unknown, whole: unknown) => unknown,
    readonly fold: (kept: unknown, value: unknown, index: unknown, whole: unknown) => unknown,
    readonly compare: (left: unknown, right: unknown) => unknown,
  ) {
    super();
  }
}

// The kinds of values: text, number, boolean, null, list, object, function, and nothing.
const SYMBOLS = "snblaofm";
const OBJECT = SYMBOLS.indexOf("o");
const LIST = SYMBOLS.indexOf("a");
const FUNCTION = SYMBOLS.indexOf("f");

/** The place in `SYMBOLS` of a value's kind. */
function symbolPlace(value: unknown): number {
  switch (typeof value) {
    case "string":
      return 0;
    case "number":
    case "bigint":
      return 1;
    case "boolean":
      return 2;
    case "undefined":
      return 7;
    default:
      break;
  }
  if (value === null) {
    return 3;
  }
  if (Array.isArray(value)) {
    return LIST;
  }
  return value instanceof Opaque ? FUNCTION : OBJECT;
}

function symbolOf(value: unknown): string {
  return SYMBOLS.charAt(symbolPlace(value));
}

class Parameter {
  readonly isList: boolean;
  readonly pattern: string;
  readonly #symbols: string;

  constructor(
    readonly kinds: string,
    readonly items: string,
    readonly mark: string,
  ) {
    this.#symbols = SYMBOLS_OF[kinds] ?? `${kinds}m`;
    this.pattern = `([${this.#symbols}]${mark === "-" ? "?" : mark})`;
    this.isList = kinds === "a";
  }

  takes(symbol: string): boolean {
    return symbol !== "" && this.#symbols.includes(symbol);
  }
}

/** Where a fitted argument comes from: an argument, or with -1 the context. */
interface Slot {
  readonly source: number;
  readonly wrap: boolean;
  readonly items: string;
}

/** How arguments of certain kinds are fitted; an empty plan takes them as they are given. */
type Plan = readonly Slot[];

/** The signature of one function. */
export class Signature {
  /** The fewest arguments that may be written. */
  readonly least: number;
  /** The most; undefined if there is no bound. */
  readonly most: number | undefined;
  /** Whether the first argument may be left out for the context. */
  readonly hasContext: boolean;
  readonly #name: string;
  readonly #parameters: readonly Parameter[];
  readonly #pattern: RegExp;
  readonly #plans = new Map<number, Plan>();
  /** By the kind of an only argument: whether it is taken as it is given. */
  readonly #takenAlone: boolean[] = Array.from(SYMBOLS, () => false);

  /**
   * @param name - The function's name, for messages.
   * @param text - The signature as the reference writes it.
   */
  constructor(name: string, text: string) {
    this.#name = name;
    const inside = text.slice(1, -1).split(":")[0] ?? "";
    this.#parameters = Array.from(
      inside.matchAll(PARAMETER),
      ([, kinds = "", items = "", mark = ""]) =>
        new Parameter(kinds.replace(/[()]/g, ""), items.replace(/[<>]/g, ""), mark),
    );
    this.#pattern = new RegExp(`^${this.#parameters.map((p) => p.pattern).join("")}$`);
    this.hasContext = this.#parameters.some((p) => p.mark === "-");
    this.least = this.#parameters.filter((p) => p.mark === "" || p.mark === "+").length;
    const isOpen = this.#parameters.some((p) => p.mark === "+");
    this.most = isOpen ? undefined : this.#parameters.length;
  }

  /** Whether a call with so many arguments leaves its first to the context. */
  takesContext(count: number): boolean {
    return this.hasContext && count <= this.least;
  }

  /** Whether an only argument is known to be taken as it is given, with no check. */
  takesAsGiven(value: unknown): boolean {
    return this.#takenAlone[symbolPlace(value)] === true;
  }

  /**
   * The arguments as the function wants them, in the places of its parameters.
   *
   * @throws EvaluationError: one is of the wrong kind.
   */
  fit(given: readonly unknown[], context: unknown): readonly unknown[] {
    const plan = this.#planFor(given);
    if (plan.length === 0) {
      return given;
    }
    const fitted: unknown[] = [];
    for (const slot of plan) {
      if (slot.source < 0) {
        this.#checkContext(context);
        fitted.push(context);
        continue;
      }
      const value = given[slot.source];
      if (slot.items !== "") {
        this.#checkItems(value, slot);
      }
      fitted.push(slot.wrap ? [value] : value);
    }
    return fitted;
  }

  #planFor(given: readonly unknown[]): Plan {
    if (given.length > LONGEST_KEY) {
      return this.#planned(given);
    }
    let key = 1;
    for (const value of given) {
      key = key * 8 + symbolPlace(value);
    }
    const known = this.#plans.get(key);
    if (known !== undefined) {
      return known;
    }
    const plan = this.#planned(given);
    if (this.#plans.size < PLANS_KEPT) {
      this.#plans.set(key, plan);
    }
    if (given.length === 1 && plan.length === 0) {
      this.#takenAlone[symbolPlace(given[0])] = true;
    }
    return plan;
  }

  #planned(given: readonly unknown[]): Plan {
    const symbols = given.map(symbolOf).join("");
    const match = this.#pattern.exec(symbols);
    if (match === null) {
      throw this.#mismatch(given, symbols);
    }
    const plan: Slot[] = [];
    let at = 0;
    for (const [place, parameter] of this.#parameters.entries()) {
      const taken = match[place + 1] ?? "";
      if (taken === "") {
        plan.push({ source: parameter.mark === "-" ? -1 : at, wrap: false, items: "" });
      }
      for (const symbol of taken) {
        const isList = parameter.isList && symbol !== "m";
        const wrap = isList && symbol !== "a";
        const items = isList && symbol !== parameter.items ? parameter.items : "";
        plan.push({ source: at, wrap, items });
        at += 1;
      }
    }
    const isAsGiven = plan.every(
      ({ source, wrap, items }, place) =>
        !wrap && items === "" && (source === place || source >= given.length),
    );
    return isAsGiven && plan.length >= given.length ? [] : plan;
  }

  #checkContext(context: unknown): void {
    if (!this.#parameters[0]?.takes(symbolOf(context))) {
      throw failed(
        `$${this.#name} is given no value, and the context, which it then takes, ` +
          `is ${kind(context)}`,
        `write the value that it is to take, as in $${this.#name}($x)`,
      );
    }
  }

  #checkItems(value: unknown, slot: Slot): void {
    let found = kind(value);
    if (Array.isArray(value)) {
      const odd = placeOfOther(value, SYMBOLS.indexOf(slot.items));
      if (odd === undefined) {
        return;
      }
      found = `a list with ${kind(value[odd])} in it`;
    }
    throw failed(
      `argument ${slot.source + 1} of $${this.#name} must be a list of ` +
        `${ITEM_KINDS[slot.items]}, and it is ${found}`,
      itemsHint(slot.items),
    );
  }

  #mismatch(given: readonly unknown[], symbols: string): EvaluationError {
    const taken = this.#parameters.length;
    if (this.most !== undefined && given.length > taken) {
      return failed(
        `$${this.#name} is given ${given.length} arguments and takes ${taken}`,
        "leave out those that it does not take",
      );
    }
    const leftOut = this.takesContext(given.length) ? 1 : 0;
    if (!(leftOut === 1 && this.#parameters[0]?.takes(symbols.charAt(0)))) {
      const expected = this.#parameters.slice(leftOut);
      for (const [place, value] of given.entries()) {
        const parameter = expected[place];
        if (parameter === undefined) {
          break;
        }
        if (!parameter.takes(symbols.charAt(place))) {
          return failed(
            `argument ${place + 1} of $${this.#name} must be ${wanted(parameter)}, ` +
              `and it is ${kind(value)}`,
            kindHint(parameter, value),
          );
        }
      }
    }
    const missing = this.#parameters[given.length];
    return failed(
      `argument ${given.length + 1} of $${this.#name} is missing`,
      `write it: it must be ${missing === undefined ? "a value" : wanted(missing)}`,
    );
  }
}

/** Where in a list the first item stands that is of another kind; undefined without one. */
function placeOfOther(items: readonly unknown[], symbol: number): number | undefined {
  // The methods of a list are slow on what is no plain one.
  for (let at = 0; at < items.length; at += 1) {
    if (symbolPlace(items[at]) !== symbol) {
      return at;
    }
  }
  return undefined;
}

function wanted(parameter: Parameter): string {
  if (parameter.kinds === "x" || parameter.kinds === "j") {
    return "a value";
  }
  return Array.from(parameter.kinds, (symbol) => KINDS[symbol]).join(" or ");
}

function kindHint(parameter: Parameter, value: unknown): string {
  if (value === null) {
    return 'say what null stands for, as in `x = null ? "" : x`';
  }
  if (parameter.kinds === "s") {
    return Array.isArray(value)
      ? "take one item, or use $join(...) or $map(...)"
      : "make a text of it with $string(...)";
  }
  if (parameter.kinds === "n") {
    return Array.isArray(value)
      ? "take one item, or use $map(...)"
      : "make a number of it with $number(...)";
  }
  if (parameter.kinds === "o") {
    return "take an object, or use $map(...) for a list of them";
  }
  return "give it such a value";
}

function itemsHint(items: string): string {
  if (items === "n") {
    return "pick the numbers, as in $sum(rows.amount), or make numbers with $map(x, $number)";
  }
  if (items === "s") {
    return "pick the texts, as in $join(rows.name), or make texts with $map(x, $string)";
  }
  return 'leave out what is no object, as in x[$type($) = "object"]';
}

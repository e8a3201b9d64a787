/**
 * The listed functions: the one table of what may be called, with what, and what it does.
 *
 * The profile accepts a call by this table and the evaluator carries it out by it, so a
 * function is either in the language or out of it.
 */

import { type State, size, sizes, spend } from "../values/budget.js";
import * as codes from "./coding-functions.js";
import * as over from "./higher-order.js";
import * as lists from "./list-functions.js";
import * as numbers from "./number-functions.js";
import * as searches from "./search-functions.js";
import { Signature } from "./signatures.js";
import * as texts from "./text-functions.js";

/** What a function does with a run's state and the fitted arguments, of its own kinds. */
type Carried = (state: State, ...fitted: never[]) => unknown;

type Run = (state: State, ...fitted: unknown[]) => unknown;

/** What the table says of a function beside its name, its signature and what it does. */
interface Traits {
  /** The place of the parameter that takes a function. */
  readonly functionAt?: number;
  /** The place of the parameter that takes a regular expression. */
  readonly patternAt?: number;
  /** Whether it counts the depth of what it is given and gives by itself. */
  readonly deep?: boolean;
  /** Whether its bare name may be the function argument of others. */
  readonly byName?: boolean;
}

// What the least of calls takes, as against adding two numbers.
const CALLING = 32;
const OVER_ITEMS: ReadonlySet<string> = new Set(["map", "filter", "single", "each", "sift"]);
const FOLDED: ReadonlySet<string> = new Set(["reduce"]);
const NONE: ReadonlySet<string> = new Set();

/** A listed function. */
export class ListedFunction {
  /** Its name, without `$`. */
  readonly name: string;
  /** Its parameters. */
  readonly signature: Signature;
  /**
   * How many arguments the reference hands to it where its name stands as the function
   * argument of another.
   */
  readonly arity: number;
  /** The place of the parameter that takes a function; undefined without one. */
  readonly functionAt: number | undefined;
  /** The place of the parameter that takes a regular expression; undefined without. */
  readonly patternAt: number | undefined;
  /**
   * The functions whose function argument its bare name may be: those that hand it no more
   * than it takes.
   */
  readonly byNameIn: ReadonlySet<string>;
  readonly #deep: boolean;
  readonly #run: Run;

  /** A row of the table: see the attributes. */
  constructor(name: string, signature: string, run: Carried, arity: number, traits: Traits) {
    this.name = name;
    this.signature = new Signature(name, signature);
    this.arity = arity;
    this.functionAt = traits.functionAt;
    this.patternAt = traits.patternAt;
    this.#deep = traits.deep ?? false;
    // What is fitted to the signature is of the kinds that the function takes.
    this.#run = run as Run;
    const hosts = arity === 1 ? OVER_ITEMS : arity === 2 ? FOLDED : NONE;
    const isNamed = traits.functionAt === undefined && (traits.byName ?? true);
    this.byNameIn = isNamed ? hosts : NONE;
  }

  /** The fewest arguments that a call may write. */
  get least(): number {
    return this.signature.least;
  }

  /** The most arguments that a call may write; undefined if there is no bound. */
  get most(): number | undefined {
    return this.signature.most;
  }

  /** Whether a call that writes so many arguments takes the context as its first. */
  takesContext(count: number): boolean {
    return this.signature.takesContext(count);
  }

  /** Which of so many written arguments is a function; undefined if none is. */
  functionPlace(count: number): number | undefined {
    if (this.functionAt === undefined) {
      return undefined;
    }
    const place = this.functionAt - (this.takesContext(count) ? 1 : 0);
    return place < count ? place : undefined;
  }

  /**
   * Carry out a call.
   *
   * @param state - The run.
   * @param given - The written arguments' values.
   * @param context - What stands for a first argument that was left out.
   * @throws EvaluationError: an argument is of the wrong kind, a limit is reached, or the
   *   function has no value for what it is given.
   */
  call(state: State, given: readonly unknown[], context: unknown): unknown {
    const fitted = this.signature.fit(given, context);
    if (this.#deep) {
      spend(state, CALLING);
      return this.#run(state, ...fitted);
    }
    spend(state, CALLING + sizes(fitted));
    const result = this.#run(state, ...fitted);
    spend(state, size(result));
    return result;
  }

  /** As `call`, with one argument, which most calls in loops have. */
  callWithOne(state: State, given: unknown, context: unknown): unknown {
    if (!this.signature.takesAsGiven(given)) {
      return this.call(state, [given], context);
    }
    const run = this.#run;
    if (this.#deep) {
      spend(state, CALLING);
      return run(state, given);
    }
    spend(state, CALLING + size(given));
    const result = run(state, given);
    spend(state, size(result));
    return result;
  }
}

function table(): ReadonlyMap<string, ListedFunction> {
  const rows = new Map<string, ListedFunction>();
  const add = (
    name: string,
    signature: string,
    run: Carried,
    arity: number,
    traits: Traits = {},
  ): void => {
    rows.set(name, new ListedFunction(name, signature, run, arity, traits));
  };

  add("string", "<x-b?:s>", texts.string, 1, { deep: true });
  add("length", "<s-:n>", texts.length, 1);
  add("substring", "<s-nn?:s>", texts.substring, 3);
  add("substringBefore", "<s-s:s>", texts.substringBefore, 2);
  add("substringAfter", "<s-s:s>", texts.substringAfter, 2);
  add("lowercase", "<s-:s>", texts.lowercase, 1);
  add("uppercase", "<s-:s>", texts.uppercase, 1);
  add("trim", "<s-:s>", texts.trim, 1);
  add("pad", "<s-ns?:s>", texts.pad, 3);
  add("contains", "<s-(sf):b>", searches.contains, 2, { patternAt: 1 });
  add("split", "<s-(sf)n?:a<s>>", searches.split, 3, { patternAt: 1 });
  add("join", "<a<s>s?:s>", texts.join, 2);
  add("match", "<s-fn?:a<o>>", searches.match, 3, { patternAt: 1 });
  add("replace", "<s-(sf)(sf)n?:s>", searches.replace, 4, { functionAt: 2, patternAt: 1 });
  add("number", "<(nsb)-:n>", numbers.number, 1);
  add("formatNumber", "<n-s:s>", codes.formatNumber, 3);
  add("formatBase", "<n-n?:s>", numbers.formatBase, 2);
  add("floor", "<n-:n>", numbers.floor, 1);
  add("ceil", "<n-:n>", numbers.ceil, 1);
  add("abs", "<n-:n>", numbers.absolute, 1);
  add("round", "<n-n?:n>", numbers.round, 2);
  add("power", "<n-n:n>", numbers.power, 2);
  add("sqrt", "<n-:n>", numbers.sqrt, 1);
  add("sum", "<a<n>:n>", numbers.total, 1);
  add("max", "<a<n>:n>", numbers.largest, 1);
  add("min", "<a<n>:n>", numbers.smallest, 1);
  add("average", "<a<n>:n>", numbers.average, 1);
  add("boolean", "<x-:b>", lists.boolean, 1);
  add("not", "<x-:b>", lists.not, 1);
  add("exists", "<x:b>", lists.exists, 1);
  add("type", "<x:s>", lists.type, 1);
  add("count", "<a:n>", lists.count, 1);
  add("append", "<xx:a>", lists.append, 2);
  add("sort", "<af?:a>", over.sort, 2, { functionAt: 1 });
  add("reverse", "<a:a>", lists.reverse, 1);
  add("distinct", "<x:x>", lists.distinct, 1, { deep: true });
  add("zip", "<a+>", lists.zip, 1);
  add("keys", "<x-:a<s>>", lists.keys, 1);
  add("lookup", "<x-s:x>", lists.lookup, 2);
  add("spread", "<x-:a<o>>", lists.spread, 1);
  add("merge", "<a<o>:o>", lists.merge, 1);
  add("sift", "<o-f?:o>", over.sift, 2, { functionAt: 1 });
  add("each", "<o-f:a>", over.each, 2, { functionAt: 1 });
  add("map", "<af>", over.map, 2, { functionAt: 1 });
  add("filter", "<af>", over.filter, 2, { functionAt: 1 });
  add("single", "<af?>", over.single, 2, { functionAt: 1 });
  add("reduce", "<afj?:j>", over.reduce, 3, { functionAt: 1 });
  add("error", "<s?:x>", over.error, 1);
  add("assert", "<bs?:x>", over.assert, 2);
  add("base64encode", "<s-:s>", codes.base64Encode, 1);
  add("base64decode", "<s-:s>", codes.base64Decode, 1);
  add("encodeUrlComponent", "<s-:s>", codes.encodeUrlComponent, 1);
  add("encodeUrl", "<s-:s>", codes.encodeUrl, 1);
  add("decodeUrlComponent", "<s-:s>", codes.decodeUrlComponent, 1);
  add("decodeUrl", "<s-:s>", codes.decodeUrl, 1);
  // The reference would hand $toMillis a second argument, which would be a picture.
  add("toMillis", "<s-:n>", codes.toMillis, 2, { byName: false });
  add("fromMillis", "<n-:s>", codes.fromMillis, 3);
  return rows;
}

/** Every function of the language, by its name without `$`, in the order of this table. */
export const FUNCTIONS: ReadonlyMap<string, ListedFunction> = table();

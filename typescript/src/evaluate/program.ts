/**
 * Evaluation of one expression: its tree made ready once, then run on contexts.
 *
 * What it gives is its own: a fresh copy of plain JSON, checked to be a value that any JSON
 * reader on either side takes for the same.
 */

import { isPlainPath } from "../expressions/paths.js";
import type { Closure } from "../functions/compiling.js";
import type { Node } from "../tree.js";
import {
  DEFAULT_MAX_STEPS,
  deepSize,
  MAX_RESULT,
  resultTooLarge,
  State,
  spend,
} from "../values/budget.js";
import type { IntegerMode, Members } from "../values/index.js";
import { filled, RootList } from "../values/sequences.js";
import { Compiler } from "./closures.js";
import { Outgoing } from "./outgoing.js";

/** What an expression reads beside the results of steps. */
export interface Given {
  /** The values that the host passed, by name. */
  readonly input?: Readonly<Members> | undefined;
  /** The item of a `for_each`; undefined if there is none. */
  readonly item?: unknown;
  /** Its place in the list, from 0. */
  readonly index?: number | undefined;
}

/** What an expression reads. */
export class Context {
  #root: unknown;
  #given: Readonly<Members>;

  /**
   * @param steps - The results of steps by id; a step that is not there is nothing.
   * @param given - What else is there.
   */
  constructor(steps: Readonly<Members>, { input, item, index }: Given = {}) {
    const given: Members = { steps, input: input ?? {} };
    if (item !== undefined) {
      given.item = item;
    }
    if (index !== undefined) {
      given.index = index;
    }
    this.#root = given;
    this.#given = given;
  }

  /** A context that is any JSON value, with no names of a plan. */
  static ofRoot(value: unknown): Context {
    const context = new Context({});
    context.#root = value;
    context.#given = {};
    return context;
  }

  /** The first context of a run. */
  get first(): unknown {
    return Array.isArray(this.#root) ? filled(new RootList(), [this.#root]) : this.#root;
  }

  /**
   * The state of a run.
   *
   * @param places - How many variables the expression has of its own.
   * @param maxSteps - The budget of steps.
   */
  state(places: number, maxSteps: number): State {
    return new State(maxSteps, this.#root, this.#given, places);
  }
}

/** How an expression is run. */
export interface RunOptions {
  /** The budget of steps. */
  readonly maxSteps?: number | undefined;
  /** `exact` lets a plain path pass integers beyond ±(2^53−1). */
  readonly integers?: IntegerMode | undefined;
}

/** What a run gave, and took. */
export interface Counted {
  /** The value, the caller's own to keep, or undefined for nothing. */
  readonly value: unknown;
  /** The number of steps. */
  readonly steps: number;
}

/** An expression that is ready to run; one may run many times. */
export class Program {
  readonly #run: Closure;
  readonly #places: number;
  readonly #isPlainPath: boolean;

  /**
   * @param run - Its closure.
   * @param places - How many variables it has of its own.
   * @param isPlainPath - Whether it is wholly a plain path.
   */
  constructor(run: Closure, places: number, isPlainPath: boolean) {
    this.#run = run;
    this.#places = places;
    this.#isPlainPath = isPlainPath;
  }

  /**
   * The value of the expression, the caller's own to keep, or undefined for nothing.
   *
   * @param context - What it reads; never changed.
   * @param options - How it is run.
   * @throws EvaluationError: it failed, or reached a limit.
   */
  run(context: Context, options: RunOptions = {}): unknown {
    return this.runCounted(context, options).value;
  }

  /** As `run`, with the number of steps that it took. */
  runCounted(context: Context, options: RunOptions = {}): Counted {
    const { maxSteps = DEFAULT_MAX_STEPS, integers = "portable" } = options;
    const state = context.state(this.#places, maxSteps);
    const value = this.#run(context.first, state);
    if (value === undefined) {
      return { value, steps: maxSteps - state.left };
    }
    // What does not fit is not copied at all.
    const whole = deepSize(value);
    if (whole > MAX_RESULT) {
      throw resultTooLarge();
    }
    spend(state, whole);
    const copy = new Outgoing(this.#isPlainPath && integers === "exact").copy(value);
    return { value: copy, steps: maxSteps - state.left };
  }
}

/**
 * Make an expression ready to run.
 *
 * @param tree - Its tree, as `expressions` makes it.
 */
export function compileTree(tree: Node): Program {
  const compiler = new Compiler();
  const run = compiler.closure(tree);
  return new Program(run, compiler.places, isPlainPath(tree));
}

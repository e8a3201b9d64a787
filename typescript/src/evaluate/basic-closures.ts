/** Closures of the smallest nodes, and of those that only decide what comes next. */

import type { Closure } from "../functions/compiling.js";
import type { Literal, Name } from "../tree.js";
import { outOfSteps, spend } from "../values/budget.js";
import { double, isNumber } from "../values/doubles.js";
import { collapse, RootList, Sequence, truth } from "../values/sequences.js";
import { field } from "./path-closures.js";

/**
 * A closure whose sequences become their item, or nothing.
 *
 * @param run - The closure.
 * @param keeps - For each node that its value comes through, whether `[]` follows that.
 */
export function collapsing(run: Closure, keeps: readonly boolean[] = [false]): Closure {
  if (keeps.length === 0) {
    return run;
  }
  return (context, state) => {
    let value = run(context, state);
    for (const keep of keeps) {
      value = collapse(value, keep);
    }
    return value;
  };
}

/** A value that is written out. */
export function literalClosure(node: Literal): Closure {
  const value = isNumber(node.value) ? double(node.value) : node.value;
  return (_context, state) => {
    state.left -= 1;
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    return value;
  };
}

/** A field of the context, outside a path. */
export function nameClosure(node: Name): Closure {
  const name = node.value;
  return (context, state) => {
    spend(state, 1);
    return field(context, name, state);
  };
}

/**
 * `$`.
 *
 * @param whole - Whether nothing follows, so that a sequence that is the context is collapsed.
 */
export function contextClosure(whole: boolean): Closure {
  return (context, state) => {
    state.left -= 1;
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    if (!Array.isArray(context)) {
      return context;
    }
    const value: unknown = context instanceof RootList ? context[0] : context;
    return whole ? collapse(value) : value;
  };
}

/** What an empty block or a missing branch gives; it is no node. */
export function nothingClosure(): undefined {
  return undefined;
}

/** A variable that the plan gives, such as `$steps`. */
export function givenClosure(name: string): Closure {
  return (_context, state) => {
    spend(state, 1);
    return Object.hasOwn(state.given, name) ? state.given[name] : undefined;
  };
}

/** `$$`. */
export function rootClosure(whole: boolean): Closure {
  return (_context, state) => {
    spend(state, 1);
    return whole ? collapse(state.root) : state.root;
  };
}

/**
 * A variable of the expression's own.
 *
 * @param place - Where it is.
 * @param whole - Whether nothing follows, so that a sequence in it is collapsed.
 */
export function variableClosure(place: number, whole: boolean): Closure {
  return (_context, state) => {
    state.left -= 1;
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    const value = state.places[place];
    return whole && value instanceof Sequence ? collapse(value) : value;
  };
}

/** `$name := value`. */
export function assignClosure(value: Closure, place: number): Closure {
  return (context, state) => {
    spend(state, 1);
    const result = value(context, state);
    state.places[place] = result;
    return result;
  };
}

/** `(a; b)`. */
export function blockClosure(before: readonly Closure[], last: Closure): Closure {
  return (context, state) => {
    spend(state, 1);
    for (const statement of before) {
      statement(context, state);
    }
    return last(context, state);
  };
}

/** `(a)`, with nothing behind it. */
export function wholeBlockClosure(statement: Closure): Closure {
  return (context, state) => {
    spend(state, 1);
    const value = statement(context, state);
    return value instanceof Sequence ? collapse(value) : value;
  };
}

/** `test ? then : otherwise`. */
export function conditionClosure(test: Closure, then: Closure, otherwise: Closure): Closure {
  return (context, state) => {
    spend(state, 1);
    const known = test(context, state);
    const holds = known === true || (known !== false && truth(state, known));
    return holds ? then(context, state) : otherwise(context, state);
  };
}

/** A left side of `??` or `?:`. */
export interface LeftSide {
  readonly closure: Closure;
  /** Whether it must be true, and not only there. */
  readonly wantsTruth: boolean;
  /** Whether it may end in a call that ends a lambda, whose list stays one. */
  readonly atEnd: boolean;
  /** For each node that its value comes through, whether `[]` follows that. */
  readonly keeps: readonly boolean[];
}

/**
 * A row of `??` and `?:`, each the right side of the last.
 *
 * @param row - Its left sides; undefined for parentheses around the rest.
 * @param end - The last right side.
 */
export function fallbackClosure(row: readonly (LeftSide | undefined)[], end: Closure): Closure {
  return (context, state) => {
    for (const left of row) {
      spend(state, 1);
      if (left === undefined) {
        continue;
      }
      let found = left.closure(context, state);
      const known = left.atEnd ? collapse(found) : found;
      if (known !== undefined && !(left.wantsTruth && !truth(state, known))) {
        for (const keep of left.keeps) {
          found = collapse(found, keep);
        }
        return found;
      }
    }
    return end(context, state);
  };
}

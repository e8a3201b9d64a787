/** Closures of operators: both sides evaluated, from left to right, then put together. */

import type { Closure, Compile, Link } from "../functions/compiling.js";
import {
  DOUBLINGS_OF_A_STEP,
  negated,
  OPERATORS,
  type Operation,
} from "../functions/operators.js";
import type { Binary, Negate } from "../tree.js";
import { outOfSteps, sizes, spend } from "../values/budget.js";
import { EXACT_LIMIT } from "../values/doubles.js";
import { truth } from "../values/sequences.js";

// Texts of fewer units add nothing to the count.
const SHORT = 22;

type Numbers<Result> = (left: number, right: number) => Result;

const ARITHMETIC: ReadonlyMap<string, Numbers<number>> = new Map<string, Numbers<number>>([
  ["+", (left, right) => left + right],
  ["-", (left, right) => left - right],
  ["*", (left, right) => left * right],
  ["/", (left, right) => left / right],
]);
// A number so many times as large as another is not yet far enough over it to take a step.
const NEAR = 2 ** (DOUBLINGS_OF_A_STEP - 1);

/** Prefix `-`. */
export function negateClosure(node: Negate, compiler: Compile): Closure {
  const operand = compiler.closure(node.operand);
  return (context, state) => {
    spend(state, 1);
    return negated(operand(context, state));
  };
}

/** An operator with two sides. */
export function binaryClosure(node: Binary, compiler: Compile): Closure {
  const left = compiler.closure(node.left);
  const link = binaryLink(node, compiler);
  return (context, state) => {
    state.left -= 1;
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    return link(left(context, state), context, state);
  };
}

/** An operator without its left side: what makes a value of that side's. */
export function binaryLink(node: Binary, compiler: Compile): Link {
  const right = compiler.closure(node.right);
  const name = node.operator;
  if (name === "and" || name === "or") {
    return logic(right, name === "or");
  }
  const operation = OPERATORS.get(name);
  if (operation === undefined) {
    throw new Error(`the tree has an unknown operator ${name}`);
  }
  const compute = ARITHMETIC.get(name);
  if (compute !== undefined) {
    return arithmetic(right, operation, compute);
  }
  switch (name) {
    case "%":
      return remainder(right, operation);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(right, operation, name);
    case "=":
    case "!=":
      return equality(right, operation, name === "=");
    case "&":
      return joining(right, operation);
    default:
      return (value, context, state) => operation(state, value, right(context, state));
  }
}

function logic(right: Closure, stop: boolean): Link {
  return (value, context, state) => {
    const known = typeof value === "boolean" ? value : truth(state, value);
    if (known === stop) {
      spend(state, sizes([value]));
      return stop;
    }
    const other = right(context, state);
    const answer = typeof other === "boolean" ? other : truth(state, other);
    if (typeof value !== "boolean" || typeof other !== "boolean") {
      spend(state, sizes([value, other]));
    }
    return answer;
  };
}

function arithmetic(right: Closure, operation: Operation, compute: Numbers<number>): Link {
  return (value, context, state) => {
    const other = right(context, state);
    if (typeof value === "number" && typeof other === "number") {
      const result = compute(value, other);
      // What lies outside may be no number at all, and no other number is -0.
      if (result >= -EXACT_LIMIT && result <= EXACT_LIMIT) {
        return result + 0;
      }
    }
    return operation(state, value, other);
  };
}

function remainder(right: Closure, operation: Operation): Link {
  return (value, context, state) => {
    const other = right(context, state);
    if (typeof value === "number" && typeof other === "number") {
      if (other !== 0 && Math.abs(value) <= Math.abs(other) * NEAR) {
        return (value % other) + 0;
      }
    }
    return operation(state, value, other);
  };
}

function comparison(right: Closure, operation: Operation, name: string): Link {
  const isUpward = name === "<" || name === "<=";
  const isStrict = name === "<" || name === ">";
  return (value, context, state) => {
    const other = right(context, state);
    if (typeof value === "number" && typeof other === "number") {
      if (value === other) {
        return !isStrict;
      }
      return value < other === isUpward;
    }
    return operation(state, value, other);
  };
}

function equality(right: Closure, operation: Operation, wanted: boolean): Link {
  return (value, context, state) => {
    const other = right(context, state);
    if (typeof value === "string" && typeof other === "string") {
      if (value.length < SHORT && other.length < SHORT) {
        return (value === other) === wanted;
      }
    } else if (typeof value === "number" && typeof other === "number") {
      return (value === other) === wanted;
    }
    return operation(state, value, other);
  };
}

function joining(right: Closure, operation: Operation): Link {
  return (value, context, state) => {
    const other = right(context, state);
    if (typeof value === "string" && typeof other === "string") {
      if (value.length + other.length < SHORT) {
        return value + other;
      }
    }
    return operation(state, value, other);
  };
}

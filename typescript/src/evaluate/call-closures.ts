/**
 * Closures of calls, and the functions that are handed to them.
 *
 * The reference runs a call that ends a lambda in a loop of its own, which shows in two ways:
 * what such a call finds is not collapsed, and its context is null. Both are kept here.
 */

import type { Body, Closure, Compile, Link } from "../functions/compiling.js";
import { FUNCTIONS, type ListedFunction } from "../functions/index.js";
import { Pattern } from "../functions/pattern-search.js";
import { FunctionValue } from "../functions/signatures.js";
import type { Apply, Call, FunctionName, Lambda, Regex } from "../tree.js";
import { outOfSteps, type State, spend } from "../values/budget.js";
import { collapse } from "../values/sequences.js";

/**
 * Not a tail call (undefined), or one whose context is null (false) or the lambda's (true).
 *
 * In tail position the context of a call is null; where a call in that position hands its own
 * lambda on, that lambda's tail has the context that the lambda was written in.
 */
export type Tail = boolean | undefined;

/** A listed function by the name that a tree has for it. */
function listed(name: string): ListedFunction {
  const found = FUNCTIONS.get(name);
  if (found === undefined) {
    throw new Error(`the tree has an unknown function ${name}`);
  }
  return found;
}

/**
 * A call.
 *
 * @param node - The call.
 * @param compiler - What makes closures of its arguments.
 * @param tail - Whether it ends a lambda.
 * @param whole - Whether nothing follows, so that a sequence that it gives is collapsed.
 */
export function callClosure(
  node: Call,
  compiler: Compile,
  tail: Tail = undefined,
  whole = false,
): Closure {
  const callee = listed(node.name);
  const given = argumentsOf(node, compiler, tail);
  const [first] = given;
  if (given.length === 1 && first !== undefined && whole) {
    return callOfOne(callee, first);
  }
  const plain = callOf(callee, given, tail === false);
  return whole ? (context, state) => collapse(plain(context, state)) : plain;
}

/** A regular expression, made ready once for all searches of its call. */
export function patternClosure(node: Regex): Closure {
  const pattern = new Pattern(node.pattern, {
    ignoreCase: node.ignoreCase,
    multiline: node.multiline,
  });
  return (_context, state) => {
    spend(state, 1);
    return pattern;
  };
}

function argumentsOf(node: Call, compiler: Compile, tail: Tail): readonly Closure[] {
  // The reference cannot hand these on in tail position at all.
  const handedOn = tail !== undefined && node.name !== "sort";
  return node.arguments.map((argument) =>
    argument.kind === "lambda" || argument.kind === "function"
      ? functionArgument(argument, compiler, handedOn)
      : compiler.closure(argument),
  );
}

function callOfOne(callee: ListedFunction, argument: Closure): Closure {
  return (context, state) => {
    state.left -= 1;
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    return collapse(callee.callWithOne(state, argument(context, state), context));
  };
}

function callOf(
  callee: ListedFunction,
  given: readonly Closure[],
  nullContext: boolean,
): Closure {
  return (context, state) => {
    spend(state, 1);
    const values = valuesOf(given, [], context, state);
    return callee.call(state, values, nullContext ? null : context);
  };
}

/** The values of arguments, behind those that are there. */
function valuesOf(
  given: readonly Closure[],
  values: unknown[],
  context: unknown,
  state: State,
): unknown[] {
  for (let at = 0; at < given.length; at += 1) {
    values.push((given[at] as Closure)(context, state));
  }
  return values;
}

/** `~> $name(...)`: the call with a value before its arguments. */
export function applyLink(node: Apply, compiler: Compile): Link {
  const callee = listed(node.call.name);
  const given = argumentsOf(node.call, compiler, undefined);
  const keep = node.keepArray;
  return (value, context, state) => {
    spend(state, 1);
    const values = valuesOf(given, [value], context, state);
    return collapse(callee.call(state, values, context), keep);
  };
}

function functionArgument(
  node: Lambda | FunctionName,
  compiler: Compile,
  ownContext: boolean,
): Closure {
  if (node.kind === "function") {
    return byName(listed(node.name));
  }
  return written(compiler.body(node, ownContext));
}

/** A lambda: setting its parameters and running its body. */
function written({ places, closure: body }: Body): Closure {
  const arity = places.length;
  return (context, state) => {
    spend(state, 1);
    return arity === 1
      ? ofOneParameter(places[0] as number, body, context, state)
      : ofParameters(places, body, context, state);
  };
}

function ofOneParameter(
  place: number,
  body: Closure,
  context: unknown,
  state: State,
): FunctionValue {
  const variables = state.places;
  const call = (value: unknown): unknown => {
    variables[place] = value;
    return body(context, state);
  };
  return new FunctionValue(1, call, call, call);
}

function ofParameters(
  places: readonly number[],
  body: Closure,
  context: unknown,
  state: State,
): FunctionValue {
  const variables = state.places;
  const [first = -1, second = -1, third = -1, fourth = -1] = places;
  const arity = places.length;
  const call = (one: unknown, two: unknown, three: unknown, four: unknown): unknown => {
    if (arity > 0) {
      variables[first] = one;
      if (arity > 1) {
        variables[second] = two;
      }
      if (arity > 2) {
        variables[third] = three;
      }
      if (arity > 3) {
        variables[fourth] = four;
      }
      // No function is handed more than four arguments.
      for (let at = 4; at < arity; at += 1) {
        variables[places[at] as number] = undefined;
      }
    }
    return body(context, state);
  };
  return new FunctionValue(
    arity,
    (value, key, whole) => call(value, key, whole, undefined),
    call,
    (left, right) => call(left, right, undefined, undefined),
  );
}

/** A listed function as an argument: it is handed as much as the reference hands it. */
function byName(callee: ListedFunction): Closure {
  const most = Math.max(callee.arity, 1);
  return (_context, state) => {
    spend(state, 1);
    const hand = (...given: unknown[]): unknown => {
      spend(state, 1);
      return callee.call(state, given.slice(0, most), null);
    };
    return new FunctionValue(callee.arity, hand, hand, hand);
  };
}

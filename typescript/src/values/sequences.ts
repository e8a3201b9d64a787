/**
 * Lists as JSONata has them, and what it does with a list where one value belongs.
 *
 * What a path finds is a sequence: a list that becomes its item if it has one, and nothing
 * if it has none. Lists of the data and lists that were written stay lists. Which of these a
 * list is lies in its class; no such class ever leaves an evaluation. What an array method
 * makes of one (`map`, `slice`, `filter`) is a plain list.
 */

import {
  listTooLong,
  MAX_LIST,
  MAX_NESTING,
  nestsTooDeep,
  type State,
  spend,
} from "./budget.js";
import { isNumber } from "./doubles.js";
import { isObject, type Members, NOTHING, Opaque } from "./plain.js";
import { Walks } from "./walks.js";

/** What a path, or a function that finds things, has found. */
export class Sequence extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A sequence that `[]` keeps a list, also if it is one of one. */
export class Kept extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A list written as a step of a path, which the path does not flatten. */
export class Cons extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A sequence around a root that is a list, so that the list is one context. */
export class RootList extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/**
 * A list with some items put behind those that it has: `filled(new Sequence(), found)`.
 *
 * Unlike `push(...items)` it takes any number of items, and unlike `new Sequence(...items)`
 * a single number too.
 */
export function filled<T extends unknown[]>(list: T, items: readonly unknown[]): T {
  for (let at = 0; at < items.length; at += 1) list.push(items[at]);
  return list;
}

/** A sequence of one is its item, unless `[]` keeps it; an empty one is nothing. */
export function collapse(value: unknown, keep = false): unknown {
  if (!(value instanceof Sequence)) return value;
  if (value.length === 0) return NOTHING;
  if (keep) return filled(new Kept(), value);
  return value.length === 1 ? value[0] : value;
}

/** A field of every object in a list and in the lists in it. */
export function lookUp(state: State, holder: readonly unknown[], name: string): Sequence {
  return lookUpIn(state, holder, name, 1, new Walks());
}

function lookUpIn(
  state: State,
  holder: readonly unknown[],
  name: string,
  depth: number,
  walks: Walks<Sequence>,
): Sequence {
  if (depth > MAX_NESTING) throw nestsTooDeep();
  const before = state.left;
  spend(state, holder.length);
  const found = new Sequence();
  for (let at = 0; at < holder.length; at += 1) {
    const item = holder[at];
    let value: unknown;
    if (Array.isArray(item)) {
      const known = walks.known(state, item, depth + 1);
      if (known === undefined) {
        value = lookUpIn(state, item, name, depth + 1, walks);
      } else {
        state.left -= known.steps;
        value = known.outcome;
      }
    } else if (isObject(item)) {
      value = Object.hasOwn(item, name) ? item[name] : NOTHING;
    } else {
      continue;
    }
    if (Array.isArray(value)) filled(found, value);
    else if (value !== NOTHING) found.push(value);
    if (found.length > MAX_LIST) throw listTooLong();
  }
  walks.keep(holder, before - state.left, depth, found);
  return found;
}

/** The items of a list, and of all lists in it, behind one another. */
export function spread(state: State, value: readonly unknown[], into: unknown[]): void {
  spreadIn(state, value, into, 1, new Walks());
}

/** From where to where in the list that is made the items of a list stand. */
type Stretch = readonly [start: number, end: number];

function spreadIn(
  state: State,
  value: readonly unknown[],
  into: unknown[],
  depth: number,
  walks: Walks<Stretch>,
): void {
  if (depth > MAX_NESTING) throw nestsTooDeep();
  const before = state.left;
  const start = into.length;
  spend(state, value.length);
  for (let at = 0; at < value.length; at += 1) {
    const item = value[at];
    if (!Array.isArray(item)) {
      into.push(item);
      continue;
    }
    const known = walks.known(state, item, depth + 1);
    if (known === undefined || into.length + span(known.outcome) > MAX_LIST) {
      spreadIn(state, item, into, depth + 1, walks);
    } else {
      state.left -= known.steps;
      for (let place = known.outcome[0]; place < known.outcome[1]; place += 1) {
        into.push(into[place]);
      }
    }
  }
  if (into.length > MAX_LIST) throw listTooLong();
  walks.keep(value, before - state.left, depth, [start, into.length]);
}

function span(stretch: Stretch): number {
  return stretch[1] - stretch[0];
}

/**
 * Whether a value counts as true: an empty text, list or object, 0 and null do not.
 *
 * A list of one is as true as its item, a longer one if any item is.
 */
export function truth(state: State, value: unknown): boolean {
  return Array.isArray(value) ? truthIn(state, value, 1, new Walks()) : isTrue(value);
}

function truthIn(
  state: State,
  value: readonly unknown[],
  depth: number,
  walks: Walks<undefined>,
): boolean {
  if (depth > MAX_NESTING) throw nestsTooDeep();
  const before = state.left;
  spend(state, value.length);
  for (let at = 0; at < value.length; at += 1) {
    const item = value[at];
    if (!Array.isArray(item)) {
      if (isTrue(item)) return true;
      continue;
    }
    const known = walks.known(state, item, depth + 1);
    // Only what is false is gone through to its end, and remembered.
    if (known !== undefined) state.left -= known.steps;
    else if (truthIn(state, item, depth + 1, walks)) return true;
  }
  walks.keep(value, before - state.left, depth, undefined);
  return false;
}

function isTrue(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return value !== 0;
    case "object":
      if (value === null) return false;
      return value instanceof Opaque || hasMembers(value);
    default:
      return value !== undefined;
  }
}

function hasMembers(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/**
 * Deep equality of two values whose depth was found to be within bounds.
 *
 * Numbers are equal as doubles; a boolean is no number; objects have no order.
 */
export function equal(left: unknown, right: unknown): boolean {
  return equalIn(left, right, new Map());
}

/** For each list or object those that it was found to be equal to. */
type Equals = Map<object, Set<object>>;

function equalIn(left: unknown, right: unknown, known: Equals): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
  } else if (isObject(left)) {
    if (!isObject(right)) return false;
  } else {
    return identical(left, right);
  }
  // Two values that share their parts may be endless to walk through.
  if (known.get(left)?.has(right)) return true;
  if (!partsEqual(left, right, known)) return false;
  const others = known.get(left);
  if (others === undefined) known.set(left, new Set([right]));
  else others.add(right);
  return true;
}

function partsEqual(
  left: Members | unknown[],
  right: Members | unknown[],
  known: Equals,
): boolean {
  if (Array.isArray(left)) {
    return left.every((item, at) => equalIn(item, (right as unknown[])[at], known));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && equalIn(left[key], (right as Members)[key], known),
  );
}

/** Whether two values are one: scalars of one kind and value, or the very same list. */
export function identical(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return isNumber(left) && isNumber(right) && Number(left) === Number(right);
}

/** What a value is, for a message. */
export function kind(value: unknown): string {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "a boolean";
  if (isNumber(value)) return "a number";
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return value === NOTHING ? "nothing" : value === null ? "null" : "a function";
}

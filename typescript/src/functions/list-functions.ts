/** The listed functions about lists and objects. */

import {
  deepSize,
  failed,
  listTooLong,
  MAX_LIST,
  MAX_NESTING,
  madeList,
  memberCount,
  nestsTooDeep,
  type State,
  spend,
} from "../values/budget.js";
import { allNumbers, double, type Numeric } from "../values/doubles.js";
import { isContainer, isObject, type Members } from "../values/index.js";
import { filled, kind, lookUp, Sequence, truth } from "../values/sequences.js";
import { Walks } from "../values/walks.js";

/** A list as an argument. */
type Items = readonly unknown[] | undefined;

/** `$boolean`. */
export function boolean(state: State, value: unknown): boolean | undefined {
  return value === undefined ? undefined : truth(state, value);
}

/** `$not`. */
export function not(state: State, value: unknown): boolean | undefined {
  return value === undefined ? undefined : !truth(state, value);
}

/** `$exists`. */
export function exists(_state: State, value: unknown): boolean {
  return value !== undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  "a number": "number",
  "a boolean": "boolean",
  "a list": "array",
  "an object": "object",
  null: "null",
};

/** `$type`. */
export function type(_state: State, value: unknown): string | undefined {
  return value === undefined ? undefined : TYPES[kind(value)];
}

/** `$count`: nothing has none. */
export function count(_state: State, items: Items): number {
  return items === undefined ? 0 : items.length;
}

/** `$append`: two lists as one; a value that is no list is a list of one. */
export function append(_state: State, first: unknown, second: unknown): unknown {
  if (first === undefined) {
    return second;
  }
  if (second === undefined) {
    return first;
  }
  const front = Array.isArray(first) ? first : [first];
  const back = Array.isArray(second) ? second : [second];
  if (front.length + back.length > MAX_LIST) {
    throw listTooLong();
  }
  return filled(filled([], front), back);
}

/** `$reverse`. */
export function reverse(_state: State, items: Items): Items {
  if (items === undefined || items.length <= 1) {
    return items;
  }
  return madeList(filled<unknown[]>([], items).reverse());
}

/** `$zip`: rows as many as the shortest list has items. */
export function zip(state: State, ...lists: unknown[]): unknown[] {
  const every = lists.map((items): unknown[] => (Array.isArray(items) ? items : []));
  const shortest = every.reduce((least, { length }) => Math.min(least, length), Infinity);
  if (shortest > MAX_LIST) {
    throw listTooLong();
  }
  spend(state, shortest * lists.length);
  return Array.from({ length: shortest }, (_, at) => every.map((items) => items[at]));
}

/** `$distinct`: each value once, where it first came. */
export function distinct(state: State, value: unknown): unknown {
  spend(state, deepSize(value));
  if (!Array.isArray(value) || value.length <= 1) {
    spend(state, deepSize(value));
    return value;
  }
  const marks = new Marks();
  const seen = new Set<unknown>();
  const found: unknown[] = value instanceof Sequence ? new Sequence() : [];
  for (let at = 0; at < value.length; at += 1) {
    const mark = marks.of(value[at]);
    if (!seen.has(mark)) {
      seen.add(mark);
      found[found.length] = value[at];
    }
  }
  spend(state, deepSize(found));
  return madeList(found);
}

/**
 * Marks of values, which are one for values that are equal and for no others.
 *
 * A scalar is its own mark. A list or an object has a mark made for it, found again by the
 * marks of its parts; what shares its parts is gone through once.
 */
class Marks {
  readonly #known = new Map<object, object>();
  readonly #lists = new Branch();
  readonly #objects = new Branch();

  of(value: unknown): unknown {
    if (!isContainer(value)) {
      return typeof value === "bigint" ? double(value) : value;
    }
    let mark = this.#known.get(value);
    if (mark === undefined) {
      mark = Array.isArray(value) ? this.#ofList(value) : this.#ofObject(value);
      this.#known.set(value, mark);
    }
    return mark;
  }

  #ofList(value: readonly unknown[]): object {
    let branch = this.#lists;
    for (let at = 0; at < value.length; at += 1) {
      branch = branch.next(this.of(value[at]));
    }
    return branch;
  }

  #ofObject(value: Members): object {
    let branch = this.#objects;
    for (const key of Object.keys(value).sort()) {
      branch = branch.next(key).next(this.of(value[key]));
    }
    return branch;
  }
}

/** A place in a tree of marks: where the marks of parts lead, one after another. */
class Branch {
  #only: unknown;
  #onlyNext: Branch | undefined;
  #others: Map<unknown, Branch> | undefined;

  next(mark: unknown): Branch {
    if (this.#onlyNext === undefined) {
      this.#only = mark;
      this.#onlyNext = new Branch();
      return this.#onlyNext;
    }
    if (this.#only === mark) {
      return this.#onlyNext;
    }
    this.#others ??= new Map();
    let branch = this.#others.get(mark);
    if (branch === undefined) {
      branch = new Branch();
      this.#others.set(mark, branch);
    }
    return branch;
  }
}

/**
 * `$sort` without a comparator; the reference's merge sort is stable, as this is.
 *
 * @throws EvaluationError: the items are neither all numbers nor all texts.
 */
export function sortedByValue(state: State, items: readonly unknown[]): unknown[] {
  if (allNumbers(items)) {
    return madeList(filled<Numeric[]>([], items).sort(byNumber));
  }
  const odd = items.find((item) => typeof item !== "string");
  if (odd !== undefined || items.includes(undefined)) {
    throw failed(
      `$sort orders numbers, or texts, and its list has ${kind(odd)} in it`,
      "say how to compare, as in $sort(x, function($l, $r){$l.size > $r.size})",
    );
  }
  spend(state, deepSize(items));
  return madeList(filled<string[]>([], items as readonly string[]).sort(byUnits));
}

function byNumber(left: Numeric, right: Numeric): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function byUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `$keys`: of an object, or of all objects in a list, each once. */
export function keys(state: State, value: unknown): Sequence {
  // An object's own order is the one that is wanted: integer-like keys first, ascending.
  let names: Members = Object.create(null);
  if (Array.isArray(value)) {
    gatherKeys(state, value, names, 1, new Walks());
  } else if (isObject(value)) {
    names = value;
  }
  return filled(new Sequence(), madeList(Object.keys(names)));
}

function gatherKeys(
  state: State,
  value: readonly unknown[],
  into: Members,
  depth: number,
  walks: Walks<undefined>,
): void {
  if (depth > MAX_NESTING) {
    throw nestsTooDeep();
  }
  const before = state.left;
  for (let at = 0; at < value.length; at += 1) {
    const item = value[at];
    if (Array.isArray(item)) {
      spend(state, item.length);
      const known = walks.known(state, item, depth + 1);
      if (known === undefined) {
        gatherKeys(state, item, into, depth + 1, walks);
      } else {
        // Its keys are all there by now.
        state.left -= known.steps;
      }
    } else if (isObject(item)) {
      spend(state, memberCount(item));
      for (const key of Object.keys(item)) {
        into[key] = true;
      }
    }
  }
  walks.keep(value, before - state.left, depth, undefined);
}

/** `$lookup`: a field of an object, or of the objects in a list. */
export function lookup(state: State, holder: unknown, name = "undefined"): unknown {
  if (Array.isArray(holder)) {
    return lookUp(state, holder, name);
  }
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** `$spread`: objects of one member each. */
export function spread(state: State, value: unknown): unknown {
  if (Array.isArray(value)) {
    return spreadIn(state, value, 1, new Walks());
  }
  return isObject(value) ? madeList(members(value, new Sequence())) : value;
}

/** The members of an object as objects, behind the items of a list. */
function members<T extends unknown[]>(value: Members, into: T): T {
  for (const key of Object.keys(value)) {
    into[into.length] = { [key]: value[key] };
  }
  return into;
}

function spreadIn(
  state: State,
  value: readonly unknown[],
  depth: number,
  walks: Walks<readonly unknown[]>,
): unknown[] {
  if (depth > MAX_NESTING) {
    throw nestsTooDeep();
  }
  const before = state.left;
  const parts: unknown[] = [];
  let appended = false;
  for (let at = 0; at < value.length; at += 1) {
    const item = value[at];
    if (item === undefined) {
      continue;
    }
    appended = true;
    if (Array.isArray(item)) {
      spend(state, item.length);
      const known = walks.known(state, item, depth + 1);
      state.left -= known?.steps ?? 0;
      filled(parts, known?.outcome ?? spreadIn(state, item, depth + 1, walks));
    } else if (isObject(item)) {
      spend(state, memberCount(item));
      members(item, parts);
    } else {
      parts.push(item);
    }
    if (parts.length > MAX_LIST) {
      throw listTooLong();
    }
  }
  walks.keep(value, before - state.left, depth, parts);
  // What the reference appends to is no sequence any more.
  return appended ? parts : new Sequence();
}

/** `$merge`: one object of all members; later ones win. */
export function merge(
  state: State,
  objects: readonly Members[] | undefined,
): Members | undefined {
  if (objects === undefined) {
    return undefined;
  }
  const merged: Members = {};
  for (const item of objects) {
    spend(state, memberCount(item));
    Object.assign(merged, item);
  }
  return merged;
}

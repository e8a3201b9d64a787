/** The listed functions that are given a function, and `$error` and `$assert`. */

import { failed, listTooLong, MAX_LIST, madeList, type State } from "../values/budget.js";
import type { Members } from "../values/index.js";
import { kind, Sequence, truth } from "../values/sequences.js";
import { sortedByValue } from "./list-functions.js";
import type { FunctionValue } from "./signatures.js";
import { mergeSorted } from "./sorting.js";

/** A list as an argument. */
type Items = readonly unknown[] | undefined;

/** `$map`: what a function makes of each item; nothing is left out. */
export function map(_state: State, items: Items, callee: FunctionValue): unknown {
  if (items === undefined) {
    return undefined;
  }
  const { each } = callee;
  const found = new Sequence();
  let size = 0;
  for (let index = 0; index < items.length; index += 1) {
    const value = each(items[index], index, items);
    if (value !== undefined) {
      found[size] = value;
      size += 1;
      if (size > MAX_LIST) {
        throw listTooLong();
      }
    }
  }
  return found;
}

/** `$filter`: the items of which a function says true. */
export function filter(state: State, items: Items, callee: FunctionValue): unknown {
  if (items === undefined) {
    return undefined;
  }
  const { each } = callee;
  const found = new Sequence();
  let size = 0;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const answer = each(item, index, items);
    if (answer === true || (answer !== false && truth(state, answer))) {
      found[size] = item;
      size += 1;
    }
  }
  return madeList(found);
}

/** `$single`: the one item of which a function says true, or the only one. */
export function single(state: State, items: Items, callee: FunctionValue | undefined): unknown {
  if (items === undefined) {
    return undefined;
  }
  const each = callee?.each;
  let found: unknown;
  let matches = 0;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (each === undefined || truth(state, each(item, index, items))) {
      matches += 1;
      if (matches > 1) {
        throw failed(
          "$single expects one match, and more than one item matches",
          "write a narrower condition, or take the first with $filter(...)[0]",
        );
      }
      found = item;
    }
  }
  if (matches === 0) {
    throw failed(
      "$single expects one match, and no item matches",
      "write a wider condition, or take what there is with $filter(...)[0]",
    );
  }
  return found;
}

/** `$reduce`: what a function keeps from item to item. */
export function reduce(
  _state: State,
  items: Items,
  callee: FunctionValue,
  start: unknown,
): unknown {
  if (items === undefined) {
    return undefined;
  }
  const { arity, fold } = callee;
  if (arity < 2) {
    throw failed(
      "the function of $reduce must take two parameters",
      "write function($kept, $value){...}",
    );
  }
  let kept = start;
  let begin = 0;
  if (start === undefined && items.length > 0) {
    kept = items[0];
    begin = 1;
  }
  for (let index = begin; index < items.length; index += 1) {
    kept = fold(kept, items[index], index, items);
  }
  return kept;
}

/** `$each`: what a function makes of each member. */
export function each(
  _state: State,
  members: Members | undefined,
  callee: FunctionValue,
): Sequence {
  const found = new Sequence();
  if (members === undefined) {
    return found;
  }
  const call = callee.each;
  for (const [key, member] of Object.entries(members)) {
    const value = call(member, key, members);
    if (value !== undefined) {
      found[found.length] = value;
      if (found.length > MAX_LIST) {
        throw listTooLong();
      }
    }
  }
  return found;
}

/** `$sift`: the members of which a function says true; nothing if there are none. */
export function sift(
  state: State,
  members: Members | undefined,
  callee: FunctionValue | undefined,
): Members | undefined {
  if (members === undefined) {
    return undefined;
  }
  const every = Object.entries(members);
  if (callee === undefined) {
    if (every.length > 0) {
      throw failed("argument 2 of $sift is missing", "write function($value, $key){...}");
    }
    return undefined;
  }
  const kept: Members = {};
  let isEmpty = true;
  for (const [key, member] of every) {
    if (truth(state, callee.each(member, key, members))) {
      kept[key] = member;
      isEmpty = false;
    }
  }
  return isEmpty ? undefined : kept;
}

/** `$sort`: by value, or by a function that says whether the left one belongs behind. */
export function sort(state: State, items: Items, callee: FunctionValue | undefined): unknown {
  if (items === undefined || items.length <= 1) {
    return items;
  }
  if (callee === undefined) {
    return sortedByValue(state, items);
  }
  const { compare } = callee;
  const follows = (left: unknown, right: unknown): boolean => {
    const answer = compare(left, right);
    if (answer === true || answer === false) {
      return answer;
    }
    throw failed(
      `the comparator of $sort must give true or false, and it gives ${kind(answer)}`,
      "compare with `>`, as in function($l, $r){$l.size > $r.size}",
    );
  };
  return madeList(mergeSorted(items, follows));
}

/** `$error`: fails with these words. */
export function error(_state: State, message: string | undefined): never {
  throw failed(message || "$error was called", "");
}

/** `$assert`: fails with these words unless the condition is true. */
export function assert(
  _state: State,
  condition: boolean | undefined,
  message: string | undefined,
): undefined {
  if (!condition) {
    throw failed(message || "$assert found its condition false", "");
  }
  return undefined;
}

/** Closures of what may follow a value: a predicate `[...]`, and a group `{...}`. */

import { quoted } from "../diagnostics.js";
import type { Closure, Compile } from "../functions/compiling.js";
import type { Node, Pair } from "../tree.js";
import {
  type EvaluationError,
  failed,
  listTooLong,
  MAX_LIST,
  memberCount,
  type State,
  sizes,
  spend,
  textSize,
} from "../values/budget.js";
import { allNumbers, double, isNumber, type Numeric } from "../values/doubles.js";
import type { Members } from "../values/index.js";
import { kind, Sequence, truth } from "../values/sequences.js";
import { FORBIDDEN_KEYS } from "./forbidden.js";

/** What making an object takes, as against adding two numbers. */
export const MAKING = 16;

/** `[...]`: an index, a list of them, or what must be true of an item. */
export function filterClosure(predicate: Node, compiler: Compile): Closure {
  if (predicate.kind === "literal" && isNumber(predicate.value)) {
    return indexClosure(Math.floor(predicate.value));
  }
  const closure = compiler.closure(predicate);
  return (value, state) => asked(Array.isArray(value) ? value : [value], closure, state);
}

function asked(items: readonly unknown[], closure: Closure, state: State): Sequence {
  const kept = new Sequence();
  const length = items.length;
  let size = 0;
  for (let index = 0; index < length; index += 1) {
    const item = items[index];
    const answer = closure(item, state);
    if (answer === false || answer === undefined) {
      continue;
    }
    for (let times = timesKept(answer, index, length, state); times > 0; times -= 1) {
      kept[size] = item;
      size += 1;
    }
    if (size > MAX_LIST) {
      throw listTooLong();
    }
  }
  return kept;
}

/** How often an answer keeps the item with this index. */
function timesKept(answer: unknown, index: number, length: number, state: State): number {
  if (answer === true) {
    return 1;
  }
  if (isNumber(answer)) {
    return placeOf(answer, length) === index ? 1 : 0;
  }
  if (Array.isArray(answer)) {
    spend(state, answer.length);
    if (allNumbers(answer)) {
      let times = 0;
      for (const number of answer) {
        if (placeOf(number, length) === index) {
          times += 1;
        }
      }
      return times;
    }
  }
  return truth(state, answer) ? 1 : 0;
}

function placeOf(number: Numeric, length: number): number {
  const place = Math.floor(double(number));
  return place < 0 ? place + length : place;
}

function indexClosure(index: number): Closure {
  return (value) => {
    const items = Array.isArray(value) ? value : undefined;
    const length = items === undefined ? 1 : items.length;
    const place = index < 0 ? index + length : index;
    if (!(place >= 0 && place < length)) {
      return new Sequence();
    }
    const item: unknown = items === undefined ? value : items[place];
    if (Array.isArray(item)) {
      return item;
    }
    const found = new Sequence();
    if (item !== undefined) {
      found[0] = item;
    }
    return found;
  };
}

/** A member of an object, or of a group: its key and its value. */
export interface Member {
  readonly keyOf: Closure;
  readonly valueOf: Closure;
}

/** `{key: value}` over the items of a list, or over one value. */
export function groupClosure(pairs: readonly Pair[], compiler: Compile): Closure {
  return groupOf(membersOf(pairs, compiler));
}

/** The closures of keys and values. */
export function membersOf(pairs: readonly Pair[], compiler: Compile): readonly Member[] {
  return pairs.map(([key, value]) => ({
    keyOf: compiler.closure(key),
    valueOf: compiler.closure(value),
  }));
}

/** As `groupClosure`, of members that are compiled. */
export function groupOf(members: readonly Member[]): Closure {
  return (value, state) =>
    Array.isArray(value) ? grouped(members, value, state) : madeOfOne(members, value, state);
}

function grouped(members: readonly Member[], items: readonly unknown[], state: State): Members {
  spend(state, MAKING + items.length);
  const groups = new Map<string, Group>();
  for (const item of items.length === 0 ? [undefined] : items) {
    for (const member of members) {
      const key = checkedKey(member.keyOf(item, state), state);
      if (key === undefined) {
        continue;
      }
      const group = groups.get(key);
      if (group === undefined) {
        groups.set(key, new Group(member, item));
      } else if (group.member === member) {
        group.add(item, state);
      } else {
        throw keyOfTwo(key);
      }
    }
  }
  const made: Members = {};
  for (const [key, { member, data }] of groups) {
    const value = member.valueOf(data, state);
    if (value !== undefined) {
      made[key] = value;
    }
  }
  return counted(made, state);
}

/** An object of one value: its keys come first, then its members. */
function madeOfOne(members: readonly Member[], context: unknown, state: State): Members {
  spend(state, MAKING);
  const keys: (string | undefined)[] = [];
  for (const member of members) {
    const key = checkedKey(member.keyOf(context, state), state);
    if (key !== undefined && keys.includes(key)) {
      throw keyOfTwo(key);
    }
    keys.push(key);
  }
  const made: Members = {};
  for (let at = 0; at < members.length; at += 1) {
    const key = keys[at];
    const value = key === undefined ? undefined : members[at]?.valueOf(context, state);
    if (key !== undefined && value !== undefined) {
      made[key] = value;
    }
  }
  return counted(made, state);
}

function counted(made: Members, state: State): Members {
  spend(state, sizes(Object.values(made)) + memberCount(made));
  return made;
}

function keyOfTwo(key: string): EvaluationError {
  return failed(
    `two members of an object have the key ${quoted(key)}`,
    "give each its own key",
  );
}

/**
 * A key of an object, which its size is taken for; undefined for a member left out.
 *
 * @throws EvaluationError: it is no text, or a name that JSON values may not have.
 */
function checkedKey(key: unknown, state: State): string | undefined {
  if (key === undefined) {
    return undefined;
  }
  if (typeof key !== "string") {
    throw failed(
      `a key of an object must be a text, and it is ${kind(key)}`,
      "make a text of it with $string(...)",
    );
  }
  if (FORBIDDEN_KEYS.has(key)) {
    throw failed(`an object may not have the key ${quoted(key)}`, "give it another name");
  }
  spend(state, textSize(key));
  return key;
}

/** The items that share a key: one as it is, several as a list of their own. */
class Group {
  readonly member: Member;
  data: unknown;
  #own: unknown[] | undefined;

  constructor(member: Member, item: unknown) {
    this.member = member;
    this.data = item;
  }

  add(item: unknown, state: State): void {
    if (this.#own === undefined) {
      if (item === undefined || this.data === undefined) {
        this.data = this.data === undefined ? item : this.data;
        return;
      }
      this.#own = Array.isArray(this.data) ? [...this.data] : [this.data];
      this.data = this.#own;
    }
    const own = this.#own;
    if (Array.isArray(item)) {
      spend(state, item.length);
      for (let at = 0; at < item.length; at += 1) {
        own.push(item[at]);
      }
    } else if (item !== undefined) {
      own.push(item);
    }
    if (own.length > MAX_LIST) {
      throw listTooLong();
    }
  }
}

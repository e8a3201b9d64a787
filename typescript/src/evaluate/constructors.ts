/** Closures of what is written out, `[...]`, `{...}`, `a..b`, and of `*` and `**`. */

import type { Closure, Compile } from "../functions/compiling.js";
import { numbersFrom } from "../functions/operators.js";
import type { ArrayNode, Node, ObjectNode, Range } from "../tree.js";
import {
  listTooLong,
  MAX_LIST,
  MAX_NESTING,
  nestsTooDeep,
  type State,
  size,
  spend,
  textSize,
} from "../values/budget.js";
import { isContainer, isObject, type Members } from "../values/index.js";
import { Cons, filled, Kept, RootList, Sequence, spread } from "../values/sequences.js";
import { Walks } from "../values/walks.js";
import { groupOf, MAKING, membersOf } from "./filter-closures.js";
import { FORBIDDEN_KEYS } from "./forbidden.js";

/** `[a, b]`: a list written as an item stays one, any other list is spread out. */
export function arrayClosure(node: ArrayNode, compiler: Compile): Closure {
  const items = node.items.map((item) => ({
    closure: compiler.closure(item),
    stays: item.kind === "array",
  }));
  const isCons = node.cons;
  return (context, state) => {
    spend(state, 1);
    const result: unknown[] = isCons ? new Cons() : [];
    let operands = 0;
    for (const { closure, stays } of items) {
      const value = closure(context, state);
      operands += size(value);
      if (Array.isArray(value) && !stays) {
        for (let at = 0; at < value.length; at += 1) {
          result[result.length] = value[at];
        }
      } else if (value !== undefined) {
        result[result.length] = value;
      }
      if (result.length > MAX_LIST) {
        throw listTooLong();
      }
    }
    spend(state, operands + result.length);
    return result;
  };
}

/** `first..last`. */
export function rangeClosure(node: Range, compiler: Compile): Closure {
  const first = compiler.closure(node.first);
  const last = compiler.closure(node.last);
  return (context, state) => {
    spend(state, 1);
    return numbersFrom(state, first(context, state), last(context, state));
  };
}

/** `{key: value}`: a group of the context, which makes one object of one value. */
export function objectClosure(node: ObjectNode, compiler: Compile): Closure {
  const members = membersOf(node.members, compiler);
  const group = groupOf(members);
  const keys = fixedKeys(node);
  if (keys === undefined) {
    return (context, state) => {
      spend(state, 1);
      return group(context, state);
    };
  }
  const values = members.map((member) => member.valueOf);
  const count = keys.length;
  // Of what is no list each key is taken once, before any value: only the steps are left.
  const begun = 1 + MAKING + keys.reduce((steps, key) => steps + 1 + textSize(key), 0);
  return (context, state) => {
    if (Array.isArray(context)) {
      spend(state, 1);
      return group(context, state);
    }
    spend(state, begun);
    const made: Members = {};
    let added = 0;
    for (let at = 0; at < count; at += 1) {
      const value = (values[at] as Closure)(context, state);
      if (value !== undefined) {
        made[keys[at] as string] = value;
        added += 1 + size(value);
      }
    }
    spend(state, added);
    return made;
  };
}

/** The keys of an object, if they are all written out and each is its own. */
function fixedKeys(node: ObjectNode): readonly string[] | undefined {
  const keys: string[] = [];
  for (const [key] of node.members) {
    const text = fixedKey(key);
    if (text === undefined || FORBIDDEN_KEYS.has(text) || keys.includes(text)) {
      return undefined;
    }
    keys.push(text);
  }
  return keys;
}

function fixedKey(key: Node): string | undefined {
  if (key.kind !== "literal" || typeof key.value !== "string") {
    return undefined;
  }
  const isBare = key.predicates.length === 0 && key.group === undefined && !key.keepArray;
  return isBare ? key.value : undefined;
}

/** `*`: every member, lists spread out at every depth. */
export function wildcard(given: unknown, state: State): unknown {
  const context: unknown = given instanceof RootList ? given[0] : given;
  spend(state, 1 + (typeof context === "string" ? 0 : size(context)));
  let members: readonly unknown[];
  if (Array.isArray(context)) {
    // The reference takes its own marks on a sequence for members of it.
    const marks = context instanceof Kept ? 2 : context instanceof Sequence ? 1 : 0;
    members = [...context, ...new Array<boolean>(marks).fill(true)];
  } else if (isObject(context)) {
    members = Object.values(context);
  } else {
    return undefined;
  }
  const found: unknown[] = [];
  let isPlain = false;
  for (const member of members) {
    if (Array.isArray(member)) {
      isPlain = true;
      spread(state, member, found);
    } else {
      found.push(member);
    }
  }
  if (found.length > MAX_LIST) {
    throw listTooLong();
  }
  spend(state, found.length);
  // What the reference appends a list to is no sequence any more.
  return isPlain ? found : filled(new Sequence(), found);
}

/** `**`: the context and everything in it, lists spread out. */
export function descendant(context: unknown, state: State): unknown {
  spend(state, 1);
  if (context === undefined) {
    return undefined;
  }
  const found = new Sequence();
  const { inside } = descend(context, found, state, 1, new Walks());
  spend(state, found.length + inside);
  return found.length === 1 ? found[0] : found;
}

/** What a value adds at every depth, and what all that was found in it adds so. */
interface Depths {
  readonly own: number;
  readonly inside: number;
}

function descend(
  value: unknown,
  found: Sequence,
  state: State,
  depth: number,
  walks: Walks<undefined>,
): Depths {
  if (depth > MAX_NESTING && isContainer(value)) {
    throw nestsTooDeep();
  }
  if (!Array.isArray(value)) {
    if (found.length === MAX_LIST) {
      throw listTooLong();
    }
    found[found.length] = value;
  }
  if (typeof value === "string") {
    const own = textSize(value);
    spend(state, own);
    return { own, inside: own };
  }
  if (!isContainer(value)) {
    return { own: 0, inside: 0 };
  }
  const before = found.length;
  const items = Array.isArray(value) ? value : Object.values(value);
  let own = items.length;
  let inside = 0;
  spend(state, own);
  for (const item of items) {
    const known = Array.isArray(item) ? walks.known(state, item, depth + 1) : undefined;
    if (known === undefined) {
      const deeper = descend(item, found, state, depth + 1, walks);
      own += deeper.own;
      inside += deeper.inside;
    } else {
      // A list in which there is nothing to be found.
      state.left -= known.steps;
      own += known.steps;
    }
  }
  if (!Array.isArray(value)) {
    return { own, inside: inside + own };
  }
  if (found.length === before) {
    walks.keep(value, own, depth, undefined);
  }
  return { own, inside };
}

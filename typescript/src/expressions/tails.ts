/**
 * Calls that end a lambda, which the reference runs only once the lambda has ended.
 *
 * What follows such a call from outside, such as a predicate behind parentheses around it, is
 * then applied to the call that is still to be run, and lost; and the context that the call
 * takes for an argument left out is null.
 */

import type { Call, Node } from "../tree.js";
import { leavesContext } from "./listed.js";

/** The calls that a lambda may end in. */
export function callsAtEnd(body: Node): readonly Call[] {
  switch (body.kind) {
    case "call":
      return body.predicates.length > 0 ? [] : [body];
    case "condition":
      return [
        ...callsAtEnd(body.then),
        ...(body.otherwise === undefined ? [] : callsAtEnd(body.otherwise)),
      ];
    case "fallback":
      return [...callsAtEnd(body.left), ...callsAtEnd(body.right)];
    case "block": {
      const last = body.statements.at(-1);
      return last === undefined ? [] : callsAtEnd(last);
    }
    default:
      return [];
  }
}

/**
 * The nodes at the end of a lambda behind which something is lost.
 *
 * A predicate, a group or a `[]` behind parentheses; a group or a `[]` behind a call.
 */
export function lostEndings(body: Node): readonly Node[] {
  switch (body.kind) {
    case "call": {
      const isFollowed = body.group !== undefined || body.keepArray;
      return isFollowed && body.predicates.length === 0 ? [body] : [];
    }
    case "condition":
      return [
        ...lostEndings(body.then),
        ...(body.otherwise === undefined ? [] : lostEndings(body.otherwise)),
      ];
    case "fallback":
      return [...lostEndings(body.left), ...lostEndings(body.right)];
    case "block": {
      const last = body.statements.at(-1);
      if (last === undefined) return [];
      const isFollowed = body.predicates.length > 0 || body.group !== undefined;
      if (!isFollowed && !body.keepArray) return lostEndings(last);
      return callsAtEnd(last).length > 0 ? [body] : [];
    }
    default:
      return [];
  }
}

/** The calls at the end of a lambda that leave their first argument to the context. */
export function lostContexts(body: Node): readonly Call[] {
  return callsAtEnd(body).filter((call) =>
    leavesContext(call.name, call.arguments.length, call.arguments[0]),
  );
}

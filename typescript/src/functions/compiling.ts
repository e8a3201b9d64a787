/** What the makers of closures need of one another. */

import type { Lambda, Node } from "../tree.js";
import type { State } from "../values/budget.js";

/** What a node became: from a context and a run's state to a value. */
export type Closure = (context: unknown, state: State) => unknown;

/** What follows a left operand: from its value, the context and the state to a value. */
export type Link = (value: unknown, context: unknown, state: State) => unknown;

/** A lambda's body, and the places of its parameters. */
export interface Body {
  readonly places: readonly number[];
  readonly closure: Closure;
}

/** What makes closures of the nodes in a node. */
export interface Compile {
  /** The closure of a node with all that it carries but its stages. */
  closure(node: Node): Closure;

  /** The places of a lambda's parameters, and the closure of its body. */
  body(node: Lambda, ownContext: boolean): Body;
}

/**
 * Trees become closures: made once, run as often as the expression is evaluated.
 *
 * A closure is called with the context and the run's state, counts its own step, and gives a
 * value. Names of variables are resolved here, to places in the state: no function can be
 * stored or call itself, so each variable has one value at a time.
 */

import { callsAtEnd } from "../expressions/tails.js";
import type { Body, Closure, Compile, Link } from "../functions/compiling.js";
import type {
  Apply,
  Assign,
  Binary,
  Block,
  Condition,
  Fallback,
  Lambda,
  Node,
  Variable,
} from "../tree.js";
import { spend } from "../values/budget.js";
import { collapse } from "../values/sequences.js";
import {
  assignClosure,
  blockClosure,
  collapsing,
  conditionClosure,
  contextClosure,
  fallbackClosure,
  givenClosure,
  type LeftSide,
  literalClosure,
  nameClosure,
  nothingClosure,
  rootClosure,
  variableClosure,
  wholeBlockClosure,
} from "./basic-closures.js";
import { applyLink, callClosure, patternClosure, type Tail } from "./call-closures.js";
import {
  arrayClosure,
  descendant,
  objectClosure,
  rangeClosure,
  wildcard,
} from "./constructors.js";
import { filterClosure, groupClosure } from "./filter-closures.js";
import { binaryClosure, binaryLink, negateClosure } from "./operator-closures.js";
import { pathClosure } from "./path-closures.js";

// Operators nest on their left as deep as a text is long; a row of so many runs in a loop.
const LONG_ROW = 3;

// What may give a sequence that has not yet become its item, or nothing; or pass on the item
// of one, when that is a sequence itself.
const FINDING: ReadonlySet<Node["kind"]> = new Set<Node["kind"]>([
  "path",
  "variable",
  "name",
  "call",
  "wildcard",
  "descendant",
  "fallback",
  "condition",
  "block",
  "assign",
]);

/** Makes the closures of one expression. */
export class Compiler implements Compile {
  /** How many places for variables the state of a run needs. */
  places = 0;
  readonly #scopes: Map<string, number>[] = [];

  /** The closure of a node with its predicates, its group and its `[]`. */
  closure(node: Node): Closure {
    const filters = node.predicates.map((predicate) => filterClosure(predicate, this));
    const group =
      node.group === undefined || node.kind === "path"
        ? undefined
        : groupClosure(node.group, this);
    const keep = node.keepArray;
    if (node.kind === "apply" || (filters.length === 0 && group === undefined && !keep)) {
      return this.#whole(node);
    }
    const run = this.#plain(node);
    return (context, state) => {
      let value = run(context, state);
      for (const filtered of filters) {
        value = filtered(value, state);
      }
      return group === undefined ? collapse(value, keep) : group(value, state);
    };
  }

  /** The places of a lambda's parameters, and the closure of its body. */
  body(node: Lambda, ownContext: boolean): Body {
    return this.#scoped(() => {
      const places = node.parameters.map((name) => this.#define(name));
      return { places, closure: this.#tail(node.body, ownContext, []) };
    });
  }

  /** The closure of a node without what it carries. */
  #plain(node: Node): Closure {
    switch (node.kind) {
      case "literal":
        return literalClosure(node);
      case "name":
        return nameClosure(node);
      case "wildcard":
        return wildcard;
      case "descendant":
        return descendant;
      case "variable":
        return this.#variable(node, false);
      case "path":
        return pathClosure(node, this);
      case "negate":
        return negateClosure(node, this);
      case "array":
        return arrayClosure(node, this);
      case "range":
        return rangeClosure(node, this);
      case "object":
        return objectClosure(node, this);
      case "binary":
      case "apply":
        return this.#operator(node);
      case "fallback":
        return this.#fallback(node, undefined, []);
      case "condition":
        return this.#condition(node, (branch) => this.closure(branch));
      case "block":
        return this.#block(node, (last) => this.closure(last));
      case "assign":
        return this.#assign(node);
      case "call":
        return callClosure(node, this);
      case "regex":
        return patternClosure(node);
      case "sort":
      case "lambda":
      case "function":
        throw new Error(`a ${node.kind} stands where the tree has none`);
    }
  }

  /** The closure of a node that nothing follows: what it finds is collapsed. */
  #whole(node: Node): Closure {
    if (node.kind === "path") {
      return pathClosure(node, this, true);
    }
    if (node.kind === "call") {
      return callClosure(node, this, undefined, true);
    }
    if (node.kind === "variable") {
      return this.#variable(node, true);
    }
    if (node.kind === "block") {
      const statement = onlyStatement(node);
      if (statement !== undefined) {
        return wholeBlockClosure(this.closure(statement));
      }
    }
    const run = this.#plain(node);
    return FINDING.has(node.kind) ? collapsing(run) : run;
  }

  /**
   * The closure of what ends a lambda; see `call-closures`.
   *
   * @param node - What ends it.
   * @param tail - How a call here sees its context.
   * @param through - For each node that a value comes through from here, whether a `[]`
   *   follows it.
   */
  #tail(node: Node, tail: Tail, through: readonly boolean[]): Closure {
    if (node.predicates.length > 0 || node.group !== undefined) {
      return collapsing(this.closure(node), through);
    }
    const out = [node.keepArray, ...through];
    switch (node.kind) {
      case "call":
        return callClosure(node, this, tail);
      case "condition":
        return this.#condition(node, (end) => this.#tail(end, tail, out));
      case "fallback":
        return this.#fallback(node, tail, through);
      case "block":
        return this.#block(node, (end) => this.#tail(end, tail, out));
      default:
        return collapsing(this.closure(node), through);
    }
  }

  #scoped<Result>(make: () => Result): Result {
    this.#scopes.push(new Map());
    const result = make();
    this.#scopes.pop();
    return result;
  }

  #define(name: string): number {
    const place = this.places;
    this.places += 1;
    this.#scopes.at(-1)?.set(name, place);
    return place;
  }

  #variable(node: Variable, whole: boolean): Closure {
    if (node.name === "") {
      return contextClosure(whole);
    }
    if (node.name === "$") {
      return rootClosure(whole);
    }
    const place = this.#place(node.name);
    return place === undefined ? givenClosure(node.name) : variableClosure(place, whole);
  }

  /** Where a variable of the expression's own is; undefined for one that the plan gives. */
  #place(variable: string): number | undefined {
    return this.#scopes.findLast((scope) => scope.has(variable))?.get(variable);
  }

  #assign(node: Assign): Closure {
    // The name is defined after its value, which may mean an outer one by it.
    const value = this.closure(node.value);
    return assignClosure(value, this.#define(node.name));
  }

  #block(node: Block, closeLast: (last: Node) => Closure): Closure {
    return this.#scoped(() => {
      const before = node.statements.slice(0, -1).map((statement) => this.closure(statement));
      const last = node.statements.at(-1);
      return blockClosure(before, last === undefined ? nothingClosure : closeLast(last));
    });
  }

  #condition(node: Condition, closeBranch: (branch: Node) => Closure): Closure {
    const test = this.closure(node.test);
    const then = closeBranch(node.then);
    const otherwise =
      node.otherwise === undefined ? nothingClosure : closeBranch(node.otherwise);
    return conditionClosure(test, then, otherwise);
  }

  #fallback(node: Fallback, tail: Tail, through: readonly boolean[]): Closure {
    const row: (LeftSide | undefined)[] = [];
    // What is found comes through each node so far; the first is the caller's to see to, but
    // not at the end of a lambda.
    let rest: Node = node;
    let out = tail === undefined ? through : [false, ...through];
    while (true) {
      const statement = plainStatement(rest);
      if (rest.kind === "fallback") {
        row.push(this.#leftSide(rest, tail, out));
        rest = rest.right;
      } else if (statement !== undefined) {
        row.push(undefined);
        rest = statement;
      } else {
        break;
      }
      out = [false, ...out];
    }
    const end =
      tail === undefined
        ? collapsing(this.closure(rest), out.slice(1))
        : this.#tail(rest, tail, out.slice(1));
    return fallbackClosure(row, end);
  }

  #leftSide(node: Fallback, tail: Tail, out: readonly boolean[]): LeftSide {
    const wantsTruth = node.operator === "?:";
    if (tail !== undefined && callsAtEnd(node.left).length > 0) {
      const closure = this.#tail(node.left, tail, out);
      return { closure, wantsTruth, atEnd: true, keeps: [] };
    }
    return { closure: this.closure(node.left), wantsTruth, atEnd: false, keeps: out };
  }

  #operator(node: Binary | Apply): Closure {
    const links: (Binary | Apply | Block)[] = [];
    let first: Node = node;
    while (true) {
      const statement = plainStatement(first);
      if (first.kind === "binary" || first.kind === "apply") {
        links.push(first);
        first = first.left;
      } else if (first.kind === "block" && statement !== undefined) {
        links.push(first);
        first = statement;
      } else {
        break;
      }
    }
    if (links.length < LONG_ROW && node.kind === "binary") {
      return binaryClosure(node, this);
    }
    const begin = this.closure(first);
    // Closures are made from left to right, as they run.
    const row = links.reverse().map((link) => this.#link(link));
    return (context, state) => {
      spend(state, row.length);
      let value = begin(context, state);
      for (const link of row) {
        value = link(value, context, state);
      }
      return value;
    };
  }

  #link(node: Binary | Apply | Block): Link {
    switch (node.kind) {
      case "binary":
        return binaryLink(node, this);
      case "apply":
        return applyLink(node, this);
      case "block":
        return (value) => collapse(value);
    }
  }
}

/** The one expression in parentheses, unless it is an assignment; undefined for others. */
function onlyStatement(node: Block): Node | undefined {
  const [statement] = node.statements;
  return node.statements.length === 1 && statement?.kind !== "assign" ? statement : undefined;
}

/** As `onlyStatement`, of parentheses with nothing after them. */
function plainStatement(node: Node): Node | undefined {
  if (
    node.kind !== "block" ||
    node.predicates.length > 0 ||
    node.group !== undefined ||
    node.keepArray
  ) {
    return undefined;
  }
  return onlyStatement(node);
}

/**
 * What an expression reads: the steps it depends on, its inputs, its strict names.
 *
 * One walk over our tree. It knows of each value only whether it is the root, `steps`,
 * `input`, a path from one of them that is still open to strict names, or anything else;
 * wherever the root or `steps` would be used as anything else, the reads could not be told.
 */

import type {
  Apply,
  Binary,
  Block,
  Call,
  Fallback,
  Name,
  Node,
  Path,
  Variable,
} from "../tree.js";
import type { Seen } from "./calls.js";
import { leavesContext, usage } from "./listed.js";
import { Fault, type Scope } from "./problems.js";
import type { Scan } from "./scan.js";
import { lostContexts } from "./tails.js";
import { fieldText } from "./templates.js";
import { indexedSteps, relative, unknownInput, unknownName, unresolvable } from "./unnamed.js";

/** One place where an expression reads a step, an input or the item. */
export interface Read {
  readonly root: "steps" | "input" | "item";
  /** The step's id or the input's name; `""` for the item. */
  readonly id: string;
  /** The strict names after it. */
  readonly names: readonly string[];
  /** Where the id (of the item, `item`) stands, in code points. */
  readonly position: number;
}

/** What the walk found. */
export interface References {
  readonly reads: readonly Read[];
  readonly faults: readonly Fault[];
  readonly usesItem: boolean;
}

/** A path from a step, an input or the item whose next name is strict. */
class Open {
  readonly names: string[] = [];

  constructor(
    readonly root: Read["root"],
    readonly id: string,
    readonly position: number,
    public path: string,
  ) {}
}

type Operation = Binary | Apply;
type Kind = "root" | "steps" | "input" | "value";
type Value = Kind | Open;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * What a tree reads, its strict names marked on the way.
 *
 * The tree was made a moment ago and nobody else has it yet; marking it in place saves a
 * second copy of it.
 */
export function references(tree: Node, scan: Scan, scope: Scope): References {
  const walk = new Walk(scan, scope);
  walk.use(tree, "root", false);
  const reads = walk.reads.sort((left, right) => left.position - right.position);
  return { reads, faults: walk.faults, usesItem: walk.usesItem };
}

/**
 * One walk.
 *
 * `context` is what a bare name is looked up in: the root, or a value (a row). `lenient`
 * holds where names are not strict.
 */
class Walk {
  readonly reads: Read[] = [];
  readonly faults: Fault[] = [];
  usesItem = false;
  private hidden: readonly string[] = [];
  // Calls that the profile refuses already, as they have no context at all.
  private readonly lost = new Set<Node>();

  constructor(
    private readonly scan: Scan,
    private readonly scope: Scope,
  ) {}

  /** Visits what may be any value but the root or `steps`. */
  use(node: Node, context: Kind, lenient: boolean): void {
    this.closed(this.visit(node, context, lenient), node);
  }

  private every(nodes: readonly Node[], context: Kind, lenient: boolean): void {
    for (const node of nodes) this.use(node, context, lenient);
  }

  /** A value that no name follows directly. */
  private closed(value: Value, node: Seen): Kind {
    if (value instanceof Open) {
      const { root, id, names, position } = value;
      this.reads.push({ root, id, names: [...names], position });
    } else if (value === "root" || value === "steps") {
      this.faults.push(unresolvable(value, node.position, this.scope));
    }
    return "value";
  }

  private visit(node: Node, context: Kind, lenient: boolean): Value {
    const value = this.plain(node, context, lenient);
    if (isBare(node)) return value;
    this.closed(value, node);
    this.every(node.predicates, "value", lenient);
    for (const pair of node.group ?? []) this.every(pair, "value", lenient);
    return "value";
  }

  /** A node without its predicates and group. */
  private plain(node: Seen, context: Kind, lenient: boolean): Value {
    switch (node.kind) {
      case "path":
        return this.path(node, context, lenient);
      case "variable":
        return this.variable(node, context);
      case "call":
        return this.call(node, context, lenient, 0);
      case "block":
        return this.block(node, context, lenient);
      case "apply":
      case "binary":
        this.operations(node, context, lenient);
        break;
      case "fallback":
        this.fallbacks(node, context, lenient);
        break;
      case "condition":
        this.use(node.test, context, lenient || isPath(node.test));
        this.use(node.then, context, lenient);
        if (node.otherwise !== undefined) this.use(node.otherwise, context, lenient);
        break;
      case "range":
        this.every([node.first, node.last], context, lenient);
        break;
      case "negate":
        this.use(node.operand, context, lenient);
        break;
      case "array":
        this.every(node.items, context, lenient);
        break;
      case "object":
        for (const pair of node.members) this.every(pair, context, lenient);
        break;
      case "assign":
        this.use(node.value, context, lenient);
        this.hide([node.name]);
        break;
      case "lambda": {
        const outer = this.hidden;
        this.hide(node.parameters);
        for (const call of lostContexts(node.body)) this.lost.add(call);
        this.use(node.body, context, lenient);
        this.hidden = outer;
        break;
      }
      case "refused":
        this.every(node.inside, context, lenient);
        break;
      case "wildcard":
      case "descendant":
        this.closed(context, node);
        break;
      default:
        break;
    }
    return "value";
  }

  /** Operations from the left; by calls a long sum would go deeper than there is room. */
  private operations(last: Operation, context: Kind, lenient: boolean): void {
    const row: { readonly node: Operation; readonly lenient: boolean }[] = [];
    let here: Node = last;
    let isLenient = lenient;
    do {
      row.push({ node: here, lenient: isLenient });
      isLenient ||= here.kind === "apply" && here.call.name === "exists";
      here = here.left;
    } while (isOperation(here) && isBare(here));
    this.use(here, context, isLenient);
    for (const { node, lenient } of row.reverse()) {
      if (node.kind === "apply") this.call(node.call, context, lenient, 1);
      else this.use(node.right, context, lenient);
    }
  }

  /** Fallbacks from the right, as all that follows one is its right side. */
  private fallbacks(first: Fallback, context: Kind, lenient: boolean): void {
    let here: Node = first;
    do {
      this.use(here.left, context, true);
      here = here.right;
    } while (here.kind === "fallback" && isBare(here));
    this.use(here, context, lenient);
  }

  private hide(names: readonly string[]): void {
    const hidden = names.filter((name) => name === "item" || name === "index");
    this.hidden = [...this.hidden, ...hidden];
  }

  private path(node: Path, context: Kind, lenient: boolean): Value {
    let value: Value = context;
    for (const [index, given] of node.steps.entries()) {
      const step: Seen = given as Seen;
      if (step.kind === "name") {
        if (index === 0 && context === "value") this.checkRowName(node);
        else value = this.name(step, value, node, lenient);
      } else if (step.kind === "sort") {
        value = this.closed(value, node);
        for (const term of step.terms) this.use(term.expression, "value", lenient);
      } else if (index === 0) {
        value = this.visit(given, context, lenient);
      } else if (step.kind === "refused") {
        this.visit(given, "value", lenient);
        value = "value";
      } else {
        this.closed(value, node);
        value = this.visit(given, "value", lenient);
      }
      if (step.stages.length > 0 && value === "steps" && index === 0) {
        const [first] = step.stages;
        const number = first?.kind === "literal" ? first.value : undefined;
        this.faults.push(indexedSteps(node, this.scope, number));
        value = "value";
      } else if (step.stages.length > 0 || step.keepArray) {
        value = this.closed(value, node);
      }
      this.every(step.stages, "value", lenient);
    }
    return value;
  }

  /** A name looked up in a value. */
  private name(step: Name, value: Value, path: Path, lenient: boolean): Value {
    if (value instanceof Open) {
      if (!lenient) {
        (step as Writable<Name>).strict = value.path;
        value.names.push(step.value);
        value.path += `.${fieldText(step.value)}`;
      }
      return value;
    }
    switch (value) {
      case "root":
        return this.rootName(step, path);
      case "steps": {
        const { value: id, position } = step;
        return new Open("steps", id, position, `steps.${fieldText(id)}`);
      }
      case "input":
        return this.inputName(step.value, step.position);
      case "value":
        return value;
    }
  }

  private rootName(step: Name, path: Path): Value {
    const { value: name, position } = step;
    if (name === "steps" || name === "input") return name;
    if ((name === "item" || name === "index") && this.scope.hasItem) {
      return this.item(name, position);
    }
    this.faults.push(unknownName(this.scan, this.scope, step, path));
    return "value";
  }

  private item(name: "item" | "index", position: number): Value {
    this.usesItem = true;
    return name === "item" ? new Open("item", "", position, "item") : "value";
  }

  private inputName(name: string, position: number): Value {
    const known = this.scope.inputs;
    if (known !== undefined && !known.includes(name)) {
      this.faults.push(unknownInput(this.scan, name, position, known));
    }
    return new Open("input", name, position, `input.${fieldText(name)}`);
  }

  private variable(node: Variable, context: Kind): Value {
    const { name, position } = node;
    if (name === "") return context;
    if (name === "$") return "root";
    if (name === "steps" || name === "input") return name;
    if ((name === "item" || name === "index") && this.scope.hasItem) {
      if (!this.hidden.includes(name)) return this.item(name, position);
    }
    return "value";
  }

  private block(node: Block, context: Kind, lenient: boolean): Value {
    const outer = this.hidden;
    const [first] = node.statements;
    let value: Value = "value";
    if (first !== undefined && node.statements.length === 1) {
      // Parentheses alone: a path goes on through them.
      value = this.visit(first, context, lenient);
    } else {
      this.every(node.statements, context, lenient);
    }
    this.hidden = outer;
    return value;
  }

  private call(node: Call, context: Kind, lenient: boolean, applied: number): Value {
    const { name } = node;
    const count = node.arguments.length + applied;
    const first = applied > 0 ? undefined : node.arguments[0];
    if (context === "root" && leavesContext(name, count, first) && !this.lost.has(node)) {
      const message = `$${name} is given no value here and would take all there is`;
      const hint = `write ${usage(name)}`;
      this.faults.push(new Fault("unresolvable_reference", node.position, message, hint));
    }
    const [whole, key] = node.arguments;
    if (name === "lookup" && count === 2 && whole !== undefined && key !== undefined) {
      return this.lookup(whole, key, context, lenient);
    }
    this.every(node.arguments, context, lenient || name === "exists");
    return "value";
  }

  /** `$lookup(steps, "a")` is another way to write `steps.a`. */
  private lookup(whole: Node, key: Node, context: Kind, lenient: boolean): Value {
    const value = this.visit(whole, context, lenient);
    const named = inside(key);
    if (named.kind === "literal" && typeof named.value === "string") {
      if (value === "steps") {
        const path = `steps.${fieldText(named.value)}`;
        return new Open("steps", named.value, named.position, path);
      }
      if (value === "input") return this.inputName(named.value, named.position);
    }
    this.closed(value, whole);
    this.use(key, context, lenient);
    return "value";
  }

  /** A path that begins with a bare name where names are fields of a row. */
  private checkRowName(path: Path): void {
    const [step, next] = path.steps;
    if (step?.kind !== "name") return;
    const name = step.value;
    const following = next?.kind === "name" ? next.value : undefined;
    const isMeant =
      name === "steps" ||
      (name === "item" && this.scope.hasItem && following !== undefined) ||
      (name === "input" &&
        following !== undefined &&
        this.scope.inputs?.includes(following) === true);
    if (isMeant) this.faults.push(relative(name, step.position));
  }
}

function isOperation(node: Node): node is Operation {
  return node.kind === "binary" || node.kind === "apply";
}

/** Whether no predicate, no group and no `[]` follows. */
function isBare(node: Node): boolean {
  return node.predicates.length === 0 && node.group === undefined && !node.keepArray;
}

/** A node without parentheses that hold it alone. */
function inside(node: Node): Node {
  let here = node;
  while (here.kind === "block" && here.statements.length === 1) {
    const [only] = here.statements;
    if (only === undefined || here.predicates.length > 0) break;
    here = only;
  }
  return here;
}

function isPath(node: Node): boolean {
  return inside(node).kind === "path";
}

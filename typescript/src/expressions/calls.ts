/** Calls as the language allows them, with the functions and patterns that stand in them. */

import { FUNCTIONS } from "../functions/index.js";
import { BARE, type Call, type Node, type NodeBase, type Pair } from "../tree.js";
import { LISTED, leavesContext } from "./listed.js";
import { patternFault, pictureFault } from "./literals.js";
import type {
  Parsed,
  ParsedApply,
  ParsedCall,
  ParsedLambda,
  ParsedPair,
  ParsedRegex,
} from "./parsed.js";
import type { Fault, Scope } from "./problems.js";
import {
  functionWanted,
  lostContext,
  lostEnding,
  nameAsFunction,
  patternWanted,
  refused,
  tooManyOrFew,
  uncallableVariable,
  unknownFunction,
} from "./refusals.js";
import type { Scan } from "./scan.js";
import { lostContexts, lostEndings } from "./tails.js";

const ROOTS: ReadonlySet<string> = new Set(["steps", "input"]);
const OPTIONAL: ReadonlySet<string> = new Set(["sort", "single", "replace"]);

/** What the profile refuses, and the nodes in it that it would allow elsewhere. */
export interface Refused extends NodeBase {
  readonly kind: "refused";
  readonly inside: readonly Node[];
}

/** A node of a tree that may have refused ones in it. */
export type Seen = Node | Refused;

/**
 * A refused node where the tree has a node.
 *
 * A tree with one in it is checked and never evaluated, so the kinds that run are without it.
 */
function refusedNode(inside: readonly Node[], base: Partial<NodeBase>): Node {
  const made: Refused = { kind: "refused", inside, ...BARE, ...base };
  return made as unknown as Node;
}

/** Whether a node is a refused one. */
export function isRefused(node: Seen): node is Refused {
  return node.kind === "refused";
}

/** One reading of one tree: what it has come by, and how it takes calls. */
export abstract class CallReader {
  readonly faults: Fault[] = [];
  /** The names in sight, innermost block or function last. */
  protected readonly variables: Set<string>[] = [new Set()];
  /** How many rows deep it is; in one a bare name is a field. */
  protected rows = 0;

  constructor(
    protected readonly scan: Scan,
    protected readonly scope: Scope | undefined,
  ) {}

  /** Our node of any of the library's. */
  abstract node(n: Parsed): Node;

  protected refuse(
    position: number,
    message: string,
    hint: string,
    inside: readonly Node[] = [],
  ): Node {
    this.faults.push(refused(position, message, hint));
    return refusedNode(inside, { position });
  }

  /** What any node has. */
  protected parts(n: Parsed): NodeBase {
    const { position, predicate, stages, group, keepArray } = n;
    if (predicate === undefined && stages === undefined && group === undefined) {
      return { ...BARE, position, keepArray };
    }
    this.rows += 1;
    const parts: NodeBase = {
      position,
      predicates: predicate === undefined ? [] : this.every(predicate),
      stages: stages === undefined ? [] : this.every(stages),
      group: group === undefined ? undefined : this.pairs(group),
      keepArray,
    };
    this.rows -= 1;
    return parts;
  }

  protected every(nodes: readonly Parsed[]): readonly Node[] {
    return nodes.map((each) => this.node(each));
  }

  protected pairs(pairs: readonly ParsedPair[]): readonly Pair[] {
    return pairs.map(([key, value]) => [this.node(key), this.node(value)]);
  }

  protected inSight(name: string): boolean {
    if (this.isVariable(name)) return true;
    if (this.scope === undefined) return false;
    return ROOTS.has(name) || (this.scope.hasItem && (name === "item" || name === "index"));
  }

  private isVariable(name: string): boolean {
    return this.variables.some((names) => names.has(name));
  }

  protected declare(name: string, position: number): void {
    if (name === "" || name === "$" || ROOTS.has(name) || LISTED.has(name)) {
      const meaning = LISTED.has(name) ? "a listed function" : "what a plan reads";
      this.refuse(position, `$${name} is the name of ${meaning}`, "choose another name");
    }
    this.variables.at(-1)?.add(name);
  }

  /** A function written where one belongs. */
  protected function(n: ParsedLambda): Node {
    this.variables.push(new Set());
    for (const parameter of n.arguments) this.declare(parameter.value, parameter.position);
    const body = this.node(n.body);
    this.variables.pop();
    const parameters = n.arguments.map((parameter) => parameter.value);
    for (const ending of lostEndings(body)) this.faults.push(lostEnding(this.scan, ending));
    for (const call of lostContexts(body)) {
      this.faults.push(lostContext(this.scan, call, parameters));
    }
    return { kind: "lambda", parameters, body, ...BARE, position: n.position };
  }

  /** A regular expression written where one belongs. */
  private pattern(n: ParsedRegex): Node {
    const { position } = n;
    const fault = patternFault(n.value, position);
    if (fault !== undefined) {
      this.faults.push(fault);
      return refusedNode([], { position });
    }
    const { source, flags } = n.value;
    const ignoreCase = flags.includes("i");
    const multiline = flags.includes("m");
    return { kind: "regex", pattern: source, ignoreCase, multiline, ...BARE, position };
  }

  /** A call that is handed a value. */
  protected apply(left: Node, n: ParsedApply): Node {
    const target = n.rhs;
    let call: Call | Refused;
    if (target.type === "function" && isBare(target)) {
      call = this.called(target, 1);
    } else if (target.type === "variable" && isBare(target)) {
      call = this.checked(target.value, target.position, [], 1);
    } else {
      const message = "what follows `~>` is no plain call of a listed function";
      const hint = "write a call after it, and go on from its value as (x ~> $f()).y";
      return this.refuse(n.position, message, hint, [left]);
    }
    if (isRefused(call)) {
      return refusedNode([left, call as unknown as Node], { position: call.position });
    }
    return { kind: "apply", left, call, ...this.parts(n) };
  }

  protected call(n: ParsedCall): Node {
    const call = this.called(n, 0);
    const parts = { ...this.parts(n), position: call.position };
    return isRefused(call) ? refusedNode(call.inside, parts) : { ...call, ...parts };
  }

  private called(n: ParsedCall, applied: number): Call | Refused {
    const target = n.procedure;
    if (target.type === "variable" && isBare(target)) {
      return this.checked(target.value, target.position, n.arguments, applied);
    }
    let inside = this.every(n.arguments);
    if (target.type === "path" && target.steps.length === 1) {
      const [first] = target.steps;
      if (first?.type === "name") {
        const { value, position } = first;
        this.faults.push(unknownFunction(this.scan, value, position));
        return { kind: "refused", inside, ...BARE, position };
      }
    }
    const { position } = n;
    let message = "what is called here is no function's name";
    let hint = "call a listed function by its name: $name(...)";
    if (target.type === "lambda") {
      inside = [this.function(target), ...inside];
      message = "a function is called where it is written";
      hint = "name the values in a block instead: ($x := ...; ...)";
    }
    this.faults.push(refused(position, message, hint));
    return { kind: "refused", inside, ...BARE, position };
  }

  /** A call by name; `applied` is 1 where `~>` puts a value before its arguments. */
  private checked(
    name: string,
    position: number,
    given: readonly Parsed[],
    applied: number,
  ): Call | Refused {
    const listed = FUNCTIONS.get(name);
    const shadowed = this.isVariable(name);
    if (listed === undefined || shadowed) {
      const inside = this.every(given);
      this.faults.push(
        shadowed
          ? uncallableVariable(name, position)
          : unknownFunction(this.scan, name, position, "$"),
      );
      return { kind: "refused", inside, ...BARE, position };
    }
    const count = given.length + applied;
    // With a regular expression first, it is the context that is searched.
    const leading =
      listed.patternAt !== undefined && applied === 0 && given[0]?.type === "regex";
    const shift = applied + Number(leading || leavesContext(name, count));
    const place = listed.functionAt === undefined ? undefined : listed.functionAt - shift;
    const pattern = listed.patternAt === undefined ? undefined : listed.patternAt - shift;
    if (
      count < listed.least ||
      (listed.most !== undefined && count > listed.most - Number(leading)) ||
      (place !== undefined && place >= given.length && !OPTIONAL.has(name))
    ) {
      this.faults.push(tooManyOrFew(name, count, position));
    } else if (name === "formatNumber") {
      const fault = pictureFault(this.scan, given);
      if (fault !== undefined) this.faults.push(fault);
    }
    const made = given.map((argument, index) => {
      if (index === place) return this.functionArgument(argument, name, index, position);
      if (index === pattern && argument.type === "regex" && isBare(argument)) {
        return this.pattern(argument);
      }
      const node = this.node(argument);
      if (index === pattern && name === "match" && argument.type !== "regex") {
        this.faults.push(patternWanted(index, node.position));
      }
      return node;
    });
    return { kind: "call", name, arguments: made, ...BARE, position };
  }

  /** What stands where the call at a place wants a function. */
  private functionArgument(n: Parsed, caller: string, place: number, position: number): Node {
    if (n.type === "lambda" && isBare(n)) return this.function(n);
    if (n.type === "variable" && LISTED.has(n.value) && !this.inSight(n.value)) {
      const named = FUNCTIONS.get(n.value);
      if (named?.byNameIn.has(caller) && isBare(n)) {
        return { kind: "function", name: n.value, ...BARE, position: n.position };
      }
      this.faults.push(nameAsFunction(n.value, n.position, caller));
      return refusedNode([], { position: n.position });
    }
    const node = this.node(n);
    if (caller !== "replace") {
      this.faults.push(functionWanted(caller, place, place > 0 ? node.position : position));
    }
    return node;
  }
}

/** Whether no predicate and no group follows. */
function isBare(n: Parsed): boolean {
  return n.predicate === undefined && n.stages === undefined && n.group === undefined;
}

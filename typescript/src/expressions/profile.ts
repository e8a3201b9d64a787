/**
 * What the language allows: the library's tree turned into ours, all else refused.
 *
 * Everything refused is found at once; in its place stands a `Refused` so that the rest can
 * still be checked. Such a tree is never evaluated.
 */

import { type Assign, BARE, type Node } from "../tree.js";
import { CallReader } from "./calls.js";
import type { Parsed, ParsedApply, ParsedBinary, ParsedBind, ParsedLambda } from "./parsed.js";
import { type Fault, type Scope, shown } from "./problems.js";
import { looseOperand, unknownVariable } from "./refusals.js";
import type { Scan } from "./scan.js";

const OPERATIONS: ReadonlySet<string> = new Set(["apply", "bind", "condition"]);
const FALLBACKS: ReadonlySet<string> = new Set(["??", "?:"]);
const COMPARED = 20;

/**
 * Our tree of what the library parsed, and every reason to refuse it.
 *
 * @param parsed - What `parse` gave.
 * @param scope - What may be named; with undefined (a bare root) there is no `$steps` either.
 */
export function treeOf(
  parsed: Parsed,
  scan: Scan,
  scope: Scope | undefined,
): readonly [tree: Node, faults: readonly Fault[]] {
  const reader = new Reader(scan, scope);
  return [reader.node(parsed), reader.faults];
}

/** One reading of one whole tree. */
class Reader extends CallReader {
  node(n: Parsed): Node {
    switch (n.type) {
      case "path": {
        const [first, ...rest] = n.steps;
        const start = first === undefined ? [] : [this.node(first)];
        this.rows += 1;
        const steps = [...start, ...this.every(rest)];
        this.rows -= 1;
        const parts = { ...this.parts(n), position: steps[0]?.position ?? n.position };
        return { kind: "path", steps, keepSingleton: n.keepSingletonArray, ...parts };
      }
      case "name":
        return { kind: "name", value: n.value, strict: undefined, ...this.parts(n) };
      case "string":
      case "value":
        return { kind: "literal", value: n.value, ...this.parts(n) };
      case "number":
        // A literal is negated in place, and its -0 is our 0.
        return { kind: "literal", value: n.value === 0 ? 0 : n.value, ...this.parts(n) };
      case "variable":
        return this.variable(n.value, n);
      case "binary":
        return FALLBACKS.has(n.value) ? this.fallbacks(n) : this.operations(n);
      case "list": {
        const items = this.every(n.expressions);
        return { kind: "array", items, cons: n.consarray, ...this.parts(n) };
      }
      case "object":
        return { kind: "object", members: this.pairs(n.pairs), ...this.parts(n) };
      case "negation":
        return { kind: "negate", operand: this.node(n.expression), ...this.parts(n) };
      case "function":
        return this.call(n);
      case "condition": {
        const otherwise = n.otherwise === undefined ? undefined : this.node(n.otherwise);
        const test = this.node(n.test);
        const then = this.node(n.chosen);
        return { kind: "condition", test, then, otherwise, ...this.parts(n) };
      }
      case "block": {
        this.variables.push(new Set());
        const statements = n.expressions.map((each) =>
          each.type === "bind" ? this.assignment(each) : this.node(each),
        );
        this.variables.pop();
        return { kind: "block", statements, cons: n.consarray, ...this.parts(n) };
      }
      case "apply":
        return this.operations(n);
      case "sort": {
        this.rows += 1;
        const terms = n.terms.map(({ expression, descending }) => ({
          expression: this.node(expression),
          descending,
        }));
        this.rows -= 1;
        return { kind: "sort", terms, ...this.parts(n) };
      }
      case "wildcard":
      case "descendant":
        return { kind: n.type, ...this.parts(n) };
      case "bind":
        return this.misplacedAssignment(n);
      case "lambda":
        return this.misplacedFunction(n);
      case "regex": {
        const message = "a regular expression stands only as the pattern of a call";
        const hint = "write it there: $match(text, /a/), or in $contains, $replace or $split";
        return this.refuse(n.position, message, hint);
      }
    }
  }

  private variable(name: string, n: Parsed): Node {
    if (name !== "" && name !== "$" && !this.inSight(name)) {
      // Comparing names costs, and of many unknown ones the first is enough to tell.
      const few = this.faults.length < COMPARED;
      const known = few ? [...new Set(this.variables.flatMap((names) => [...names]))] : [];
      const surroundings = {
        scope: this.scope,
        known: known.sort(byCodePoint),
        ofRow: this.rows > 0,
      };
      this.faults.push(unknownVariable(name, n.position, surroundings));
    }
    return { kind: "variable", name, ...this.parts(n) };
  }

  /** Operations from the left; by calls a long sum would go deeper than there is room. */
  private operations(last: ParsedBinary | ParsedApply): Node {
    const row: (ParsedBinary | ParsedApply)[] = [];
    let first: Parsed = last;
    while (first.type === "apply" || isPlainBinary(first)) {
      row.push(first);
      first = first.lhs;
    }
    let left = this.node(first);
    for (const n of row.reverse()) {
      left = n.type === "apply" ? this.apply(left, n) : this.binary(left, n);
    }
    return left;
  }

  private binary(left: Node, n: ParsedBinary): Node {
    const right = this.node(n.rhs);
    const parts = this.parts(n);
    if (n.value === "..") return { kind: "range", first: left, last: right, ...parts };
    return { kind: "binary", operator: n.value, left, right, ...parts };
  }

  /** Fallbacks from the right, as all that follows one is its right side. */
  private fallbacks(first: ParsedBinary): Node {
    const row: { readonly n: ParsedBinary; readonly left: Node }[] = [];
    let last: Parsed = first;
    while (last.type === "binary" && FALLBACKS.has(last.value)) {
      row.push({ n: last, left: this.node(last.lhs) });
      last = last.rhs;
    }
    let right = this.node(last);
    for (const { n, left } of row.reverse()) {
      const parts = this.parts(n);
      if (isOperation(n.lhs) || isOperation(n.rhs)) {
        this.faults.push(looseOperand(this.scan, n.position, n.value));
      }
      right = { kind: "fallback", operator: n.value, left, right, ...parts };
    }
    return right;
  }

  private assignment(n: ParsedBind): Assign {
    const { value: name, position } = n.lhs;
    let value: Node;
    if (n.rhs.type === "lambda") {
      const made = this.function(n.rhs);
      value = this.refuse(
        n.rhs.position,
        `a function cannot be kept in a variable, as here in $${shown(name)}`,
        "write function(...){...} directly as the argument of $map, $filter or $reduce",
        [made],
      );
    } else if (n.rhs.type === "bind") {
      const made = this.assignment(n.rhs);
      const hint = "write two statements, one after the other: ($x := ...; $y := $x)";
      value = this.refuse(position, "one `:=` stands inside another", hint, [made]);
    } else {
      value = this.node(n.rhs);
    }
    this.declare(name, position);
    return { kind: "assign", name, value, ...BARE, position };
  }

  private misplacedAssignment(n: ParsedBind): Node {
    const made = this.assignment(n);
    const name = shown(n.lhs.value);
    const hint = `write ($${name} := ...; ...), with the value that is wanted last`;
    const message = "a `:=` stands only as a statement of a block";
    return this.refuse(n.position, message, hint, [made]);
  }

  private misplacedFunction(n: ParsedLambda): Node {
    const made = this.function(n);
    const hint = "write it directly as the argument of $map, $filter, $reduce, $sort, ...";
    return this.refuse(n.position, "a function stands only as an argument", hint, [made]);
  }
}

function isPlainBinary(n: Parsed): n is ParsedBinary {
  return n.type === "binary" && !FALLBACKS.has(n.value);
}

function isOperation(n: Parsed): boolean {
  return n.type === "binary" ? !FALLBACKS.has(n.value) : OPERATIONS.has(n.type);
}

/** The order of names by code point, which JavaScript's own, by UTF-16 unit, is not quite. */
function byCodePoint(left: string, right: string): number {
  const others = right[Symbol.iterator]();
  for (const letter of left) {
    const other = others.next();
    if (other.done) return 1;
    const difference = (letter.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return others.next().done ? 0 : -1;
}

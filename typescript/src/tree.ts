/**
 * The tree that expressions are evaluated from: its node kinds and nothing else.
 *
 * `expressions` makes it out of what the JSONata library parsed, so that nothing of that
 * library's own tree reaches the rest; `evaluate` turns it into closures. One evaluation of
 * one node is one step of the budget, so a node kind is part of the language: they are
 * listed in `schema/LANGUAGE.md`.
 */

/** What a literal may be. */
export type LiteralValue = string | number | boolean | null;

/** What every node has. */
export interface NodeBase {
  /** Where it starts in the text, in code points from 0. */
  readonly position: number;
  /** `[...]` applied to the node's whole value (a node that is no path step). */
  readonly predicates: readonly Node[];
  /** `[...]` applied to each item's value (a step of a path). */
  readonly stages: readonly Node[];
  /** `{...}` after the node: pairs of key and value expressions. */
  readonly group: readonly Pair[] | undefined;
  /** The node was followed by `[]`. */
  readonly keepArray: boolean;
}

/** A key and a value of an object that is written out, or of a group. */
export type Pair = readonly [key: Node, value: Node];

/** A string, a number, true, false or null. */
export interface Literal extends NodeBase {
  readonly kind: "literal";
  readonly value: LiteralValue;
}

/** A field of the context. */
export interface Name extends NodeBase {
  readonly kind: "name";
  /** The field's name. */
  readonly value: string;
  /**
   * Where the field must exist, the path up to it and without it, as a message shows it:
   * `steps.a` for `name` of `steps.a.name`; undefined where a missing field is merely nothing.
   */
  readonly strict: string | undefined;
}

/** `*`: every member of the context. */
export interface Wildcard extends NodeBase {
  readonly kind: "wildcard";
}

/** `**`: the context and everything under it. */
export interface Descendant extends NodeBase {
  readonly kind: "descendant";
}

/** `$name`; the name `""` is the context `$` and `"$"` the root `$$`. */
export interface Variable extends NodeBase {
  readonly kind: "variable";
  readonly name: string;
}

/** Steps joined by dots; a sort `^(...)` is a step too. */
export interface Path extends NodeBase {
  readonly kind: "path";
  readonly steps: readonly Node[];
  readonly keepSingleton: boolean;
}

/** One key of a sort (no node of its own). */
export interface SortTerm {
  readonly expression: Node;
  readonly descending: boolean;
}

/** `^(<a, >b)`, only as a step of a path. */
export interface Sort extends NodeBase {
  readonly kind: "sort";
  readonly terms: readonly SortTerm[];
}

/** Prefix `-` before anything but a number. */
export interface Negate extends NodeBase {
  readonly kind: "negate";
  readonly operand: Node;
}

/** `[a, b]`; `cons` where the list is not to be flattened by its path. */
export interface ArrayNode extends NodeBase {
  readonly kind: "array";
  readonly items: readonly Node[];
  readonly cons: boolean;
}

/** `a..b`, only as an item of an array constructor. */
export interface Range extends NodeBase {
  readonly kind: "range";
  readonly first: Node;
  readonly last: Node;
}

/** `{key: value}`. */
export interface ObjectNode extends NodeBase {
  readonly kind: "object";
  readonly members: readonly Pair[];
}

/** `+ - * / % & = != < <= > >= in and or`. */
export interface Binary extends NodeBase {
  readonly kind: "binary";
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
}

/** `left ?? right` and `left ?: right`; the left side is evaluated once. */
export interface Fallback extends NodeBase {
  readonly kind: "fallback";
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
}

/** `test ? then : otherwise`; without `otherwise` it may give nothing. */
export interface Condition extends NodeBase {
  readonly kind: "condition";
  readonly test: Node;
  readonly then: Node;
  readonly otherwise: Node | undefined;
}

/** `(a; b)`; `cons` where it holds a list that its path does not flatten. */
export interface Block extends NodeBase {
  readonly kind: "block";
  readonly statements: readonly Node[];
  readonly cons: boolean;
}

/** `$name := value`, only as a statement of a block. */
export interface Assign extends NodeBase {
  readonly kind: "assign";
  readonly name: string;
  readonly value: Node;
}

/** `function($a, $b){body}`, only as the function argument of a call. */
export interface Lambda extends NodeBase {
  readonly kind: "lambda";
  readonly parameters: readonly string[];
  readonly body: Node;
}

/** A listed function's name where a function argument belongs: `$map(x, $string)`. */
export interface FunctionName extends NodeBase {
  readonly kind: "function";
  readonly name: string;
}

/** `/pattern/im` as the pattern argument of a call; `pattern` is as written. */
export interface Regex extends NodeBase {
  readonly kind: "regex";
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
}

/** `$name(arguments)` of a listed function. */
export interface Call extends NodeBase {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly Node[];
}

/** `left ~> $name(...)`: the call with `left` put before its arguments. */
export interface Apply extends NodeBase {
  readonly kind: "apply";
  readonly left: Node;
  readonly call: Call;
}

/** Any node, told apart by its `kind`. */
export type Node =
  | Literal
  | Name
  | Wildcard
  | Descendant
  | Variable
  | Path
  | Sort
  | Negate
  | ArrayNode
  | Range
  | ObjectNode
  | Binary
  | Fallback
  | Condition
  | Block
  | Assign
  | Lambda
  | FunctionName
  | Regex
  | Call
  | Apply;

/** What a node is made with where it has nothing of its own: at 0, with nothing after it. */
export const BARE = {
  position: 0,
  predicates: [],
  stages: [],
  group: undefined,
  keepArray: false,
} as const satisfies NodeBase;

/** What the library's parser makes of a text, with types and with what our tokens say. */

import type { Pattern } from "./tokens.js";

/** What every node of a parsed text has. */
export interface Common {
  /** The start of the token that made it, in UTF-16 units; of a path, of its first step. */
  readonly position: number;
  /** `[...]` after it where it is no step. */
  readonly predicate: readonly Parsed[] | undefined;
  /** `[...]` after it where it is a step. */
  readonly stages: readonly Parsed[] | undefined;
  readonly group: readonly ParsedPair[] | undefined;
  readonly keepArray: boolean;
}

/** A key and its value. */
export type ParsedPair = readonly [key: Parsed, value: Parsed];

interface ParsedPath extends Common {
  readonly type: "path";
  readonly steps: readonly Parsed[];
  readonly keepSingletonArray: boolean;
}

interface ParsedName extends Common {
  readonly type: "name";
  readonly value: string;
}

interface ParsedString extends Common {
  readonly type: "string";
  readonly value: string;
}

interface ParsedNumber extends Common {
  readonly type: "number";
  readonly value: number;
}

interface ParsedValue extends Common {
  readonly type: "value";
  readonly value: boolean | null;
}

/** `$name`. */
export interface ParsedVariable extends Common {
  readonly type: "variable";
  readonly value: string;
}

/** A regular expression. */
export interface ParsedRegex extends Common {
  readonly type: "regex";
  readonly value: Pattern;
}

interface ParsedWildcard extends Common {
  readonly type: "wildcard" | "descendant";
}

/** An operator between two values; `??` and `?:` are such. */
export interface ParsedBinary extends Common {
  readonly type: "binary";
  readonly value: string;
  readonly lhs: Parsed;
  readonly rhs: Parsed;
}

interface ParsedList extends Common {
  readonly type: "list";
  readonly expressions: readonly Parsed[];
  readonly consarray: boolean;
}

interface ParsedObject extends Common {
  readonly type: "object";
  readonly pairs: readonly ParsedPair[];
}

interface ParsedNegation extends Common {
  readonly type: "negation";
  readonly expression: Parsed;
}

/** A call of anything. */
export interface ParsedCall extends Common {
  readonly type: "function";
  readonly procedure: Parsed;
  readonly arguments: readonly Parsed[];
}

interface ParsedCondition extends Common {
  readonly type: "condition";
  readonly test: Parsed;
  readonly chosen: Parsed;
  readonly otherwise: Parsed | undefined;
}

interface ParsedBlock extends Common {
  readonly type: "block";
  readonly expressions: readonly Parsed[];
  readonly consarray: boolean;
}

/** `left ~> right`. */
export interface ParsedApply extends Common {
  readonly type: "apply";
  readonly lhs: Parsed;
  readonly rhs: Parsed;
}

interface ParsedSort extends Common {
  readonly type: "sort";
  readonly terms: readonly { readonly expression: Parsed; readonly descending: boolean }[];
}

/** `$name := value`. */
export interface ParsedBind extends Common {
  readonly type: "bind";
  readonly lhs: ParsedVariable;
  readonly rhs: Parsed;
}

/** `function($name){body}`. */
export interface ParsedLambda extends Common {
  readonly type: "lambda";
  readonly arguments: readonly ParsedVariable[];
  readonly body: Parsed;
}

/** The library's nodes, told apart by their `type`, with what our tokens say. */
export type Parsed =
  | ParsedPath
  | ParsedName
  | ParsedString
  | ParsedNumber
  | ParsedValue
  | ParsedVariable
  | ParsedRegex
  | ParsedWildcard
  | ParsedBinary
  | ParsedList
  | ParsedObject
  | ParsedNegation
  | ParsedCall
  | ParsedCondition
  | ParsedBlock
  | ParsedApply
  | ParsedSort
  | ParsedBind
  | ParsedLambda;

/** One expression, from its text to what runs: limits, habits, syntax, profile, references. */

export {
  type Expression,
  parseExpression,
  type Reading,
  readExpression,
  readsAStep,
  repaired,
} from "./parse.js";
export { type Field, type Problem, Scope, type ScopeOptions } from "./problems.js";
export type { Read } from "./references.js";
export { MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS, MAX_LENGTH } from "./scan.js";

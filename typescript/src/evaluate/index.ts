/** Evaluation of one expression: its tree made ready once, then run on contexts. */

export { EvaluationError } from "../values/budget.js";
export {
  Context,
  type Counted,
  compileTree,
  type Given,
  Program,
  type RunOptions,
} from "./program.js";

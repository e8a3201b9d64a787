/**
 * Everything that is thrown, under one root, each error with the diagnostics behind it.
 *
 *     PlanError
 *     ├── InvalidPlanShapeError     reading and shape
 *     ├── StepLimitError            too_many_steps
 *     ├── DuplicateStepError        duplicate_step
 *     ├── ToolNotPlannableError     unknown_tool, tool_not_plannable
 *     ├── DanglingReferenceError    unknown_step
 *     ├── PlanCycleError            cycle, self_reference
 *     ├── BindEvaluationError       an expression failed while its step was about to run
 *     ├── ToolExecutionError        a tool failed
 *     │   └── ToolDeniedError       somebody refused the call, so it is not tried again
 *     ├── AgentInterruptedError     a plan was submitted during an interrupt
 *     └── EvalNotAllowedError       $eval
 *
 * A plan that is refused throws the class of its first problem in the order of the upper
 * six, and `PlanError` itself for every other code. A caller's misuse (a set for a list, a
 * string for a policy) is a plain `TypeError`.
 *
 * Two are no errors and stand outside: `StepPaused`, by which an invoker says that a call waits
 * for an answer, and `PlanPaused`, by which a run says that it does.
 */

import { anyOf, quoted } from "./diagnostics.js";
import type { CheckpointInput, Code, Diagnostic } from "./models.js";
import type { StepCall } from "./step-call.js";

/** What every error of the package is made with, beside what it is about. */
export interface PlanErrorOptions extends ErrorOptions {
  /** All that is wrong, in the order of the plan. */
  readonly diagnostics?: readonly Diagnostic[];
  /** What a reader is told in place of what the class would say. */
  readonly message?: string;
}

/** A plan cannot be run, or something in it failed. */
export class PlanError extends Error {
  /** Each problem with its code, place, message and hint; empty if none was made. */
  readonly diagnostics: readonly Diagnostic[];

  /** What the class stands for, where no diagnostic says more. */
  static readonly defaultCode: Code | undefined = undefined;

  /**
   * @param message - What is wrong, for a reader.
   * @param options - The diagnostics behind it.
   */
  constructor(message = "", options: PlanErrorOptions = {}) {
    super(options.message ?? message, options);
    this.diagnostics = [...(options.diagnostics ?? [])];
  }

  static {
    // On the prototype, as with the errors of the language, so that it is no own member.
    PlanError.prototype.name = "PlanError";
  }

  /** The code of the problem that chose this class, else what the class stands for. */
  get code(): Code | undefined {
    const kind = this.constructor as typeof PlanError;
    const codes = this.diagnostics.map((diagnostic) => diagnostic.code);
    const ofFamily = codes.find((code) => (FAMILIES.get(code) ?? PlanError) === kind);
    return ofFamily ?? codes[0] ?? kind.defaultCode;
  }
}

/** What was given is no plan: not JSON, or not the fields and types of one. */
export class InvalidPlanShapeError extends PlanError {
  static override readonly defaultCode: Code = "wrong_type";

  /** @param detail - What is wrong. */
  constructor(
    readonly detail: string,
    options: PlanErrorOptions = {},
  ) {
    super(`not a plan: ${detail}`, options);
  }

  static {
    InvalidPlanShapeError.prototype.name = "InvalidPlanShapeError";
  }
}

/** The plan has more steps than the policy allows. */
export class StepLimitError extends PlanError {
  static override readonly defaultCode: Code = "too_many_steps";

  /**
   * @param count - Steps of the plan.
   * @param limit - Steps allowed.
   */
  constructor(
    readonly count: number,
    readonly limit: number,
    options: PlanErrorOptions = {},
  ) {
    super(`${count} steps where at most ${limit} may be`, options);
  }

  static {
    StepLimitError.prototype.name = "StepLimitError";
  }
}

/** Two steps have one id. */
export class DuplicateStepError extends PlanError {
  static override readonly defaultCode: Code = "duplicate_step";

  /** @param stepId - The id. */
  constructor(
    readonly stepId: string,
    options: PlanErrorOptions = {},
  ) {
    super(`two steps are called ${quoted(stepId)}`, options);
  }

  static {
    DuplicateStepError.prototype.name = "DuplicateStepError";
  }
}

/** A step calls a tool that does not exist or may not be called by a plan. */
export class ToolNotPlannableError extends PlanError {
  static override readonly defaultCode: Code = "tool_not_plannable";

  /**
   * @param stepId - The step.
   * @param tool - The tool it names.
   * @param allowed - The tools that it may name, sorted.
   */
  constructor(
    readonly stepId: string,
    readonly tool: string,
    readonly allowed: readonly string[],
    options: PlanErrorOptions = {},
  ) {
    const may = allowed.length > 0 ? `it may call ${anyOf(allowed)}` : "no tool may be called";
    super(`step ${quoted(stepId)} calls ${quoted(tool)}; ${may}`, options);
  }

  static {
    ToolNotPlannableError.prototype.name = "ToolNotPlannableError";
  }
}

/** Which part of a plan refers to a step that is not in it. */
export type DanglingField = "dependencies" | "returns" | "output";

/** Something refers to a step that is not in the plan. */
export class DanglingReferenceError extends PlanError {
  static override readonly defaultCode: Code = "unknown_step";

  /**
   * @param stepId - The step that refers to it; of `returns` and `output`, the missing one.
   * @param missing - The id that no step has.
   * @param field - `"dependencies"` of a step (its `after` or an expression), `"returns"` or
   *   `"output"`.
   */
  constructor(
    readonly stepId: string,
    readonly missing: string,
    readonly field: DanglingField,
    options: PlanErrorOptions = {},
  ) {
    const where = field === "dependencies" ? `the ${field} of step ${quoted(stepId)}` : field;
    super(`no step is called ${quoted(missing)}, named in ${where}`, options);
  }

  static {
    DanglingReferenceError.prototype.name = "DanglingReferenceError";
  }
}

const SHOWN_OF_A_CYCLE = 10;

/** Steps wait for each other, so none of them can start. */
export class PlanCycleError extends PlanError {
  static override readonly defaultCode: Code = "cycle";

  /**
   * @param remaining - The ids of the cycle, each depending on the next and the last on the
   *   first.
   */
  constructor(
    readonly remaining: readonly string[],
    options: PlanErrorOptions = {},
  ) {
    const more = remaining.length > SHOWN_OF_A_CYCLE ? " -> ..." : "";
    const around = remaining.slice(0, SHOWN_OF_A_CYCLE).join(" -> ") + more;
    super(`steps that wait for each other: ${around}`, options);
  }

  static {
    PlanCycleError.prototype.name = "PlanCycleError";
  }
}

/** An expression gave an error, or nothing, when its step was about to run. */
export class BindEvaluationError extends PlanError {
  static override readonly defaultCode: Code = "evaluation_failed";
  /** What went wrong. */
  readonly reason: string;

  /**
   * @param stepId - The step.
   * @param parameter - The argument, or `when` or `for_each`, that it was to give.
   * @param expression - Its text.
   * @param reason - What went wrong.
   */
  constructor(
    readonly stepId: string,
    readonly parameter: string,
    readonly expression: string,
    reason: string,
    options: PlanErrorOptions = {},
  ) {
    super(
      `${quoted(parameter)} of step ${quoted(stepId)}, ${quoted(expression)}: ${reason}`,
      options,
    );
    // The twin in Python says `cause`; in JavaScript that is the error behind an error.
    this.reason = reason;
  }

  static {
    BindEvaluationError.prototype.name = "BindEvaluationError";
  }
}

/** A tool failed. */
export class ToolExecutionError extends PlanError {
  static override readonly defaultCode: Code = "tool_failed";

  /**
   * @param tool - Its name.
   * @param detail - The tool's own message.
   */
  constructor(
    readonly tool: string,
    readonly detail: string,
    options: PlanErrorOptions = {},
  ) {
    super(`tool ${quoted(tool)} failed: ${detail}`, options);
  }

  static {
    ToolExecutionError.prototype.name = "ToolExecutionError";
  }
}

/**
 * Somebody refused the call of a tool: it is not tried again, whatever the policy says. What
 * `detail` says is the step's `error`.
 */
export class ToolDeniedError extends ToolExecutionError {
  static {
    ToolDeniedError.prototype.name = "ToolDeniedError";
  }
}

/**
 * An invoker throws it: this call cannot go on before somebody outside has answered.
 *
 * The call has not been carried out. It gives its slot back and fails nothing; everything that
 * does not need it goes on, and then the run pauses: see `PlanPaused`. When the run is resumed
 * the invoker is asked again, with the same attempt and the same key.
 */
export class StepPaused extends Error {
  static {
    StepPaused.prototype.name = "StepPaused";
  }
}

/** A run cannot go on before somebody outside has answered. */
export class PlanPaused extends Error {
  /**
   * The calls that wait, in document order and by index. Their arguments are those that the
   * invoker was given.
   */
  readonly waiting: readonly StepCall[];

  /**
   * @param checkpoint - Where the run stands: what `executePlan` takes as `resume`. It is plain
   *   JSON, in which a member that has its default is left out.
   * @param waiting - The calls that wait.
   */
  constructor(
    readonly checkpoint: CheckpointInput,
    waiting: readonly StepCall[],
  ) {
    const calls = waiting.length === 1 ? "1 call waits" : `${waiting.length} calls wait`;
    super(`the plan is paused: ${calls} for an answer`);
    this.waiting = [...waiting];
  }

  static {
    PlanPaused.prototype.name = "PlanPaused";
  }
}

/** A plan was submitted while its agent waits for the answer to an interrupt. */
export class AgentInterruptedError extends PlanError {
  /** @param options - The diagnostics behind it. */
  constructor(options: PlanErrorOptions = {}) {
    super("the agent waits for the answer to an interrupt; no plan can run before it", options);
  }

  static {
    AgentInterruptedError.prototype.name = "AgentInterruptedError";
  }
}

/** An expression calls `$eval`, which could hide what it reads and does. */
export class EvalNotAllowedError extends PlanError {
  static override readonly defaultCode: Code = "not_in_profile";

  static {
    EvalNotAllowedError.prototype.name = "EvalNotAllowedError";
  }
}

const SHAPE = [
  "json_syntax",
  "too_deep",
  "too_many",
  "unsafe_number",
  "bad_unicode",
  "forbidden_key",
  "not_json",
  "missing_field",
  "unknown_field",
  "wrong_type",
  "not_in_enum",
  "bad_pattern",
  "too_short",
  "too_long",
  "out_of_range",
] as const satisfies readonly Code[];

/** Any of the classes, whatever its constructor takes. */
type Family = abstract new (...args: never[]) => PlanError;

const FAMILIES: ReadonlyMap<Code, Family> = new Map<Code, Family>([
  ...SHAPE.map((code): [Code, Family] => [code, InvalidPlanShapeError]),
  ["too_many_steps", StepLimitError],
  ["duplicate_step", DuplicateStepError],
  ["unknown_tool", ToolNotPlannableError],
  ["tool_not_plannable", ToolNotPlannableError],
  ["unknown_step", DanglingReferenceError],
  ["cycle", PlanCycleError],
  ["self_reference", PlanCycleError],
]);

const RANKS: readonly Family[] = [...new Set(FAMILIES.values())];

/**
 * The exception that a refused plan throws.
 *
 * @param diagnostics - All problems, in the order of the plan; at least one.
 * @param subjects - For each problem the arguments of its exception, where it has any.
 * @returns An error of the first problem's class, not thrown yet, carrying all diagnostics.
 */
export function errorFor(
  diagnostics: readonly Diagnostic[],
  subjects: readonly (readonly unknown[])[] = [],
): PlanError {
  const ranks = diagnostics.map(({ code }) => rank(code));
  const at = ranks.indexOf(Math.min(...new Set(ranks)));
  const first = diagnostics[at];
  if (first === undefined) throw new TypeError("an error needs at least one diagnostic");
  const more = diagnostics.length - 1;
  let message = `${first.path || "the plan"}: ${first.message}; ${first.hint}`;
  if (more > 0) message += ` (and ${more} more ${more === 1 ? "problem" : "problems"})`;
  return built(first, subjects[at] ?? [], { diagnostics, message });
}

function rank(code: Code): number {
  const family = FAMILIES.get(code);
  return family === undefined ? RANKS.length : RANKS.indexOf(family);
}

/** Where nobody says what an error is about, it still has its class and its attributes. */
function built(
  first: Diagnostic,
  subject: readonly unknown[],
  options: PlanErrorOptions,
): PlanError {
  const [one, two, three] = subject;
  switch (FAMILIES.get(first.code)) {
    case InvalidPlanShapeError:
      return new InvalidPlanShapeError(first.message, options);
    case StepLimitError:
      return new StepLimitError(number(one), number(two), options);
    case DuplicateStepError:
      return new DuplicateStepError(text(one), options);
    case ToolNotPlannableError:
      return new ToolNotPlannableError(text(one), text(two), texts(three), options);
    case DanglingReferenceError:
      return new DanglingReferenceError(text(one), text(two), field(three), options);
    case PlanCycleError:
      return new PlanCycleError(texts(one), options);
    default:
      return new PlanError(undefined, options);
  }
}

function number(subject: unknown): number {
  return typeof subject === "number" ? subject : 0;
}

function text(subject: unknown): string {
  return typeof subject === "string" ? subject : "";
}

function texts(subject: unknown): readonly string[] {
  return Array.isArray(subject) ? subject.map(text) : [];
}

function field(subject: unknown): DanglingField {
  return subject === "returns" || subject === "output" ? subject : "dependencies";
}

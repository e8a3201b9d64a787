/**
 * From an expression to a value, over the results of steps: one expression, no plan.
 *
 * The engine's own language is the profile. A host may bring another by a `Binder`, or open
 * the whole of the JSONata library with `new JsonataBinder({ allowEval: true })`; both go
 * without the profile's checks and limits.
 */

import jsonata from "jsonata";
import { EvalNotAllowedError, errorFor } from "./errors.js";
import { Context, compileTree, EvaluationError } from "./evaluate/index.js";
import { type Problem, parseExpression, Scope } from "./expressions/index.js";
import type { Code, Diagnostic, JsonValue } from "./models.js";
import {
  type IntegerMode,
  ingest,
  isObject,
  type Members,
  NOTHING,
  ValueFault,
} from "./values/index.js";

/** What an expression may read, by name. */
export type Environment = Readonly<Record<string, JsonValue>>;

/** Another language for `bind`, `when`, `for_each` and `output`. */
export interface Binder {
  /**
   * The value of an expression, or a promise of it; `undefined` if it matches nothing.
   *
   * @param expression - Its text, as the plan has it.
   * @param env - `steps` with the results that there are by step id, `input`, and in `bind` of
   *   a `for_each` step `item` and `index`. It is a copy.
   * @throws If it has no value; the error's message becomes part of the step's error.
   */
  bind(expression: string, env: Environment): unknown;
}

/** The list rule: nothing is `[]`, a list and null stay, all else is a list of one. */
export function listed(value: unknown): unknown[] | null {
  if (value === NOTHING) return [];
  return value === null || Array.isArray(value) ? value : [value];
}

/** What a `JsonataBinder` may do. */
export interface JsonataBinderOptions {
  /**
   * Evaluate by the JSONata library itself, with every function that it has, `$eval` among
   * them, and with none of the profile's checks, limits and promises.
   */
  readonly allowEval?: boolean | undefined;
}

/** JSONata: the engine's profile of it, or with `allowEval` all that the library has. */
export class JsonataBinder implements Binder {
  /** Whether the library itself evaluates. */
  readonly allowEval: boolean;

  /** @param options - What it may do. */
  constructor(options: JsonataBinderOptions = {}) {
    this.allowEval = options.allowEval ?? false;
  }

  /**
   * The value of one expression, null if it matches nothing; with `allowEval` a promise of it,
   * as the library gives one.
   *
   * @param expression - Its text.
   * @param env - `steps`, and if wanted `input`, `item` and `index`; or, without `steps`, any
   *   object whose members the expression reads by name.
   * @throws EvalNotAllowedError if it calls `$eval`.
   * @throws PlanError if it says something that the profile does not have, or if `env` has
   *   what is no JSON (`not_json_result`).
   * @throws EvaluationError if it failed.
   */
  bind(expression: string, env: Environment): JsonValue | Promise<JsonValue> {
    if (this.allowEval) return byLibrary(expression, env).then(nullForNothing);
    return nullForNothing(byProfile(expression, env));
  }

  /** As `bind`, with nothing told apart from null: it is `undefined`. */
  find(expression: string, env: Environment): unknown {
    return this.allowEval ? byLibrary(expression, env) : byProfile(expression, env);
  }
}

function nullForNothing(value: unknown): JsonValue {
  return value === NOTHING ? null : (value as JsonValue);
}

function byProfile(expression: string, env: Environment): unknown {
  const [context, scope] = contextOf(env);
  const [parsed, problems] = parseExpression(expression, scope);
  if (parsed === undefined || problems.length > 0) throw refusal(expression, problems);
  const program = compileTree(parsed.tree);
  try {
    return program.run(context);
  } catch (error) {
    if (error instanceof EvaluationError && error.code === "no_value") return NOTHING;
    throw error;
  }
}

/** What an expression reads, taken in as in a run: as copies, and only if it is JSON. */
function contextOf(env: Environment): [Context, Scope | undefined] {
  const steps = own(env, "steps");
  const given = own(env, "input");
  if (!isObject(steps)) return [Context.ofRoot(taken("env", { ...env })), undefined];
  const ids = Object.keys(taken("steps", fromNames(Object.keys(steps))) as Members);
  const item = taken("item", own(env, "item"));
  const results: Members = {};
  for (const name of ids) {
    const result = taken(`steps.${name}`, steps[name]);
    if (result !== NOTHING) results[name] = result;
  }
  const input = isObject(given) ? (taken("input", given, "portable") as Members) : {};
  const index = taken("index", own(env, "index"));
  const context = new Context(results, {
    input,
    item,
    ...(typeof index === "number" && { index }),
  });
  return [context, new Scope(ids, { hasItem: item !== NOTHING })];
}

function fromNames(names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function taken(name: string, value: unknown, integers: IntegerMode = "exact"): unknown {
  if (value === NOTHING) return value;
  try {
    return ingest(value, integers);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    const message = `${name}: ${error.message}`;
    throw errorFor([{ code: error.code, path: "", message, hint: "pass plain JSON values" }]);
  }
}

function own(env: Environment, name: string): unknown {
  return Object.hasOwn(env, name) ? env[name] : NOTHING;
}

function refusal(expression: string, problems: readonly Problem[]): Error {
  const diagnostics: Diagnostic[] = problems.map(({ code, message, hint }) => ({
    code: code as Code,
    path: "",
    message,
    hint,
  }));
  for (const { message, hint, position } of problems) {
    const rest = Array.from(expression).slice(position).join("");
    if (rest.startsWith("$eval")) {
      return new EvalNotAllowedError(`${message}; ${hint}`, { diagnostics });
    }
  }
  return errorFor(diagnostics);
}

/** What the JSONata library makes of an expression; it may change what it is given. */
async function byLibrary(expression: string, env: Environment): Promise<unknown> {
  return await jsonata(expression).evaluate({ ...env }, { ...env });
}

/**
 * The steps that an expression of the whole JSONata reads, off the library's own tree.
 *
 * @returns Their ids, each once; undefined if the text is no JSONata.
 */
export function referencesByLibrary(expression: string): readonly string[] | undefined {
  let root: unknown;
  try {
    root = jsonata(expression).ast();
  } catch {
    return undefined;
  }
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (!Array.isArray(node)) for (const id of readBy(node)) found.add(id);
    stack.push(...Object.values(node).reverse());
  }
  return [...found];
}

/** What is looked at of the library's nodes, which have no types of use. */
interface LibraryNode {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly steps?: readonly LibraryNode[];
  readonly procedure?: LibraryNode;
  readonly arguments?: readonly LibraryNode[];
}

/** The step that one path or look-up of the library's tree reads, if it names one. */
function readBy(node: LibraryNode): readonly string[] {
  if (node.type === "path") {
    const [first, ...rest] = node.steps ?? [];
    const fromRoot = first?.type === "variable" && (first.value === "" || first.value === "$");
    const [root, step] = fromRoot ? rest : [first, ...rest];
    const isSteps = root?.type === "name" || root?.type === "variable";
    if (isSteps && root.value === "steps" && step !== undefined) {
      return step.type === "name" && typeof step.value === "string" ? [step.value] : [];
    }
  }
  if (node.type === "function" && node.procedure?.value === "lookup") {
    const [where, what, more] = node.arguments ?? [];
    const last = where?.steps?.at(-1) ?? where;
    if (last?.value === "steps" && what?.type === "string" && more === undefined) {
      return typeof what.value === "string" ? [what.value] : [];
    }
  }
  return [];
}

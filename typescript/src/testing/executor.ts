/**
 * This engine as a process that speaks the protocol of the conformance suite.
 *
 *     node typescript/dist/testing/executor.js
 *
 * JSON Lines: a command a line in, its answer a line out, as `conformance/README.md` tells.
 * What a tool or a library prints goes to stderr, since stdout carries the protocol alone.
 */

import { realpathSync } from "node:fs";
import { argv, stdin, stdout, version } from "node:process";
import { pathToFileURL } from "node:url";
import { PlanError } from "../errors.js";
import { Context, compileTree, EvaluationError } from "../evaluate/index.js";
import { parseExpression, Scope } from "../expressions/index.js";
import { type Code, Policy } from "../models.js";
import { previewPlan } from "../preview.js";
import { renderForModel } from "../render.js";
import { checkPlan, type PlanGiven, parsePlan, validatePlan } from "../validate/index.js";
import { ingest, NOTHING, ValueFault } from "../values/index.js";
import { readJson, writeJson } from "./json-lines.js";
import { callRow } from "./recording.js";
import { type Rounds, type RunGiven, runRounds } from "./rounds.js";
import { type TaskCommand, tasksChecked, tasksExecuted } from "./task-commands.js";
import { StubTools } from "./tools.js";

/** The version of the protocol that this speaks. */
export const PROTOCOL = 1;

/** What a command may have, beside `cmd`, `seq` and what only one of them has. */
interface Command extends Omit<TaskCommand, keyof RunGiven>, RunGiven {
  readonly cmd: string;
  readonly seq: number;
  readonly protocol?: number;
  readonly expression: string;
  readonly steps?: Record<string, unknown>;
  readonly item?: unknown;
  readonly index?: number;
  readonly root?: unknown;
}

type Message = Record<string, unknown>;

/** Answer each command in turn until `stop` or the end of the input. */
export async function serve(
  commands: AsyncIterable<string>,
  write: (line: string) => unknown,
): Promise<void> {
  for await (const line of lines(commands)) {
    let command: Command | undefined;
    let text: string;
    try {
      command = readJson(line) as Command;
      if (command.cmd === "stop") return;
      text = writeJson(await answer(command));
    } catch (error) {
      text = JSON.stringify(errored(command, error));
    }
    write(`${text}\n`);
  }
}

/** Lines end with a line feed alone: other line ends may stand inside a JSON text. */
async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = "", ...others] = chunk.split("\n");
    rest.push(first);
    for (const part of others) {
      yield rest.join("");
      rest = [part];
    }
  }
  const last = rest.join("");
  if (last !== "") yield last;
}

/** The answer to one command; what the engine itself does wrong is thrown. */
export async function answer(command: Command): Promise<Message> {
  const { cmd, seq } = command;
  if (cmd === "start") return started(command.protocol);
  if (cmd === "evaluate") return { seq, ...evaluated(command) };
  if (cmd === "validate") return { seq, ...validated(command) };
  if (cmd === "run") return { seq, ...(await executed(command)) };
  if (cmd === "check_tasks") return { seq, ...tasksChecked(command) };
  if (cmd === "run_tasks") return { seq, ...(await tasksExecuted(command)) };
  throw new RangeError(`there is no command '${cmd}'`);
}

function started(protocol: number | undefined): Message {
  if (protocol !== PROTOCOL) {
    throw new RangeError(`protocol ${protocol} is not spoken here, only ${PROTOCOL}`);
  }
  const runtime = version.slice(1);
  return { protocol, engine: { name: "typescript", version: "0.1.0", runtime } };
}

function errored(command: Command | undefined, error: unknown): Message {
  const traceback = error instanceof Error ? (error.stack ?? "") : "";
  const told = { message: String(error), traceback };
  return { seq: command?.seq ?? null, errored: told };
}

function evaluated(command: Command): Message {
  const { expression: text, steps = {} } = command;
  const hasRoot = Object.hasOwn(command, "root");
  const hasItem = Object.hasOwn(command, "item");
  const scope = hasRoot ? undefined : new Scope(Object.keys(steps), { hasItem });
  const [expression, problems] = parseExpression(text, scope);
  const first = problems[0];
  if (first !== undefined) {
    const { code, message, hint } = first;
    return { refused: { code, path: "", message, hint } };
  }
  if (expression === undefined) throw new Error("no expression and no problem");
  const dependencies = [...expression.dependencies];
  try {
    const { value, steps: used } = compileTree(expression.tree).runCounted(contextOf(command));
    const seen = { dependencies, steps_used: used };
    if (value !== NOTHING) return { ...seen, value };
    return { ...seen, error: fault("no_value", "it matches nothing") };
  } catch (error) {
    if (error instanceof ValueFault) {
      return { dependencies, error: fault(error.code, error.message) };
    }
    if (!(error instanceof EvaluationError)) throw error;
    return { dependencies, error: fault(error.code, error.message, error.hint) };
  }
}

function contextOf(command: Command): Context {
  if (Object.hasOwn(command, "root")) return Context.ofRoot(ingest(command.root));
  const hasItem = Object.hasOwn(command, "item");
  return new Context(ingest(command.steps ?? {}) as Message, {
    input: ingest(command.input ?? {}) as Message,
    ...(hasItem && { item: ingest(command.item), index: command.index ?? 0 }),
  });
}

function fault(code: Code, message: string, hint = ""): Message {
  return { code, message, hint };
}

function validated(command: Command): Message {
  const plan = planOf(command);
  const host = {
    tools: command.tools && new StubTools(command.tools).infos,
    policy: Policy.parse(command.policy ?? {}),
    input: command.input,
  };
  const seen: Message = { diagnostics: validatePlan(plan, host) };
  try {
    const checked = checkPlan(plan, host);
    seen.levels = checked.levels;
    const of = checked.steps.map(({ step, dependencies }) => [step.id, dependencies] as const);
    seen.dependencies = Object.fromEntries(of);
    seen.repairs = checked.notes;
    seen.preview = previewPlan(checked);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
  }
  return seen;
}

async function executed(command: Command): Promise<Message> {
  let run: Rounds;
  try {
    run = await runRounds(command);
  } catch (error) {
    if (error instanceof PlanError) return { diagnostics: error.diagnostics };
    throw error;
  }
  const { tools, recorder, pauses, checkpoints, memory, result } = run;
  const calls = tools.calls.map((call) => ({ ...callRow(call), key: call.key }));
  const seen: Message = { calls, timeline: recorder.timeline };
  if (pauses.length > 0) Object.assign(seen, { pauses, checkpoints });
  if (memory !== undefined) seen.memory = memory;
  if (result === undefined) return { ...seen, [run.cancelled ? "cancelled" : "paused"]: true };
  const remembered = memory === undefined ? [] : result.ledger.map(({ id }) => id);
  const text = renderForModel(result, parsePlan(planOf(command)), { remembered });
  return { ...seen, result, model_text: text };
}

function planOf(command: Command): PlanGiven {
  return Object.hasOwn(command, "plan")
    ? (command.plan as PlanGiven)
    : (command.plan_text as string);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(argv[1])).href) {
  console.log = console.info = console.debug = console.error;
  stdin.setEncoding("utf8");
  await serve(stdin, (line) => stdout.write(line));
}

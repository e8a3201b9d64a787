/**
 * Tools made of data: what each answers, how long it takes and when it fails.
 *
 * Conformance cases and tests describe their tools this way, so that no language has a
 * fixture's logic. A tool is an object with one of these answers
 *
 *     {"returns": value}            the value
 *     {"echo": true}                the arguments
 *     {"fails": "message"}          a failure with this message
 *     {"by_args": [{"args": {...}, ...answer}, ...]}   by the arguments, compared as JSON
 *     {"cancels": true}             the tool cancels its own call
 *     {"not_json": "nan"}           no JSON: "nan", "infinity", or "object" (a value of the
 *                                   language itself)
 *
 * and, in a tool or in an entry of `by_args`, any of
 *
 *     "takes_ms": 100               virtual milliseconds, 0 unless given
 *     "fails_first": 2              the first attempts of each call fail, with the message of
 *                                   "fails" or "not yet"; only then the answer counts
 *     "edits_args": true            it empties its arguments, at every depth, when it answers
 *     "gate": true                  each attempt waits until `StubTools.answers` has its name
 *
 * and, in a tool, `"input_schema"`, `"output_schema"` and `"plannable"` for the checks.
 */

import { StepPaused, ToolDeniedError } from "../errors.js";
import type { StepInvoker } from "../executor/calls.js";
import { type Clock, SystemClock } from "../executor/clock.js";
import type { StepCall } from "../step-call.js";
import type { ToolInfoGiven } from "../validate/index.js";
import { isNumber } from "../values/index.js";

/** What a tool, or an entry of `by_args`, answers. */
export interface StubAnswer {
  readonly returns?: unknown;
  readonly echo?: boolean;
  readonly fails?: string;
  readonly cancels?: boolean;
  readonly not_json?: "nan" | "infinity" | "object";
  readonly takes_ms?: number;
  readonly fails_first?: number;
  readonly edits_args?: boolean;
  readonly gate?: boolean;
}

/** A tool made of data. */
export interface Stub extends StubAnswer {
  readonly by_args?: readonly (StubAnswer & { readonly args: unknown })[];
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly output_schema?: Readonly<Record<string, unknown>>;
  readonly plannable?: boolean;
}

/** A value of the language itself, its class named as Python names that of a bare value. */
class Bare {}
Object.defineProperty(Bare, "name", { value: "object" });

const NO_JSON: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["nan", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["object", new Bare()],
]);

/** A stub tool failed, as its data says. */
export class StubToolError extends Error {
  override readonly name = "StubToolError";
}

/** What an attempt with a gate is told: true lets it go on, a text denies it so. */
export type StubReply = boolean | string;

/** An invoker whose tools are data; it records every attempt. */
export class StubTools implements StepInvoker {
  /** Every attempt in the order they started, with the arguments as they came. */
  readonly calls: StepCall[] = [];
  /**
   * What attempts with a gate are told, by the name of the call: the step's id, and `[index]`
   * after it for an item's. Each lets one attempt go on, or denies it.
   */
  answers: Record<string, StubReply> = {};
  private readonly tools: ReadonlyMap<string, Stub>;
  private readonly clock: Clock;

  /**
   * @param tools - The tools by name.
   * @param options - `clock`: what they take their time by; the platform's own unless given.
   */
  constructor(
    tools: Readonly<Record<string, Stub>>,
    options: { readonly clock?: Clock | undefined } = {},
  ) {
    this.tools = new Map(Object.entries(tools));
    this.clock = options.clock ?? new SystemClock();
  }

  /** The tools as `checkPlan` and `executePlan` take them. */
  get infos(): Record<string, ToolInfoGiven> {
    const infos: Record<string, ToolInfoGiven> = {};
    for (const [name, { input_schema, output_schema, plannable }] of this.tools) {
      infos[name] = {
        ...(input_schema !== undefined && { input_schema }),
        ...(output_schema !== undefined && { output_schema }),
        ...(plannable !== undefined && { plannable }),
      };
    }
    return infos;
  }

  /**
   * Answer as the tool's data says, after the time it takes.
   *
   * @throws StubToolError if the tool fails, has no answer for these arguments, or is unknown.
   * @throws StepPaused if the attempt waits for an answer.
   * @throws ToolDeniedError if the answer denies it.
   */
  async invokeStep(call: StepCall): Promise<unknown> {
    this.calls.push({ ...call, args: structuredClone(call.args) });
    const answer = this.answer(call);
    if (answer.gate) {
      const told = this.told(call);
      if (told !== true) {
        // What ends an attempt comes by a timer, this too.
        await this.clock.sleep(0, call.signal);
        throw told === false ? new StepPaused() : new ToolDeniedError(call.tool, told);
      }
    }
    await this.clock.sleep((answer.takes_ms ?? 0) / 1000, call.signal);
    if (call.attempt <= (answer.fails_first ?? 0)) {
      throw new StubToolError(answer.fails ?? "not yet");
    }
    return give(answer, call.args);
  }

  /** What a call is told, once. */
  private told(call: StepCall): StubReply {
    const name = callName(call);
    const told = Object.hasOwn(this.answers, name) ? this.answers[name] : undefined;
    delete this.answers[name];
    return told ?? false;
  }

  private answer(call: StepCall): StubAnswer {
    const tool = this.tools.get(call.tool);
    if (tool === undefined) return { fails: `there is no stub tool '${call.tool}'` };
    if (tool.by_args === undefined) return tool;
    const entry = tool.by_args.find(({ args }) => sameJson(args, call.args));
    if (entry === undefined) return { fails: "no answer for these arguments" };
    return { ...tool, ...entry };
  }
}

/** What a call is called in answers and pauses: `pay`, or `mail[2]` for an item's. */
export function callName(call: StepCall): string {
  return call.index === null ? call.step_id : `${call.step_id}[${call.index}]`;
}

function give(answer: StubAnswer, args: unknown): unknown {
  const given: unknown = structuredClone(answer.echo ? args : answer.returns);
  if (answer.edits_args) empty(args);
  if (answer.cancels) throw new DOMException("the tool cancels its own call", "AbortError");
  if (answer.not_json !== undefined) return NO_JSON.get(answer.not_json);
  if (answer.echo !== undefined || answer.returns !== undefined) return given;
  throw new StubToolError(answer.fails ?? "the stub tool has no answer");
}

/** Take everything out of a list or an object, after doing so within it. */
function empty(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) empty(inner);
  if (Array.isArray(value)) value.length = 0;
  else for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}

/**
 * Whether two JSON values are equal: numbers by value, booleans never numbers.
 *
 * Objects are compared without order, lists with it.
 */
export function sameJson(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other)) {
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint is a number by its value.
    return one == other;
  }
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) {
    return one === other;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(
      ([key, member]) =>
        Object.hasOwn(other, key) && sameJson(member, (other as Record<string, unknown>)[key]),
    )
  );
}

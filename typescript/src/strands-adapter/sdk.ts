/**
 * The names of the SDK that it does not document for callers, all of them, in one place.
 *
 * A step has to be a tool call like any other. What the SDK offers callers for that,
 * `agent.tool.x.invoke()`, runs no hook, no intervention and no middleware: a tool that is
 * denied would run. So a step goes through the method that the SDK's own executors call for
 * each tool call, with the parts of the agent that they are given. `missingNames` says what a
 * version lacks of all this before any plan runs.
 */

import { trace } from "@opentelemetry/api";
import {
  AfterToolsEvent,
  Agent,
  BeforeToolCallEvent,
  type HookableEvent,
  type Interrupt,
  type InvocationState,
  type JSONValue,
  type LocalAgent,
  Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@strands-agents/sdk";
import { isObject } from "../values/index.js";

/** The tool by which a model gives structured output, registered while it has to. */
export const STRUCTURED_OUTPUT_TOOL = "strands_structured_output";

/** What one tool call does: events for the agent's hooks, and then the result. */
export type ToolCallEvents = AsyncGenerator<HookableEvent, ToolResultBlock, undefined>;

interface Executor {
  executeTool(
    options: Readonly<Record<string, unknown>>,
    use: ToolUseBlock,
    state: InvocationState,
  ): ToolCallEvents;
}

interface Internals {
  readonly toolExecutor: Executor;
  readonly _hooksRegistry: { invokeCallbacks(event: HookableEvent): Promise<unknown> };
  readonly _interventionRegistry: { readonly handlers: readonly { readonly name: string }[] };
  readonly _interruptState: { readonly interrupts: Record<string, Interrupt> };
  readonly _backgroundTasks?: object | undefined;
  readonly _middlewareRegistry: object;
  readonly _meter: object;
  readonly _tracer: { readonly _loopSpan?: unknown; readonly _traceState: object };
  /** Public on an agent, and not on the `LocalAgent` that plugins and tools are given. */
  initialize(): Promise<void>;
}

/**
 * The events of one tool call of an agent, with everything that belongs to one.
 *
 * Background tasks are left out of it: the result of a step is needed, not a receipt.
 *
 * @param agent - Whose tool, hooks, interventions and middleware.
 * @param use - The call.
 * @param state - The invocation state that they are given.
 * @param signal - Told to the tool when nobody waits for it any more.
 */
export function toolCall(
  agent: LocalAgent,
  use: ToolUseBlock,
  state: InvocationState,
  signal: AbortSignal,
): ToolCallEvents {
  const inner = internalsOf(agent);
  return inner.toolExecutor.executeTool(
    {
      agent,
      middlewareRegistry: inner._middlewareRegistry,
      tracer: tracerOf(inner),
      meter: inner._meter,
      cancelSignal: signal,
    },
    use,
    state,
  );
}

/** Tell an agent's hooks and interventions of an event. */
export async function runHooks(agent: LocalAgent, event: HookableEvent): Promise<void> {
  await internalsOf(agent)._hooksRegistry.invokeCallbacks(event);
}

/** The names of an agent's intervention handlers. */
export function interventionsOf(agent: LocalAgent): readonly string[] {
  return internalsOf(agent)._interventionRegistry.handlers.map((handler) => handler.name);
}

/** What is thrown where a person has to answer; the SDK does not export its class. */
export interface Interruption extends Error {
  /** What is asked. */
  readonly interrupts: readonly Interrupt[];
}

/** What was thrown, if that asks a person something. */
export function asInterruption(error: unknown): Interruption | undefined {
  const isOne = error instanceof Error && error.name === "InterruptError";
  return isOne && "interrupts" in error ? (error as Interruption) : undefined;
}

/**
 * What a tool throws to ask all of this at once.
 *
 * The agent is told of each interrupt as well: where several tools ask, the SDK takes them from
 * only one of them, and relies on the others to be known.
 *
 * @param agent - Whose tool it is.
 * @param asking - What was thrown, for one call each; one at least.
 */
export function together(agent: LocalAgent, asking: readonly Interruption[]): Error {
  const known = internalsOf(agent)._interruptState.interrupts;
  const asked = new Map<string, Interrupt>();
  for (const thrown of asking.flatMap(({ interrupts }) => interrupts)) {
    const interrupt = known[thrown.id] ?? thrown;
    asked.set(interrupt.id, interrupt);
    // They are told in the order of this list, which is to be that of the calls.
    delete known[interrupt.id];
    known[interrupt.id] = interrupt;
  }
  const [first] = asking;
  if (first === undefined) throw new Error("calls wait, and nothing is asked");
  const Thrown = first.constructor as new (interrupts: readonly Interrupt[]) => Error;
  return new Thrown([...asked.values()]);
}

/**
 * The answer of a person who is asked before a call is made.
 *
 * @param agent - Whose interrupt it is.
 * @param toolUse - The call; its id becomes part of the interrupt's.
 * @param reason - What the person reads.
 * @throws An `Interruption` if nobody has answered yet.
 */
export function answerBefore(
  agent: LocalAgent,
  toolUse: { readonly name: string; readonly toolUseId: string },
  reason: string,
): unknown {
  const asked = { ...toolUse, input: {} };
  const event = new BeforeToolCallEvent({
    agent,
    toolUse: asked,
    tool: undefined,
    invocationState: {},
  });
  return event.interrupt<JSONValue>({ name: toolUse.name, reason });
}

/** Let the agent forget what a step asked a person, so that it never waits for the answer. */
export function forgetInterrupt(agent: LocalAgent, id: string): void {
  delete internalsOf(agent)._interruptState.interrupts[id];
}

/** Let the agent forget what steps of a plan asked that nobody has answered. */
export function forgetUnanswered(agent: LocalAgent, calls: string): void {
  const { interrupts } = internalsOf(agent)._interruptState;
  for (const { id, response } of Object.values(interrupts)) {
    if (response === undefined && isOfPlan(id, calls)) forgetInterrupt(agent, id);
  }
}

/** Whether steps of a plan have asked something, in an agent that waits or is being resumed. */
export function hasAsked(agent: LocalAgent, calls: string): boolean {
  const { interrupts } = internalsOf(agent)._interruptState;
  return isInterrupted(agent) && Object.keys(interrupts).some((id) => isOfPlan(id, calls));
}

/**
 * Whether an interrupt is that of a step of a plan.
 *
 * Its id is `tool:`, `hook:beforeToolCall:` or `middleware:executeTool:`, then the tool use id
 * of the call.
 */
function isOfPlan(id: string, calls: string): boolean {
  return id.replace(/^(?:tool|\w+:\w+):/, "").startsWith(`${calls}__`);
}

/**
 * Whether an agent waits for answers, or is being resumed with some.
 *
 * Where an error or a listener that leaves keeps the SDK from stopping for an interrupt, it waits
 * for nobody and makes the calls of the batch again all the same, whatever it is invoked with.
 */
export function isInterrupted(agent: LocalAgent): boolean {
  const { activated, pendingToolExecution: pending } = interruptsOf(agent);
  return activated === true || isObject(pending);
}

/**
 * The ids of the calls of an interrupted batch that are answered, and which the SDK does not
 * make again when it goes on with the batch.
 */
export function answeredCalls(agent: LocalAgent): ReadonlySet<string> {
  const { pendingToolExecution: pending } = interruptsOf(agent);
  const results = isObject(pending) ? pending.completedToolResults : undefined;
  return new Set(isObject(results) ? Object.keys(results) : []);
}

function interruptsOf(agent: LocalAgent): Readonly<Record<string, unknown>> {
  const { interrupts } = agent.takeSnapshot({ include: ["interrupts"] }).data;
  return isObject(interrupts) ? interrupts : {};
}

/**
 * Whether a call is one that its agent's loop waits for.
 *
 * In the background a call is stopped by another signal than the agent's.
 */
export function isAwaited(agent: LocalAgent, signal: AbortSignal): boolean {
  return internalsOf(agent)._backgroundTasks === undefined || signal === agent.cancelSignal;
}

/** Have an agent set up its plugins, as it does before its first invocation. */
export async function initialized(agent: LocalAgent): Promise<void> {
  await internalsOf(agent).initialize();
}

/**
 * Whether an agent is of the copy of the SDK that this package imports.
 *
 * Where two copies are loaded, each has its own classes: hooks on events of the one are never
 * called by an agent of the other, and nothing says so.
 */
export function isOfThisCopy(agent: LocalAgent): boolean {
  return agent instanceof Agent;
}

/** What the installed SDK lacks of the names that plans need. */
export function missingNames(agent: LocalAgent): readonly string[] {
  const inner: Partial<Internals> = internalsOf(agent);
  const message = new Message({ role: "user", content: [] });
  const found: Readonly<Record<string, boolean>> = {
    "agent.toolExecutor.executeTool": isFunction(inner.toolExecutor?.executeTool),
    "agent._hooksRegistry.invokeCallbacks": isFunction(inner._hooksRegistry?.invokeCallbacks),
    "the handlers of agent._interventionRegistry": Array.isArray(
      inner._interventionRegistry?.handlers,
    ),
    "the interrupts of agent._interruptState": isObject(inner._interruptState?.interrupts),
    "agent._backgroundTasks": "_backgroundTasks" in inner,
    "agent._middlewareRegistry": isObject(inner._middlewareRegistry),
    "agent._meter": isObject(inner._meter),
    "the trace state of agent._tracer": isObject(inner._tracer?._traceState),
    "agent.initialize": isFunction(inner.initialize),
    "agent.cancelSignal": agent.cancelSignal instanceof AbortSignal,
    "agent.takeSnapshot": isFunction(agent.takeSnapshot),
    "agent.addMiddleware": isFunction(agent.addMiddleware),
    "AfterToolsEvent.endTurn":
      "endTurn" in new AfterToolsEvent({ agent, message, invocationState: {} }),
  };
  return Object.keys(found).filter((name) => !found[name]);
}

/**
 * The agent's tracer as one call may have it.
 *
 * Calls at one time would each overwrite what the tracer notes of the current tool; and their
 * spans belong under that of the plan, not beside it.
 */
function tracerOf({ _tracer: tracer }: Internals): object {
  return Object.assign(Object.create(tracer), {
    _loopSpan: trace.getActiveSpan() ?? tracer._loopSpan,
    _traceState: { ...tracer._traceState },
  });
}

function internalsOf(agent: LocalAgent): Internals {
  return agent as unknown as Internals;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

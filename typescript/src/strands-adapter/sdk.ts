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
  type HookableEvent,
  type InvocationState,
  type LocalAgent,
  Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@strands-agents/sdk";

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
  readonly _interruptState: { readonly interrupts: Record<string, unknown> };
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

/** Let the agent forget what a step asked a person, so that it never waits for the answer. */
export function forgetInterrupt(agent: LocalAgent, id: string): void {
  delete internalsOf(agent)._interruptState.interrupts[id];
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

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

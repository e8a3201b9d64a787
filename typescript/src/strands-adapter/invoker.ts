/**
 * One step of a plan as one tool call of an agent, with everything that belongs to one.
 *
 * A call goes through the agent's own tool executor, so hooks, interventions, middleware,
 * telemetry and the tool's context are those of any other call.
 */

import {
  BeforeToolCallEvent,
  type HookableEvent,
  type InvocationState,
  type JSONValue,
  type LocalAgent,
  type Tool,
  type ToolResultBlock,
  ToolStreamUpdateEvent,
  ToolUseBlock,
} from "@strands-agents/sdk";
import { StepPaused, ToolDeniedError, ToolExecutionError } from "../errors.js";
import type { StepCall, StepInvoker } from "../executor/index.js";
import type { JsonValue } from "../models.js";
import { unlessStopped } from "../signals.js";
import { isObject } from "../values/index.js";
import { batchOf, resultForPlan, type Seen } from "./batch.js";
import { Blocks } from "./blocks.js";
import { findTool } from "./registry.js";
import { errorText, unwrapToolResult } from "./results.js";
import {
  asInterruption,
  forgetInterrupt,
  type Interruption,
  isInterrupted,
  runHooks,
  type ToolCallEvents,
  together,
  toolCall,
} from "./sdk.js";
import { returnedSchema } from "./shapes.js";
import { HookRaised, Stop } from "./stopping.js";

/** What a step's tool streamed, with the call that it belongs to. */
export interface StepStreamed {
  /** The call of the step; its `toolUseId` is made of the plan's and the step's id. */
  readonly toolUse: { readonly name: string; readonly toolUseId: string };
  /** What the tool streamed. */
  readonly data: unknown;
}

/** What an invoker is given beside its agent. */
export interface InvokerOptions {
  /** What the ids of the calls begin with: the id of the plan's own call. */
  readonly toolUseId?: string | undefined;
  /** Names the run in keys and events; the `toolUseId` unless given. */
  readonly runId?: string | undefined;
  /**
   * The state that hooks and tools are given; what they change in it the caller sees.
   */
  readonly invocationState?: InvocationState | undefined;
  /** Is given what the calls stream; without it the agent's hooks are told. */
  readonly emit?: ((streamed: StepStreamed) => void) | undefined;
  /** Stops the run that the calls belong to. */
  readonly stop?: Stop | undefined;
  /**
   * Whether a call that needs a person's answer may wait for it; if not, it fails.
   */
  readonly canPause?: boolean | undefined;
}

/** Calls an agent's tools, by name or as the steps of one plan run. */
export class AgentToolInvoker implements StepInvoker {
  /** The invocation state. */
  readonly state: InvocationState;
  /** What the ids of the calls begin with. */
  readonly toolUseId: string;
  /** Names the run in keys and events. */
  readonly runId: string;
  /** What the results held that is not JSON. */
  readonly blocks: Blocks;
  private readonly emit: InvokerOptions["emit"];
  private readonly stop: Stop;
  private readonly canPause: boolean;
  /** What a call that waits has asked, by its tool use id. */
  private readonly asked = new Map<string, Interruption>();

  /**
   * @param agent - The agent whose tools are called.
   * @param options - See `InvokerOptions`.
   */
  constructor(
    readonly agent: LocalAgent,
    options: InvokerOptions = {},
  ) {
    this.state = options.invocationState ?? {};
    this.toolUseId = options.toolUseId ?? `plan_${someId()}`;
    this.runId = options.runId ?? this.toolUseId;
    this.emit = options.emit;
    this.stop = options.stop ?? new Stop(agent.cancelSignal);
    this.canPause = options.canPause ?? false;
    this.blocks = new Blocks(this.canPause);
  }

  /**
   * Aborted when the run has to end: the agent was cancelled, or a hook threw. Who runs a plan
   * with `executePlan` and this invoker passes it on as `signal`.
   */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /**
   * Call one tool.
   *
   * @returns What it returned, as plain JSON.
   * @throws ToolExecutionError if the tool failed, was denied, or waits for a person's answer.
   * @throws What a hook of the user's threw.
   */
  async invoke(name: string, args: Readonly<Record<string, JsonValue>>): Promise<JsonValue> {
    try {
      return await this.call(name, args, `${this.toolUseId}__${someId()}`, this.signal);
    } catch (error) {
      throw error instanceof HookRaised ? error.error : error;
    }
  }

  /** Carry out one attempt of one step; see `StepInvoker`. */
  async invokeStep(call: StepCall): Promise<JsonValue> {
    try {
      return await this.call(call.tool, call.args, this.useId(call), call.signal);
    } catch (error) {
      // The engine takes whatever is thrown for a tool's failure, and would go on.
      if (error instanceof HookRaised) this.stop.now(error);
      throw error;
    }
  }

  /** What a tool throws to ask all that calls which wait have asked; one at least has. */
  asking(waiting: readonly StepCall[]): Error {
    const asked = waiting.flatMap((call) => this.asked.get(this.useId(call)) ?? []);
    return together(this.agent, asked);
  }

  private useId({ step_id, index, attempt }: StepCall): string {
    const item = index === null ? "" : `-${index}`;
    return `${this.toolUseId}__${step_id}${item}${attempt === 1 ? "" : `-try${attempt}`}`;
  }

  private async call(
    name: string,
    args: Readonly<Record<string, JsonValue>>,
    toolUseId: string,
    signal: AbortSignal,
  ): Promise<JsonValue> {
    const tool = findTool(this.agent, name);
    const input: Record<string, JSONValue> = {};
    for (const [key, value] of Object.entries(args)) {
      input[key] = this.argument(tool, key, value);
    }
    const batch = batchOf(this.agent);
    const worker = workerOf(tool);
    const endTurn = worker === undefined ? undefined : await batch.turnOf(worker);
    if (signal.aborted) {
      endTurn?.();
      throw new ToolExecutionError(name, "not called: the agent is being cancelled");
    }
    const seen: Seen = {};
    batch.seen.set(toolUseId, seen);
    let result: ToolResultBlock;
    try {
      const use = new ToolUseBlock({ name, toolUseId, input });
      result = await this.execute(use, signal, endTurn);
    } finally {
      batch.seen.delete(toolUseId);
    }
    return unwrapToolResult(name, resultForPlan(result, seen), {
      outputSchema: tool === undefined ? undefined : returnedSchema(tool),
      blocks: this.blocks,
    });
  }

  private async execute(
    use: ToolUseBlock,
    signal: AbortSignal,
    closed: (() => void) | undefined,
  ): Promise<ToolResultBlock> {
    const events = toolCall(this.agent, use, this.state, signal);
    let isDenied = false;
    let pending = events.next();
    try {
      let next = await unlessStopped(pending, signal);
      while (!next.done) {
        await this.tell(next.value, use);
        if (next.value instanceof BeforeToolCallEvent) isDenied = Boolean(next.value.cancel);
        pending = events.next();
        next = await unlessStopped(pending, signal);
      }
      const { status, content } = next.value;
      if (!isDenied || status !== "error") return next.value;
      throw new ToolDeniedError(use.name, errorText(content));
    } catch (error) {
      const asking = asInterruption(error);
      // Nobody is asked for a call that was to stop meanwhile.
      if (signal.aborted && !isInterrupted(this.agent)) this.forget(asking);
      const isSettled = error instanceof HookRaised || error instanceof ToolDeniedError;
      if (isSettled || signal.aborted) throw error;
      if (asking === undefined) throw new ToolExecutionError(use.name, messageOf(error));
      throw this.waits(use, asking);
    } finally {
      // A tool that does not look at its signal ends when it will: nobody waits for it, and
      // what would have followed does not come. Only an agent has to come to its end, which it
      // does soon: left in the middle of a call it would refuse every later one.
      const left = closed === undefined ? undefined : ended(events, pending);
      (left ?? events.return(undefined as never)).then(closed, closed);
    }
  }

  /** How a call ends that has asked a person. */
  private waits(use: ToolUseBlock, asking: Interruption): Error {
    if (this.canPause) {
      this.asked.set(use.toolUseId, asking);
      return new StepPaused();
    }
    this.forget(asking);
    return new ToolExecutionError(use.name, unanswered(asking));
  }

  private forget(asking: Interruption | undefined): void {
    for (const { id } of asking?.interrupts ?? []) forgetInterrupt(this.agent, id);
  }

  /** Tell of an event where it is to be heard. */
  private async tell(event: HookableEvent, use: ToolUseBlock): Promise<void> {
    if (event instanceof ToolStreamUpdateEvent && this.emit !== undefined) {
      const { name, toolUseId } = use;
      this.emit({ toolUse: { name, toolUseId }, data: event.event.data });
      return;
    }
    try {
      await runHooks(this.agent, event);
    } catch (error) {
      throw asInterruption(error) === undefined ? new HookRaised(error) : error;
    }
  }

  /** An argument as the tool is to have it: media as blocks, JSON texts as they were. */
  private argument(tool: Tool | undefined, name: string, value: JsonValue): JSONValue {
    const text = this.blocks.textOf(value);
    if (text !== undefined && tool !== undefined && takesText(tool, name)) return text;
    return this.blocks.expand(value) as JSONValue;
  }
}

/** The agent behind a tool that is one: such a tool takes one call at a time. */
function workerOf(tool: Tool | undefined): object | undefined {
  if (tool === undefined || !("delegate" in tool) || !("agent" in tool)) return undefined;
  const { agent } = tool;
  return typeof agent === "object" && agent !== null ? agent : undefined;
}

/** Wait for the end of a tool that has been told to stop; no tool is begun for that. */
async function ended(
  events: ToolCallEvents,
  pending: ReturnType<ToolCallEvents["next"]>,
): Promise<void> {
  let next = await pending;
  while (!next.done && !(next.value instanceof BeforeToolCallEvent)) next = await events.next();
  await events.return(undefined as never);
}

function takesText(tool: Tool, name: string): boolean {
  const properties = tool.toolSpec.inputSchema?.properties;
  const argument =
    properties !== undefined && Object.hasOwn(properties, name) && properties[name];
  return isObject(argument) && argument.type === "string";
}

function someId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 12);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function unanswered({ interrupts }: Interruption): string {
  const names = interrupts.map(({ name }) => `'${name}'`).join(", ");
  return (
    `it needs a person's answer (${names}), and a plan cannot wait for one. ` +
    "Call this tool by itself, outside of a plan."
  );
}

/** The one tool that the plugin adds: a plan comes in, what it asked for goes back. */

import {
  type ExecuteToolContext,
  type ExecuteToolStage,
  type JSONValue,
  type LocalAgent,
  type MiddlewareHandlerOf,
  TextBlock,
  Tool,
  type ToolContext,
  ToolResultBlock,
  type ToolResultContent,
  type ToolSpec,
  ToolStreamEvent,
  type ToolStreamGenerator,
} from "@strands-agents/sdk";
import { PlanError } from "../errors.js";
import type { OnEvent } from "../events.js";
import type { PlanResult, WorkflowPlan } from "../models.js";
import { closingMessage, renderDiagnostics, renderForModel } from "../render.js";
import { batchOf, Ending } from "./batch.js";
import { AgentToolInvoker } from "./invoker.js";
import { namesOf } from "./naming.js";
import { STRUCTURED_OUTPUT_TOOL } from "./sdk.js";
import { TOOL_NAME } from "./spec.js";
import { HookRaised, Stop } from "./stopping.js";

/** How a plan went, with the plan as it was read. */
export interface Ran {
  readonly result: PlanResult;
  readonly plan: WorkflowPlan;
}

/** Checks and runs a plan. */
export type RunPlan = (
  plan: JSONValue,
  invoker: AgentToolInvoker,
  stop: Stop,
  onEvent: OnEvent,
) => Promise<Ran>;

/** The tool `submit_workflow_plan` of one agent. */
export class PlanTool extends Tool {
  readonly name = TOOL_NAME;

  /**
   * @param agent - The agent, whose tools plans call.
   * @param toolSpec - What the model is given.
   * @param run - Checks and runs a plan.
   * @param honorFinal - Whether a plan may end the agent's turn.
   */
  constructor(
    private readonly agent: LocalAgent,
    readonly toolSpec: ToolSpec,
    private readonly run: RunPlan,
    private readonly honorFinal: boolean,
  ) {
    super();
  }

  /** What the tool is for. */
  get description(): string {
    return this.toolSpec.description;
  }

  /**
   * Run the plan that is the tool's input.
   *
   * It yields what the steps' tools stream, each as a `StepStreamed`, and then
   * `{ plan_result }`: the whole result, ledger and all, as plain JSON.
   */
  override stream(context: ToolContext): ToolStreamGenerator {
    // Called by a program: in no batch, so that it ends no turn.
    return this.answer(context, new Ending(context.toolUse.toolUseId), context.cancelSignal);
  }

  /**
   * The tool for one call of the agent's loop.
   *
   * @param left - Aborted when nobody listens to the call any more.
   */
  within(left: AbortSignal): Tool {
    return new PlanCall(this, (context) => {
      const { toolUseId } = context.toolUse;
      const signal = AbortSignal.any([context.cancelSignal, left]);
      return this.answer(context, new Ending(toolUseId), signal, true);
    });
  }

  private async *answer(
    context: ToolContext,
    ending: Ending,
    signal: AbortSignal,
    isOfBatch = false,
  ): ToolStreamGenerator {
    const { agent } = this;
    const { planId } = ending;
    const batch = batchOf(agent);
    const names = namesOf(agent, planId, batch);
    if (isOfBatch) batch.endings.set(names.run, ending);
    // A caller who wants structured output has to get it.
    const mayEnd =
      this.honorFinal && agent.toolRegistry.get(STRUCTURED_OUTPUT_TOOL) === undefined;
    const streamed = new Queue<unknown>();
    const stop = new Stop(signal);
    const invoker = new AgentToolInvoker(agent, {
      toolUseId: names.calls,
      runId: names.run,
      invocationState: context.invocationState,
      emit: (data) => streamed.put(data),
      stop,
    });
    const done: string[] = [];
    try {
      const running = this.run(context.toolUse.input, invoker, stop, noting(done));
      running.then(
        () => streamed.end(),
        () => streamed.end(),
      );
      for await (const data of streamed) yield new ToolStreamEvent({ data });
      const { result, plan } = await running;
      const media = invoker.blocks.within([result.output, ...Object.values(result.returned)]);
      ending.told = renderForModel(result, plan);
      // No user can read a reference to media.
      if (mayEnd && result.ends_turn && media.length === 0) {
        ending.closing = closingMessage(result, plan);
      }
      yield new ToolStreamEvent({ data: { plan_result: structuredClone(result) } });
      return answered(planId, result, ending.told, media as readonly ToolResultContent[]);
    } catch (error) {
      if (error instanceof HookRaised) {
        // What is thrown here would only become this tool's error result.
        ending.raised = { error: error.error };
        return failed(planId, `a hook stopped the plan: ${error.message}`);
      }
      if (error instanceof PlanError) return failed(planId, describePlanFailure(error));
      if (signal.aborted) return failed(planId, cancelled(done));
      throw error;
    } finally {
      ending.isOver = true;
      stop.now(new Error("nobody listens any more"));
      stop.done();
    }
  }
}

/** The plan tool as one call of it has it. */
class PlanCall extends Tool {
  readonly name: string;
  readonly description: string;
  readonly toolSpec: ToolSpec;

  constructor(
    of: Tool,
    private readonly answer: (context: ToolContext) => ToolStreamGenerator,
  ) {
    super();
    this.name = of.name;
    this.description = of.description;
    this.toolSpec = of.toolSpec;
  }

  override stream(context: ToolContext): ToolStreamGenerator {
    return this.answer(context);
  }
}

/**
 * A middleware that stops a plan when nobody listens to it any more.
 *
 * The SDK closes what it runs a tool with, and never the tool itself.
 */
export function stoppingPlans(tool: PlanTool): MiddlewareHandlerOf<typeof ExecuteToolStage> {
  return async function* stopping(context: ExecuteToolContext, next) {
    if (context.tool !== tool) return yield* next(context);
    const left = new AbortController();
    try {
      return yield* next({ ...context, tool: tool.within(left.signal) });
    } finally {
      left.abort();
    }
  };
}

/** What a model is told of a plan that did not run. */
export function describePlanFailure(error: PlanError): string {
  if (error.diagnostics.length > 0) return renderDiagnostics(error.diagnostics);
  return `The plan was refused and nothing ran: ${error.message}. Call the tools directly.`;
}

/** What comes, in order, for one who waits for it. */
class Queue<T> implements AsyncIterable<T> {
  private readonly waiting: T[] = [];
  private over = false;
  private wake: () => void = () => undefined;

  put(item: T): void {
    this.waiting.push(item);
    this.wake();
  }

  end(): void {
    this.over = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      yield* this.waiting.splice(0);
      if (this.waiting.length > 0) continue;
      if (this.over) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

function noting(done: string[]): OnEvent {
  return (event) => {
    if (event.kind === "ok" && event.index === null) done.push(event.step_id);
  };
}

function answered(
  planId: string,
  result: PlanResult,
  text: string,
  media: readonly ToolResultContent[],
): ToolResultBlock {
  const nothing = !result.has_output && Object.keys(result.returned).length === 0;
  const bad = result.ledger.some(({ status }) => status === "failed" || status === "skipped");
  return new ToolResultBlock({
    toolUseId: planId,
    status: nothing && bad ? "error" : "success",
    // A reference tells a model nothing of an image: the image itself goes beside it.
    content: [new TextBlock(text), ...media],
  });
}

function failed(planId: string, text: string): ToolResultBlock {
  return new ToolResultBlock({
    toolUseId: planId,
    status: "error",
    content: [new TextBlock(text)],
  });
}

function cancelled(done: readonly string[]): string {
  if (done.length === 0) return "The plan was cancelled. No step had ended.";
  return `The plan was cancelled. Ran ok, do not repeat: ${done.join(", ")}`;
}

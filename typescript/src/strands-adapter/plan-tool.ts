/** The one tool that the plugin adds: a plan comes in, what it asked for goes back. */

import {
  type ExecuteToolContext,
  type ExecuteToolStage,
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
import { PlanError, PlanPaused } from "../errors.js";
import { closingMessage, renderDiagnostics, renderForModel } from "../render.js";
import { type Approve, asking, nobodyToAsk, PlanNotApproved } from "./approval.js";
import { batchOf, Ending } from "./batch.js";
import { AgentToolInvoker } from "./invoker.js";
import { type Names, namesOf } from "./naming.js";
import { ranOk, Told } from "./pauses.js";
import { PlanChanged, type Ran, type RunPlan } from "./plan-run.js";
import { Queue } from "./queue.js";
import { asInterruption, isAwaited, STRUCTURED_OUTPUT_TOOL } from "./sdk.js";
import { TOOL_NAME } from "./spec.js";
import { Stay } from "./stay.js";
import { HookRaised, Stop } from "./stopping.js";
import type { Turns } from "./turn.js";

const CHANGED =
  "The plan was waiting for an answer and has been changed since, so the answer is not for it. " +
  "It does not go on.";

/** What a host says of the plans of an agent. */
export interface PlanToolOptions {
  /** Whether a plan may end the agent's turn. */
  readonly honorFinal: boolean;
  /** Whether a plan may wait for a person. */
  readonly canPause: boolean;
  /** Whether a plan has to be approved before anything of it runs. */
  readonly hasApproval: boolean;
}

/** The tool `submit_workflow_plan` of one agent. */
export class PlanTool extends Tool {
  readonly name = TOOL_NAME;

  /**
   * @param agent - The agent, whose tools plans call.
   * @param toolSpec - What the model is given.
   * @param run - Checks and runs a plan.
   * @param turns - The turns that the agent and its copies are in.
   * @param options - What the host says.
   */
  constructor(
    private readonly agent: LocalAgent,
    readonly toolSpec: ToolSpec,
    private readonly run: RunPlan,
    private readonly turns: Turns,
    private readonly options: PlanToolOptions,
  ) {
    super();
  }

  /** What the tool is for. */
  get description(): string {
    return this.toolSpec.description;
  }

  /**
   * Run the plan that is the tool's input, or go on with it after an interrupt.
   *
   * It yields what the steps' tools stream, each as a `StepStreamed`, and then
   * `{ plan_result }`: the whole result, ledger and all, as plain JSON. Where the plan has to
   * wait for a person it throws one interrupt error with everything that is asked.
   */
  override stream(context: ToolContext): ToolStreamGenerator {
    // Called by a program: in no batch, so that it ends no turn.
    const ending = new Ending(context.toolUse.toolUseId);
    return this.answer(context, ending, context.cancelSignal, undefined);
  }

  /**
   * The tool for one call of the agent's loop.
   *
   * @param left - Aborted when nobody listens to the call any more.
   * @param isAwaited - Whether the loop waits for it, as it does but in the background.
   */
  within(left: AbortSignal, isAwaited: boolean): Tool {
    return new PlanCall(this, (context) => {
      const ending = new Ending(context.toolUse.toolUseId);
      const signal = AbortSignal.any([context.cancelSignal, left]);
      return this.answer(context, ending, signal, { isAwaited });
    });
  }

  private async *answer(
    context: ToolContext,
    ending: Ending,
    signal: AbortSignal,
    ofBatch: { readonly isAwaited: boolean } | undefined,
  ): ToolStreamGenerator {
    const agent = context.agent ?? this.agent;
    const { planId } = ending;
    const batch = batchOf(agent);
    const names = namesOf(agent, planId, batch);
    ending.calls = names.calls;
    if (ofBatch !== undefined) batch.endings.set(names.run, ending);
    // Nobody waits for a call in the background, nor can one that the host makes be made again.
    const turn = ofBatch?.isAwaited ? this.turns.of(agent) : undefined;
    const stay = new Stay(agent, names, turn, this.options.canPause);
    const { canPause } = stay;
    if (stay.told !== undefined) {
      ending.isOver = true;
      return answered(planId, stay.told);
    }
    const streamed = new Queue<unknown>();
    const stop = new Stop(signal);
    const invoker = new AgentToolInvoker(agent, {
      toolUseId: names.calls,
      runId: names.run,
      invocationState: context.invocationState,
      emit: (data) => streamed.put(data),
      stop,
      canPause,
    });
    try {
      stay.enter(stop);
      const approve = this.approval(agent, names, canPause);
      const running = this.run(stay.runOf(context.toolUse.input, invoker, approve));
      running.then(
        () => streamed.end(),
        () => streamed.end(),
      );
      for await (const data of streamed) yield new ToolStreamEvent({ data });
      const ran = await running;
      const told = stay.finish(
        ran.result,
        invoker,
        this.told(agent, ran, invoker, stay, ending),
      );
      yield new ToolStreamEvent({ data: { plan_result: structuredClone(ran.result) } });
      return answered(planId, told);
    } catch (error) {
      if (error instanceof HookRaised) {
        // What is thrown here would only become this tool's error result.
        ending.raised = { error: error.error };
        return answered(planId, stay.break(`a hook stopped the plan: ${error.message}`));
      }
      if (error instanceof PlanPaused && !signal.aborted) throw stay.pause(error, invoker);
      if (asInterruption(error) !== undefined) {
        stay.ask();
        throw error;
      }
      if (error instanceof PlanNotApproved) {
        return answered(
          planId,
          stay.refuse(() => error.message),
        );
      }
      if (error instanceof PlanError) {
        return answered(
          planId,
          stay.refuse((done) => refused(error, done)),
        );
      }
      if (signal.aborted) return answered(planId, stay.cancel());
      if (error instanceof PlanChanged) return answered(planId, stay.fail(CHANGED));
      // As Strands tells it, and what has run.
      const thrown = error instanceof Error ? error : new Error(String(error));
      return answered(planId, stay.fail(`Error: ${thrown.message}`), thrown);
    } finally {
      ending.isOver = true;
      stay.leave();
      stop.now(new Error("nobody listens any more"));
      stop.done();
    }
  }

  /** What the plan has to be approved by, if anything. */
  private approval(
    agent: LocalAgent,
    { calls }: Names,
    canPause: boolean,
  ): Approve | undefined {
    if (!this.options.hasApproval) return undefined;
    return canPause ? asking(agent, calls) : nobodyToAsk;
  }

  /** What the model is told of a plan that has run, and what may end the turn. */
  private told(
    agent: LocalAgent,
    { result, plan }: Ran,
    invoker: AgentToolInvoker,
    stay: Stay,
    ending: Ending,
  ): Told {
    // A caller who wants structured output has to get it.
    const mayEnd =
      this.options.honorFinal && agent.toolRegistry.get(STRUCTURED_OUTPUT_TOOL) === undefined;
    const media = invoker.blocks.within([result.output, ...Object.values(result.returned)]);
    const text = renderForModel(result, plan, { remembered: stay.kept(result) });
    ending.told = text;
    // No user can read a reference to media.
    if (mayEnd && result.ends_turn && media.length === 0) {
      ending.closing = closingMessage(result, plan);
    }
    const nothing = !result.has_output && Object.keys(result.returned).length === 0;
    const bad = result.ledger.some(({ status }) => status === "failed" || status === "skipped");
    // A reference tells a model nothing of an image: the image itself goes beside it.
    const content = [new TextBlock(text), ...(media as readonly ToolResultContent[])];
    return new Told(nothing && bad ? "error" : "success", content);
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
    const awaited = isAwaited(context.agent, context.cancelSignal);
    try {
      return yield* next({ ...context, tool: tool.within(left.signal, awaited) });
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

function refused(error: PlanError, done: readonly string[]): string {
  const text = describePlanFailure(error);
  if (done.length === 0) return text;
  // The tools have changed while it waited.
  const head =
    "The plan was refused and does not go on. Make every edit below and submit it again.";
  const end = text.indexOf("\n");
  const problems = end === -1 ? "" : text.slice(end + 1);
  return `${head}\n${problems}\n${ranOk(done)}`;
}

function answered(
  toolUseId: string,
  { status, content }: Told,
  error?: Error,
): ToolResultBlock {
  return new ToolResultBlock({
    toolUseId,
    status,
    content: [...content],
    ...(error !== undefined && { error }),
  });
}

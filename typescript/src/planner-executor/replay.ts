/**
 * A stored run as a fixture: its agents say again what they said, and nothing is called.
 *
 * Models answer with the recorded messages and tools with the recorded results, so that the
 * code around a run can be tested without a network, and costs and limits tried out.
 */

import {
  Agent,
  type BaseModelConfig,
  Message,
  type MessageData,
  Model,
  type ModelStreamEvent,
  type StopReason,
  Tool as StrandsTool,
  TextBlock,
  type ToolContext,
  ToolResultBlock,
  type ToolSpec,
} from "@strands-agents/sdk";
import { z } from "zod";
import { isObject } from "../values/index.js";
import { ANY_STEP, type Source, STRUCTURED_OUTPUT } from "./agents.js";
import { ROOT } from "./conduct.js";
import {
  type AgentRun,
  type Answer,
  type Run,
  restored,
  runSchema,
  type Tool,
} from "./record.js";
import { PlannerExecutor, type WorkOptions } from "./run.js";

/**
 * A `PlannerExecutor` that does offline what a stored run did.
 *
 * @param run - The record, as it is, as plain JSON or as its text.
 * @param options - Those of `PlannerExecutor`, beside who does the work; `answerType` as in
 *   the run.
 * @throws ZodError if it is no record of a run.
 */
export function replayed<T = Answer>(
  run: Run<unknown> | Readonly<Record<string, unknown>> | string,
  options: WorkOptions<T> = {},
): PlannerExecutor<T> {
  const given: unknown = typeof run === "string" ? JSON.parse(run) : run;
  const { runs, tools } = runSchema(z.unknown()).parse(given);
  const agents = new Map(runs.map((agent) => [agent.name, agent]));
  const executors: [string, Source][] = runs.flatMap((agent) =>
    agent.step === null ? [] : [[agent.step, maker(agent, tools)]],
  );
  return new PlannerExecutor<T>({
    ...options,
    planner: new ReplayedModel(agents.get(`${ROOT}.planner`)),
    executors: Object.fromEntries([...executors, [ANY_STEP, maker(undefined, tools)]]),
    synthesizer: new ReplayedModel(agents.get(`${ROOT}.synthesizer`)),
  });
}

/** Says what the model of a recorded agent said, in the same order. */
export class ReplayedModel extends Model {
  private readonly said: readonly Message[];

  /**
   * Where the record ends, it fails as the agent did.
   *
   * @param run - The agent's record; undefined for one that said nothing.
   */
  constructor(private readonly run: AgentRun | undefined) {
    super();
    this.said = messagesOf(run).filter(({ role }) => role === "assistant");
  }

  /** There is nothing to configure. */
  override updateConfig(_config: BaseModelConfig): void {}

  /** The id of the recorded model, so that prices are the same. */
  override getConfig(): BaseModelConfig {
    return { modelId: this.run?.model ?? "" };
  }

  /**
   * Say the message that followed as many as there are now.
   *
   * @throws Error if the record has no further message.
   */
  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const at = messages.filter(({ role }) => role === "assistant").length;
    const message = this.said[at];
    if (message === undefined) {
      throw new Error(this.run?.error ?? "the record has no further answer of this agent");
    }
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const block of message.content) yield* eventsOf(block);
    const asks = message.content.some(({ type }) => type === "toolUseBlock");
    const last = this.run?.stop_reasons.at(-1) ?? "end_turn";
    yield { type: "modelMessageStopEvent", stopReason: asks ? "toolUse" : camel(last) };
    const usage = message.metadata?.usage;
    yield {
      type: "modelMetadataEvent",
      usage: usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      metrics: { latencyMs: 0 },
    };
  }
}

/** Gives the recorded result of each of its calls. */
class ReplayedTool extends StrandsTool {
  readonly name: string;
  readonly description: string;
  readonly toolSpec: ToolSpec;

  constructor(
    { name, description }: Tool,
    private readonly results: ReadonlyMap<string, ToolResultBlock>,
  ) {
    super();
    this.name = name;
    this.description = description;
    this.toolSpec = { name, description, inputSchema: { type: "object", properties: {} } };
  }

  // biome-ignore lint/correctness/useYield: a recorded tool streams nothing.
  async *stream({ toolUse }: ToolContext): AsyncGenerator<never, ToolResultBlock, undefined> {
    const { toolUseId } = toolUse;
    await null;
    const content = [new TextBlock("the record has no result of this")];
    return (
      this.results.get(toolUseId) ??
      new ToolResultBlock({ toolUseId, status: "error", content })
    );
  }
}

function maker(run: AgentRun | undefined, tools: readonly Tool[]): () => Agent {
  const blocks = messagesOf(run).flatMap(({ content }) => content);
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === "toolResultBlock" ? [[block.toolUseId, block] as const] : [],
    ),
  );
  const systemPrompt = run?.system_prompt ?? undefined;
  return () =>
    new Agent({
      model: new ReplayedModel(run),
      tools: tools.map((tool) => new ReplayedTool(tool, results)),
      printer: false,
      ...(systemPrompt !== undefined && { systemPrompt }),
    });
}

/**
 * What an agent said and was told.
 *
 * A planner and a synthesizer have no tools: their calls are how they gave structured output,
 * for which other languages' SDKs have other names.
 */
function messagesOf(run: AgentRun | undefined): readonly Message[] {
  return (run?.messages ?? []).map((said) => {
    const message = Message.fromMessageData(restored(said) as unknown as MessageData);
    for (const block of message.content) {
      if (run?.step === null && block.type === "toolUseBlock") {
        Object.assign(block, { name: STRUCTURED_OUTPUT });
      }
    }
    return message;
  });
}

function* eventsOf(block: Message["content"][number]): Generator<ModelStreamEvent> {
  if (block.type === "toolUseBlock") {
    const { name, toolUseId, input } = block;
    yield {
      type: "modelContentBlockStartEvent",
      start: { type: "toolUseStart", name, toolUseId },
    };
    const text = JSON.stringify(isObject(input) ? input : {});
    yield {
      type: "modelContentBlockDeltaEvent",
      delta: { type: "toolUseInputDelta", input: text },
    };
  } else {
    yield { type: "modelContentBlockStartEvent" };
    if (block.type === "reasoningBlock") {
      const { text, signature } = block;
      const delta = {
        type: "reasoningContentDelta" as const,
        ...(text !== undefined && { text }),
        ...(signature !== undefined && { signature }),
      };
      yield { type: "modelContentBlockDeltaEvent", delta };
    } else {
      const text = block.type === "textBlock" ? block.text : "";
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text } };
    }
  }
  yield { type: "modelContentBlockStopEvent" };
}

/** A word of a record as the SDK has it: `end_turn` is `endTurn`. */
function camel(word: string): StopReason {
  return word.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Agents that say again what recorded ones said, with tools that give what those gave. */

import {
  AfterToolsEvent,
  Agent,
  AgentResult,
  type BaseModelConfig,
  BeforeModelCallEvent,
  type InvokeArgs,
  type InvokeOptions,
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
import { isObject } from "../values/index.js";
import { STRUCTURED_OUTPUT } from "./copies.js";
import type { AgentRun, Tool } from "./record.js";
import { restored } from "./said.js";

// What the SDK takes for the name of a tool.
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Says what the model of a recorded agent said, in the same order, in one conversation. */
export class ReplayedModel extends Model {
  /** The recorded messages of the model. */
  readonly said: readonly Message[];
  /** Requests so far. */
  made = 0;

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
   * Say the next message; what was said before need not be in the conversation.
   *
   * @throws Error if the record has no further message.
   */
  override async *stream(_messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const at = this.made;
    this.made += 1;
    const message = this.said[at];
    if (message === undefined) {
      throw new Error(this.run?.error ?? "the record has no further answer of this agent");
    }
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const block of message.content) yield* eventsOf(block);
    const asks = message.content.some(({ type }) => type === "toolUseBlock");
    const reason = this.run?.stop_reasons[at] ?? (asks ? "tool_use" : "end_turn");
    yield { type: "modelMessageStopEvent", stopReason: camel(reason) };
    const usage = message.metadata?.usage;
    yield {
      type: "modelMetadataEvent",
      usage: usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      metrics: { latencyMs: 0 },
    };
  }
}

/**
 * An executor that goes on as long as its record does, and then has the result in it.
 *
 * It may have ended otherwise than by words: by structured output, by a tool that ended the
 * turn.
 */
export class ReplayedAgent extends Agent {
  private readonly replayed: ReplayedModel;

  /**
   * @param run - Its record; undefined for one that said nothing.
   * @param result - What the step gave.
   * @param tools - The tools of the run.
   */
  constructor(
    private readonly run: AgentRun | undefined,
    private readonly result: string,
    tools: readonly Tool[],
  ) {
    const model = new ReplayedModel(run);
    const systemPrompt = run?.system_prompt ?? undefined;
    super({
      model,
      tools: toolsOf(run, tools),
      printer: false,
      ...(systemPrompt !== undefined && { systemPrompt }),
    });
    this.replayed = model;
    this.addHook(BeforeModelCallEvent, () => {
      if (this.isOver) throw new Ended();
    });
    this.addHook(AfterToolsEvent, (event) => {
      const { said, made } = this.replayed;
      // What ended the turn said it, and not the model.
      if (this.isOver && said.length > made) event.endTurn = [...(said.at(-1)?.content ?? [])];
    });
  }

  /** Ask; where the SDK itself asked again in the recorded run, it is asked again. */
  override async invoke(args: InvokeArgs, options?: InvokeOptions): Promise<AgentResult> {
    try {
      let result = await super.invoke(args, options);
      while (this.goesOn) result = await super.invoke(this.nextPrompt(), options);
      return result;
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      const content = [new TextBlock(this.result)];
      const lastMessage = new Message({ role: "assistant", content });
      return new AgentResult({ stopReason: "endTurn", lastMessage, invocationState: {} });
    }
  }

  private get goesOn(): boolean {
    const { said, made } = this.replayed;
    if (this.run === undefined || this.run.error !== null) return false;
    return made < Math.min(this.run.stop_reasons.length, said.length);
  }

  private nextPrompt(): string | [] {
    const messages = messagesOf(this.run);
    const ends = [...messages.keys()].filter((at) => messages[at]?.role === "assistant");
    const following = messages[(ends[this.replayed.made - 1] ?? 0) + 1];
    if (following?.role !== "user") return [];
    const texts = following.content.flatMap((block) =>
      block.type === "textBlock" ? [block.text] : [],
    );
    return texts.join("\n");
  }

  private get isOver(): boolean {
    if (this.run === undefined || this.run.error !== null) return false;
    const { said, made } = this.replayed;
    return made >= (this.run.stop_reasons.length || said.length);
  }
}

/** The record of an agent ends here. */
class Ended extends Error {}

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
    // The SDK takes none without a description.
    this.description = description || name;
    const inputSchema = { type: "object", properties: {} } as const;
    this.toolSpec = { name, description: this.description, inputSchema };
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

/** Each tool of the run, and each other that the agent called. */
function toolsOf(run: AgentRun | undefined, tools: readonly Tool[]): ReplayedTool[] {
  const blocks = messagesOf(run).flatMap(({ content }) => content);
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === "toolResultBlock" ? [[block.toolUseId, block] as const] : [],
    ),
  );
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  for (const block of blocks) {
    if (block.type !== "toolUseBlock" || known.has(block.name)) continue;
    if (NAME.test(block.name)) known.set(block.name, { name: block.name, description: "" });
  }
  return [...known.values()].map((tool) => new ReplayedTool(tool, results));
}

/**
 * What an agent said and was told.
 *
 * A planner and a synthesizer have no tools: their calls are how they gave structured output,
 * for which other languages' SDKs have other names. What they called beside it stays what it
 * was.
 */
function messagesOf(run: AgentRun | undefined): readonly Message[] {
  return (run?.messages ?? []).map((said) => {
    const message = Message.fromMessageData(restored(said) as unknown as MessageData);
    for (const block of message.content) {
      if (run?.step !== null || block.type !== "toolUseBlock") continue;
      if (!run.tools_called.includes(block.name)) {
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

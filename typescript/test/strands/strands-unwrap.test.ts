/** Each SDK's own shape of a tool's result gives a plan the same value. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  FunctionTool,
  type JSONValue,
  McpClient,
  type Tool,
  type ToolContext,
  type ToolResultBlock,
  type ToolResultContent,
  toolResultContentFromData,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { ToolExecutionError } from "../../src/errors.js";
import type { Block } from "../../src/strands-adapter/blocks.js";
import { Blocks, type ToolResult, unwrapToolResult } from "../../src/strands-adapter/index.js";
import { ingest } from "../../src/values/index.js";
import { planAgent } from "./plan-agents.js";

type ToolResultContentData = Parameters<typeof toolResultContentFromData>[0];

interface Case {
  readonly id: string;
  readonly returns?: JSONValue;
  readonly raises?: string;
  readonly mcp?: CallToolResult;
  readonly output_schema?: { type: "object"; properties?: Record<string, object> };
  readonly results: { readonly typescript: ToolResult };
  readonly expect: { readonly value?: unknown; readonly error?: string };
}

const FOLDER = fileURLToPath(new URL("../../../conformance/cases/unwrap", import.meta.url));
const CASES: Case[] = readdirSync(FOLDER)
  .sort()
  .flatMap((file) => JSON.parse(readFileSync(`${FOLDER}/${file}`, "utf8")).cases);

/** A tool that does what the case says, if it says it. */
async function toolOf(one: Case): Promise<Tool | undefined> {
  if (one.mcp !== undefined) return await mcpTool(one, one.mcp);
  if (one.raises === undefined && one.returns === undefined) return undefined;
  return new FunctionTool({
    name: "t",
    description: "T.",
    callback: () => {
      if (one.raises !== undefined) throw new Error(one.raises);
      return one.returns ?? null;
    },
  });
}

/** The tool of a real MCP server that answers so. */
async function mcpTool(one: Case, told: CallToolResult): Promise<Tool | undefined> {
  const server = new Server({ name: "desk", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: "t",
        inputSchema: { type: "object" as const },
        ...(one.output_schema && { outputSchema: one.output_schema }),
      },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => told);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const [tool] = await new McpClient({ transport: near }).listTools();
  return tool;
}

/** What the SDK makes of a call of a tool. */
async function called(tool: Tool): Promise<ToolResultBlock> {
  const context: ToolContext = {
    toolUse: { name: "t", toolUseId: "t", input: {} },
    agent: planAgent([]),
    invocationState: {},
    cancelSignal: new AbortController().signal,
    interrupt: () => {
      throw new Error("nobody is asked");
    },
  };
  const events = tool.stream(context);
  let next = await events.next();
  while (!next.done) next = await events.next();
  return next.value;
}

/** The value that a plan gets, or what it is told of a failure. */
function unwrapped(result: ToolResult, one: Case): unknown {
  const blocks = new Blocks();
  try {
    const value = unwrapToolResult("t", result, { outputSchema: one.output_schema, blocks });
    return { value: ingest(value) };
  } catch (error) {
    if (!(error instanceof ToolExecutionError)) throw error;
    return { error: error.detail };
  }
}

describe.each(CASES)("$id", (one) => {
  test("the SDK's real result is the one that stands in the case", async () => {
    const tool = await toolOf(one);
    if (tool === undefined) return;
    const { toolResult } = (await called(tool)).toJSON();
    const { status, content } = toolResult;
    expect({ status, content }).toEqual(one.results.typescript);
  });

  test("the plain form of that result gives the value", () => {
    const { status, content } = one.results.typescript;
    // What was thrown is known to the SDK alone.
    const told = one.raises === undefined ? one.expect : { error: `Error: ${one.raises}` };
    expect(unwrapped({ toolUseId: "t", status, content }, one)).toEqual(told);
  });

  test("the SDK's own blocks give the value", async () => {
    const { status, content } = one.results.typescript;
    const tool = await toolOf(one);
    const real =
      tool === undefined
        ? { toolUseId: "t", status, content: content.map(asBlock) }
        : await called(tool);
    expect(unwrapped(real, one)).toEqual(one.expect);
  });
});

function asBlock(block: Block): ToolResultContent {
  return toolResultContentFromData(block as ToolResultContentData);
}

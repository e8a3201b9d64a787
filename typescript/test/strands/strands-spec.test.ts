/** The specification that a model reads teaches the language, in words that hold. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseExpression, Scope } from "../../src/expressions/index.js";
import { PLAN_NUDGE, TOOL_DESCRIPTION } from "../../src/strands-adapter/index.js";
import { planToolSpec } from "../../src/strands-adapter/spec.js";

const EXPRESSIONS = [...TOOL_DESCRIPTION.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
const PYTHON = new URL(
  "../../../python/src/strands_plan_tool/strands_adapter/spec.py",
  import.meta.url,
);

test("expressions are found in the description", () => {
  expect(EXPRESSIONS.length).toBeGreaterThanOrEqual(8);
});

test.each(EXPRESSIONS)("%s is an expression of the language", (text) => {
  const ids = [...text.matchAll(/steps\.(\w+)/g)].map(([, id = ""]) => id);
  const [expression, problems] = parseExpression(text, new Scope(ids, { hasItem: true }));
  expect([problems, expression !== undefined]).toEqual([[], true]);
});

describe("the words", () => {
  const source = readFileSync(PYTHON, "utf8");

  test("of the description are those of the Python package", () => {
    const [, written = ""] = /TOOL_DESCRIPTION: Final = """\\\n(.*?)"""/s.exec(source) ?? [];
    expect(written.replaceAll("\\\n", "")).toBe(TOOL_DESCRIPTION);
  });

  test("of the nudge are those of the Python package, in one paragraph", () => {
    const [, written = ""] = /PLAN_NUDGE: Final = \((.*?)\n\)\n/s.exec(source) ?? [];
    const parts = [...written.matchAll(/"(.*)"/g)].map(([, part = ""]) => part);
    expect(parts.join("").replace("{TOOL_NAME}", "submit_workflow_plan")).toBe(PLAN_NUDGE);
    expect(PLAN_NUDGE).not.toContain("\n");
  });
});

test("the input is the plan itself without any reference", () => {
  const schema = planToolSpec().inputSchema;
  expect(schema?.required).toEqual(["steps"]);
  expect(JSON.stringify(schema)).not.toContain("$ref");
});

test("two agents do not share one schema", () => {
  const first = planToolSpec();
  const second = planToolSpec();
  Object.assign(first.inputSchema ?? {}, { properties: {} });
  expect(second.inputSchema?.properties).not.toEqual({});
});

test("the host's values are named where there are any", () => {
  expect(planToolSpec(["user_id", "today"]).description).toBe(
    `${TOOL_DESCRIPTION}\nAlso there to read: \`input.user_id\`, \`input.today\`.`,
  );
});

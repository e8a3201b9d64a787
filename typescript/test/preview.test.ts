/** What a person reads of a plan before approving it. */

import { expect, test } from "vitest";
import { checkForeignPlan } from "../src/executor/foreign.js";
import { textReferences } from "../src/graph.js";
import { Policy } from "../src/models.js";
import { previewPlan } from "../src/preview.js";
import { checkPlan } from "../src/validate/index.js";

test("a plan of another language is shown as it is written", () => {
  const steps = [
    { id: "a", tool: "t" },
    { id: "b", tool: "t", bind: { x: "$eval(steps.a)" }, when: "steps.a.ok" },
  ];
  const checked = checkForeignPlan(
    { steps, returns: ["b"] },
    { references: textReferences, tools: undefined, policy: Policy.parse({}) },
  );
  expect(previewPlan(checked)).toBe(
    "1. a: t (may write)\n" +
      "2. b: t (may write) with x from $eval(steps.a); only when steps.a.ok\n" +
      "Returns: b\n" +
      "On a failure: nothing more starts",
  );
});

test.each(["\n", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])(
  "no line break of a plan begins a line: %j",
  (blank) => {
    const text = `steps.a.x &${blank}'${blank}2. b: harmless (reads)'`;
    const name = `n${blank}m`;
    const plan = {
      steps: [
        { id: "a", tool: "t", args: { [name]: blank } },
        { id: "b", tool: "t", bind: { [name]: "steps.a.y" }, after: ["a"] },
      ],
      output: /^[\r\n]+$/.test(blank) ? text : "steps.a",
    };
    const shown = previewPlan(checkPlan(plan)).split(/[\n-\r\x85\u2028\u2029]/);
    expect(shown.map((line) => /^\w+/.exec(line)?.[0])).toEqual(["1", "2", "Output", "On"]);
  },
);

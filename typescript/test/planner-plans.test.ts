/** Twenty plans as a model wrote them, first try: accepted, and ending as they should. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { executePlan } from "../src/executor/index.js";
import { Fakes, SPECS } from "./planner-fakes.js";

const FOLDER = fileURLToPath(new URL("../../../shared/cases/planner/", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: documents beside the checkout
function documents(name: string): any[] {
  return JSON.parse(readFileSync(`${FOLDER}${name}`, "utf8"));
}

test("every plan ends with its statuses, output and returned values", async (context) => {
  if (!existsSync(FOLDER)) context.skip("the planner cases are not beside this checkout");
  const fakes = new Fakes();
  const seen: unknown[] = [];
  for (const { task, plan } of documents("plans.json")) {
    // One call at a time hands out the numbers in the order of the tasks' own record.
    const policy = { max_concurrency: 1 };
    const result = await executePlan(plan, fakes.call, { tools: SPECS, policy });
    expect(result.output_error, `task ${task}`).toBeNull();
    seen.push({
      task,
      status: Object.fromEntries(result.ledger.map(({ id, status }) => [id, status])),
      returned: result.returned,
      ...(result.has_output && { output: result.output }),
    });
  }
  expect(seen.length).toBe(20);
  expect(seen).toEqual(documents("outcomes.json"));
});

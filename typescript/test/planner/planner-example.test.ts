/** The example: offline all its checks hold; live with a real provider if one is named. */

import { expect, test, vi } from "vitest";
import { liveModel, NotReadyError } from "../../examples/live-models.js";
import { both, checks, main } from "../../examples/planner-executor.js";
import type { Run } from "../../src/planner-executor/index.js";

const CHECKS = [
  "the answer is right",
  "every moon that is named was looked up",
  "look-ups start together, what needs them after",
  "the difference is exact",
  "what is missing is reported",
  "every agent ran",
];
const LIVE_MS = 600_000;

test("the example runs offline, and all its checks hold", async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((text) => printed.push(text));
  const code = await main(["--transcript"]);
  log.mockRestore();
  expect(code).toBe(0);
  expect(printed.filter((line) => line.startsWith("ok  "))).toEqual(
    CHECKS.map((name) => `ok   ${name}`),
  );
  expect(printed).toContain("  orin + tessa -> gap -> year");
});

// "PROVIDER MODEL", with the provider's credentials.
const [provider = "", modelId = ""] = (process.env.PLAN_TOOL_LIVE ?? "").split(" ");
let live: Promise<[Run, Run]> | undefined;

test.skipIf(modelId === "").for(CHECKS)(
  "live: %s",
  { timeout: LIVE_MS },
  async (name, { skip }) => {
    try {
      const model = await liveModel(provider, modelId);
      live ??= both(() => model);
    } catch (error) {
      if (error instanceof NotReadyError) skip(error.message);
      throw error;
    }
    expect(checks(...(await live))[name]).toBe(true);
  },
);

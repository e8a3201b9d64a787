import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const SOURCE = fileURLToPath(new URL("src", import.meta.url));

// A report for .ci/run, if it asked for one.
const report = process.env.PLAN_TOOL_JUNIT;

// From 1.17 on the SDK needs Node 22: each Node tests the newest that it can run.
const [major] = process.versions.node.split(".");
const sdk = Number(major) >= 22 ? "strands-sdk-next" : "@strands-agents/sdk";

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@strands-agents\/sdk(?=\/|$)/, replacement: sdk },
      // The examples, as the tests run them, are on the sources and not on what was built.
      { find: /^strands-plan-tool\/testing\/(.+)/, replacement: `${SOURCE}/testing/$1.ts` },
      { find: /^strands-plan-tool\/(.+)/, replacement: `${SOURCE}/$1/index.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    reporters:
      report === undefined ? ["default"] : ["default", ["junit", { outputFile: report }]],
  },
});

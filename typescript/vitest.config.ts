import { defineConfig } from "vitest/config";

// A report for .ci/run, if it asked for one.
const report = process.env.PLAN_TOOL_JUNIT;

// From 1.17 on the SDK needs Node 22: each Node tests the newest that it can run.
const [major] = process.versions.node.split(".");
const sdk = Number(major) >= 22 ? "strands-sdk-next" : "@strands-agents/sdk";

export default defineConfig({
  resolve: { alias: [{ find: /^@strands-agents\/sdk(?=\/|$)/, replacement: sdk }] },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    reporters:
      report === undefined ? ["default"] : ["default", ["junit", { outputFile: report }]],
  },
});

/** What the README shows of a Strands agent is run, and prints what it says. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";

const HERE = import.meta.dirname;
const README = readFileSync(`${HERE}/../../README.md`, "utf8");
const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
const require = createRequire(import.meta.url);

test("the sample with an agent prints what it says", async () => {
  const blocks = [...README.matchAll(BLOCK)].map(([, kind, text = ""]) => ({ kind, text }));
  const at = blocks.findIndex(({ text }) => text.includes("@strands-agents/sdk"));
  const { outputFiles } = await build({
    alias: { "strands-plan-tool/strands": `${HERE}/../../src/strands-adapter/index.ts` },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    plugins: [
      {
        name: "the agent's own packages are taken from where they are",
        setup: ({ onResolve }) => {
          onResolve(
            { filter: /^(@strands-agents\/sdk|@opentelemetry\/api|zod)$/ },
            (given) => ({
              path: pathToFileURL(require.resolve(given.path)).href,
              external: true,
            }),
          );
        },
      },
    ],
    stdin: { contents: blocks[at]?.text ?? "", loader: "ts", resolveDir: HERE },
    write: false,
  });
  const printed: unknown[] = [];
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void printed.push(line));
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  expect(`${printed.join("\n")}\n`).toBe(blocks[at + 1]?.text);
});

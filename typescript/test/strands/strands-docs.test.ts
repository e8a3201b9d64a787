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

interface Sample {
  readonly code: string;
  readonly printed: string;
}

const BLOCKS = [...README.matchAll(BLOCK)].map(([, kind, text = ""]) => ({ kind, text }));
const SAMPLES: Sample[] = BLOCKS.flatMap(({ text: code }, at) => {
  const next = BLOCKS[at + 1];
  const isOne = code.includes("@strands-agents/sdk") && next?.kind === "text";
  return isOne ? [{ code, printed: next.text }] : [];
});

test("there are samples with an agent: a plan, and one that waits", () => {
  expect(SAMPLES.length).toBe(2);
});

test.each(SAMPLES)("the sample with an agent prints what it says, %#", async (sample) => {
  const { outputFiles } = await build({
    alias: {
      "strands-plan-tool/strands": `${HERE}/../../src/strands-adapter/index.ts`,
      "strands-plan-tool/testing/scripted-model": `${HERE}/../../src/testing/scripted-model.ts`,
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    plugins: [
      {
        name: "the agent's own packages are taken from where they are",
        setup: ({ onResolve }) => {
          onResolve(
            { filter: /^(@strands-agents\/sdk(\/.*)?|@opentelemetry\/api|zod)$/ },
            (given) => ({
              path: pathToFileURL(require.resolve(given.path)).href,
              external: true,
            }),
          );
        },
      },
    ],
    stdin: { contents: sample.code, loader: "ts", resolveDir: HERE },
    write: false,
  });
  const printed: unknown[] = [];
  const log = vi.spyOn(console, "log");
  log.mockImplementation((line: unknown) => void printed.push(line));
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  log.mockRestore();
  expect(`${printed.join("\n")}\n`).toBe(sample.printed);
});

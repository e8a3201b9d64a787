/** What the READMEs show is run, and prints what they say. */

import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";

const HERE = import.meta.dirname;
const README = readFileSync(`${HERE}/../README.md`, "utf8");
const WHOLE = readFileSync(`${HERE}/../../README.md`, "utf8");
const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocks(page: string): Block[] {
  return [...page.matchAll(BLOCK)].map(([, kind = "", text = ""]) => ({ kind, text }));
}

/** The samples of a page that need the engine alone, each with what it prints. */
function samples(page: string): [code: string, printed: string][] {
  const all = blocks(page);
  return all.flatMap(({ kind, text }, at) =>
    kind === "ts" && !text.includes("@strands-agents/sdk")
      ? [[text, all[at + 1]?.text ?? ""]]
      : [],
  );
}

/** What a sample prints. */
async function printedBy(code: string): Promise<string> {
  const { outputFiles } = await build({
    alias: { "strands-plan-tool": `${HERE}/../src/index.ts` },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    stdin: { contents: code, loader: "ts", resolveDir: HERE },
    write: false,
  });
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...told: unknown[]) => {
    printed.push(`${told.join(" ")}\n`);
  });
  const module = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  await import(/* @vite-ignore */ `data:text/javascript;base64,${module}`);
  log.mockRestore();
  return printed.join("");
}

test.each([
  ["of the package", README],
  ["of the repository", WHOLE],
])("the sample of the README %s prints what it says", async (_, page) => {
  expect(samples(page).length).toBe(1);
  for (const [code, printed] of samples(page)) expect(await printedBy(code)).toBe(printed);
});

test("the README of the repository says the same of a plan in both languages", () => {
  const all = blocks(WHOLE);
  const printed = ["python", "ts"].map((language) => {
    const at = all.findIndex(({ kind, text }) => kind === language && /Otter/.test(text));
    return all[at + 1]?.text;
  });
  expect(printed[1]).toBe(printed[0]);
  const plan = all.find(({ kind, text }) => kind === "json" && text.includes('"steps"'));
  const { steps, output } = JSON.parse(plan?.text ?? "");
  const [[code = ""] = []] = samples(WHOLE);
  const shown = [output, ...steps.flatMap(({ bind = {} }) => Object.values(bind))];
  expect(shown.filter((text) => !code.includes(`"${text}"`))).toEqual([]);
});

test("every command that the README names is a script of the package", () => {
  const { scripts } = JSON.parse(readFileSync(`${HERE}/../package.json`, "utf8"));
  const named = [...README.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !(String(name) in scripts))).toEqual([]);
});

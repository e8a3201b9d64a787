/** The core runs wherever JavaScript does: it bundles for a browser and needs nothing of Node. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));
const NODE_ONLY =
  /\b(?:Buffer|process|global|require|__dirname|__filename|setImmediate)\b(?=[.([])/;

test("no module of the core names what only Node has", () => {
  const modules = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !/^(testing|strands-adapter|planner-executor)/.test(path),
  );
  const naming = modules.filter((path) => {
    const text = readFileSync(`${SOURCE}/${path}`, "utf8");
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    return NODE_ONLY.test(code) || code.includes('"node:');
  });
  expect(naming).toEqual([]);
});

test("the core bundles for a browser and runs where there is no Node", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${SOURCE}/index.ts`],
    bundle: true,
    format: "iife",
    globalName: "planTool",
    logLevel: "silent",
    metafile: true,
    minify: true,
    platform: "browser",
    target: "es2023",
    write: false,
  });
  const externals = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external && path !== "<runtime>"),
  );
  expect(externals).toEqual([]);

  // What a browser has beside the language itself, as far as the core may use it.
  const web = { AbortController, AbortSignal, DOMException, TextEncoder, TextDecoder };
  const platform = { crypto, performance, setTimeout, clearTimeout, structuredClone };
  const page = vm.createContext({ ...web, ...platform });
  const code = outputFiles[0]?.text ?? "";
  vm.runInContext(`${code}; globalThis.planTool = planTool;`, page);
  const plan = {
    steps: [
      { id: "a", tool: "double", args: { n: 4 } },
      { id: "b", tool: "double", bind: { n: "steps.a.n + 1" } },
    ],
    output: "'It is ' & steps.b.n",
  };
  const result = await vm.runInContext(
    `planTool.executePlan(${JSON.stringify(plan)}, (_, { n }) => ({ n: 2 * n }))`,
    page,
  );
  expect(result.output).toBe("It is 18");
});

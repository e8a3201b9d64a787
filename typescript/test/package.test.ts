/** What a user installs: the contents of the package, its exports and its types. */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NPM = process.platform === "win32" ? "npm.cmd" : "npm";
const LONG = 180_000;
const STRANDS_USER = `
import { Agent, tool } from "@strands-agents/sdk";
import { returning, WorkflowPlanPlugin } from "strands-plan-tool/strands";
import { type Plan, PlannerExecutor, type Run } from "strands-plan-tool/planner-executor";
import { ScriptedModel, toolCall } from "strands-plan-tool/testing/scripted-model";
import { z } from "zod";

const callback = () => ({ n: 7 });
const look = tool({ name: "look", description: "Look.", inputSchema: z.object({}), callback });
const plan = { steps: [{ id: "a", tool: "look" }], output: "steps.a.n", final: true };
const agent = new Agent({
  model: new ScriptedModel(toolCall("submit_workflow_plan", plan)),
  tools: [returning(look, z.object({ n: z.int() }))],
  plugins: [new WorkflowPlanPlugin({ policy: { max_steps: 3 } })],
  printer: false,
});
console.log(String(await agent.invoke("go")));
const steps = [{ id: "a", instruction: "Look." }];
const team = new PlannerExecutor({
  planner: new ScriptedModel(toolCall("strands_structured_output", { steps })),
  executors: new Agent({ model: new ScriptedModel("seven"), printer: false }),
  synthesizer: new ScriptedModel(toolCall("strands_structured_output", { n: 7 })),
  answerType: z.object({ n: z.int() }),
});
const planned: Plan = await team.plan("How many?");
const answered: Run<{ n: number }> = await team.run(planned);
console.log(answered.answer.n, answered.results.a);
`;
const TAKEN = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "src",
];
const USER = `
import { executePlan, type PlanResult, parsePlan, Policy, validatePlan } from "strands-plan-tool";
import { StubTools, VirtualClock } from "strands-plan-tool/testing";

const plan = parsePlan('{"steps": [{"id": "a", "tool": "t"}], "output": "steps.a.n"}');
const clock = new VirtualClock();
const tools = new StubTools({ t: { returns: { n: 7 }, takes_ms: 50 } }, { clock });
const policy = Policy.parse({ max_steps: 3 });
const found: readonly { code: string; hint: string }[] = validatePlan(plan, { policy });
const result: PlanResult = await clock.run(() => executePlan(plan, tools, { clock, policy }));
console.log(JSON.stringify([result.output, clock.now(), found.length]));
`;

let folder: string;
let installed: string;

function run(program: string, args: string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: "pipe" });
}

// A copy is packed, so that nothing is built under the feet of other tests.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "strands-plan-tool-"));
  const copy = join(folder, "copy");
  mkdirSync(copy);
  for (const name of TAKEN) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  run(NPM, ["pack", "--silent", "--pack-destination", folder], copy);
  const modules = join(folder, "user", "node_modules");
  mkdirSync(modules, { recursive: true });
  run("tar", ["-xzf", join(folder, "strands-plan-tool-0.1.0.tgz"), "-C", modules], folder);
  installed = join(modules, "strands-plan-tool");
  cpSync(join(modules, "package"), installed, { recursive: true });
  rmSync(join(modules, "package"), { recursive: true });
  const { dependencies, peerDependencies } = described();
  for (const name of Object.keys({ ...dependencies, ...peerDependencies, "@types": "" })) {
    mkdirSync(join(modules, name, ".."), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  }
}, LONG);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function described(): Record<"dependencies" | "peerDependencies", Record<string, string>> {
  return JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
}

function files(of: string): string[] {
  const found = readdirSync(of, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(of.length + 1))
    .sort();
}

test("the package holds what was built, its types, its licence and nothing else", () => {
  const sources = files(join(ROOT, "src")).map((path) => path.replace(/\.ts$/, ""));
  const built = sources.flatMap((path) => [`dist/${path}.d.ts`, `dist/${path}.js`]);
  const others = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  expect(files(installed)).toEqual([...others, ...built].sort());
});

test("it needs the parser, the regular expressions and the shapes, and nothing else", () => {
  const { dependencies, peerDependencies } = described();
  expect(Object.keys(dependencies)).toEqual(["jsonata", "re2js", "zod"]);
  expect(Object.keys(peerDependencies)).toEqual(["@opentelemetry/api", "@strands-agents/sdk"]);
  // What the language's values hang on is one version exactly.
  expect([dependencies.jsonata, dependencies.re2js]).toEqual(["2.2.2", "2.10.0"]);
});

test(
  "its exports resolve and do what they say",
  () => {
    const user = join(folder, "user");
    writeFileSync(join(user, "package.json"), '{"type": "module"}');
    writeFileSync(join(user, "user.mts"), USER);
    writeFileSync(join(user, "strands.mts"), STRANDS_USER);
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const target = ["--target", "es2022", "--lib", "es2022,dom", "--types", "node"];
    const bundler = [
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
      "--noEmit",
      "--skipLibCheck",
    ];
    const sources = ["user.mts", "strands.mts"];
    run(process.execPath, [tsc, ...strict, ...target, ...bundler, ...sources], user);
    const node = [...strict, ...target, "--module", "nodenext"];
    run(process.execPath, [tsc, ...node, "user.mts"], user);
    // The SDK's own types are not for us to check.
    run(process.execPath, [tsc, ...node, "--skipLibCheck", "strands.mts"], user);
    expect(run(process.execPath, ["user.mjs"], user)).toBe("[7,0.05,0]\n");
    expect(run(process.execPath, ["strands.mjs"], user)).toBe("7\n7 seven\n");
  },
  LONG,
);

test("what it does not export stays inside", () => {
  const code = 'import("strands-plan-tool/dist/values/index.js")';
  expect(() =>
    run(process.execPath, ["--input-type=module", "-e", code], join(folder, "user")),
  ).toThrow(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test("the lock file names no registry", () => {
  const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  expect(text).not.toContain('"resolved"');
  expect(text).not.toMatch(/registry\.|artifactory|\.tgz"/);
  expect(existsSync(join(ROOT, ".npmrc"))).toBe(true);
});

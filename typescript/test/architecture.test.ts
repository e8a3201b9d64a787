/** Which room may import which: an import only ever points down. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));

// From the ground up: a room, which is a module or a folder of them, imports only from rooms
// named before it.
const GROUND = [
  "models",
  "signals",
  "tool-input",
  "diagnostics",
  "step-call",
  "errors",
  "tree",
];
const LANGUAGE = ["values", "wire", "functions", "expressions", "evaluate"];
const PLAN = ["policy", "events", "binder", "cycles", "graph", "validate"];
const RUN = ["render", "preview", "memory", "executor", "tasks"];
const ORDER = [...GROUND, ...LANGUAGE, ...PLAN, ...RUN];
const DOORS = ["testing", "strands-adapter", "planner-executor"];

const CORE_NEEDS = ["jsonata", "re2js", "zod"];
const DOORS_NEED: Readonly<Record<string, readonly string[]>> = {
  testing: ["node:fs", "node:process", "node:timers", "node:url", "@strands-agents/sdk"],
  "strands-adapter": ["@strands-agents/sdk", "@opentelemetry/api"],
  "planner-executor": ["@strands-agents/sdk"],
};

const MODULES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && path !== "index.ts")
  .sort();

/** The room that a module belongs to. */
function roomOf(module: string): string {
  return (module.split("/")[0] ?? "").replace(/\.ts$/, "");
}

/** What a module imports: modules of the package, and other packages. */
function imports(module: string): { inside: string[]; outside: string[] } {
  const text = readFileSync(join(SOURCE, module), "utf8");
  const names = ts.preProcessFile(text, true, true).importedFiles.map((file) => file.fileName);
  const inside = names
    .filter((name) => name.startsWith("."))
    .map((name) => normalize(join(dirname(module), name)).replace(/\.js$/, ".ts"));
  return { inside, outside: names.filter((name) => !name.startsWith(".")) };
}

describe("a module", () => {
  test.each(MODULES)("%s imports only from rooms below its own", (module) => {
    const room = roomOf(module);
    const order = ORDER.indexOf(room);
    expect([...ORDER, ...DOORS], `${room} has no place in the order of rooms`).toContain(room);
    const below = DOORS.includes(room) ? ORDER : ORDER.slice(0, order);
    const rooms = imports(module).inside.map(roomOf);
    expect(rooms.filter((name) => name !== room && !below.includes(name))).toEqual([]);
  });

  test.each(MODULES)("%s imports only modules that there are", (module) => {
    expect(imports(module).inside.filter((name) => !MODULES.includes(name))).toEqual([]);
  });

  test.each(MODULES)("%s needs only the packages of its tier", (module) => {
    const allowed = [...CORE_NEEDS, ...(DOORS_NEED[roomOf(module)] ?? [])];
    expect(imports(module).outside.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test.each(MODULES)("%s exports by name and re-exports nothing whole", (module) => {
    const text = readFileSync(join(SOURCE, module), "utf8");
    expect(text).not.toMatch(/^export (default|\*)/m);
  });
});

test("no modules import each other in a circle", () => {
  const needs = new Map(MODULES.map((module) => [module, imports(module).inside]));
  const done = new Set<string>();
  const circle = (module: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(module)) return [...trail.slice(trail.indexOf(module)), module];
    if (done.has(module)) return [];
    for (const needed of needs.get(module) ?? []) {
      const found = circle(needed, [...trail, module]);
      if (found.length > 0) return found;
    }
    done.add(module);
    return [];
  };
  expect(MODULES.map((module) => circle(module, [])).find((found) => found.length > 0)).toBe(
    undefined,
  );
});

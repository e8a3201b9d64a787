/** A process that is killed between a pause and its answer costs nothing: each step runs once. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stepOf } from "./pause-agents.js";

const HERE = import.meta.dirname;
const IS_NEW = Number(process.versions.node.split(".")[0]) >= 22;
const LIMIT_MS = 60_000;
const require = createRequire(import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "plan-tool-"));
const script = join(folder, "life.mjs");

beforeAll(async () => {
  await build({
    bundle: true,
    entryPoints: [join(HERE, "kill-between.ts")],
    format: "esm",
    outfile: script,
    platform: "node",
    plugins: [
      {
        name: "the SDK that this Node tests, from where it is",
        setup: ({ onResolve }) => {
          onResolve(
            { filter: /^(@strands-agents\/sdk|@opentelemetry\/api)(\/|$)/ },
            (given) => {
              const path = IS_NEW
                ? given.path.replace("@strands-agents/sdk", "strands-sdk-next")
                : given.path;
              return { path: pathToFileURL(require.resolve(path)).href, external: true };
            },
          );
        },
      },
    ],
  });
}, LIMIT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Said {
  readonly asked: readonly string[];
  readonly told: readonly string[];
}

/** Let an agent live until it has said something, and kill it. */
async function life(session: string, noted: string, answers?: object): Promise<Said> {
  const given = answers === undefined ? [] : [JSON.stringify(answers)];
  const child = spawn(process.execPath, [script, session, noted, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const [line] = await Promise.race([
      once(createInterface(child.stdout), "line"),
      ended.then((how) => {
        throw new Error(`it ended by itself: ${how}`);
      }),
    ]);
    return JSON.parse(line);
  } finally {
    child.kill("SIGKILL");
    await ended.catch(() => undefined);
  }
}

test(
  "each step of a plan runs once, through as many deaths as there are answers",
  async () => {
    const session = join(folder, "session");
    const noted = join(folder, "noted.txt");
    let said = await life(session, noted);
    const rounds: string[][] = [];
    while (said.asked.length > 0) {
      rounds.push(said.asked.map((id) => stepOf({ id })).toSorted());
      // One answer at a time; an item is denied.
      const [id = ""] = said.asked;
      said = await life(session, noted, { [id]: stepOf({ id }) === "each-1" ? "no" : "yes" });
    }
    expect(rounds).toEqual([
      ["each-0", "each-1", "each-2", "first"],
      ["each-1", "each-2", "first"],
      ["each-2", "first"],
      ["first"],
      ["last"],
    ]);
    expect(said.told[0]?.split("\n")).toEqual([
      '{"each":[1,null,3],"last":12}',
      "bad failed (tool_failed): down",
      "never skipped",
      "each: 1 of 3 items failed, null in its result",
      "Ran ok, kept for a corrected plan: find, shot, first, each, then, last, look",
    ]);
    const ran = readFileSync(noted, "utf8").trimEnd().split("\n").toSorted();
    expect(ran).toEqual([
      "fail null",
      "pay 1",
      "pay 10",
      "pay 12",
      "pay 3",
      "read 11",
      "read [1,2,3]",
      'read {"image":{"format":"png","source":{"bytes":"AQ=="}}}',
      "shoot null",
    ]);
  },
  LIMIT_MS,
);

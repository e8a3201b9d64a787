/** The executor of the conformance protocol, as the README shows it. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answer, serve } from "../src/testing/executor.js";
import { readJson, writeJson } from "../src/testing/json-lines.js";

type Line = Parameters<typeof answer>[0];

const README = readFileSync(new URL("../../conformance/README.md", import.meta.url), "utf8");
const EXCHANGES = [...README.matchAll(/^```json\n([\s\S]*?)^```/gm)]
  .map(([, block = ""]) => block)
  .filter((block) => block.includes('"cmd"') && !block.includes('"start"'))
  .flatMap((block) => {
    const lines = block.split("\n").filter((line) => line !== "");
    return lines.flatMap((line, at) => (at % 2 === 0 ? [[line, lines[at + 1] ?? ""]] : []));
  });

/** What is answered to a text that comes in pieces. */
async function talk(...pieces: string[]): Promise<unknown[]> {
  const answers: string[] = [];
  async function* given(): AsyncGenerator<string> {
    await Promise.resolve();
    yield* pieces;
  }
  await serve(given(), (line) => answers.push(line));
  const whole = answers.map((line) => line.indexOf("\n") === line.length - 1);
  expect(whole).not.toContain(false);
  return answers.map((line) => readJson(line));
}

test.each(EXCHANGES)("the README shows what is answered to %s", async (command, shown) => {
  expect(await answer(readJson(command) as Line)).toStrictEqual(readJson(shown));
});

test("commands are answered in turn until the last one", async () => {
  const [started, first, second, ...others] = await talk(
    '{"cmd": "start", "protocol": 1}\n{"cmd": "evaluate", "se',
    'q": 1, "expression": "1 + 1"}\n{"cmd": "evaluate", "seq": 2, "expression": "$", ',
    '"root": "\\ud800"}\n{"cmd": "stop"}\n{"cmd": "evaluate", "seq": 3, "expression": "1"}\n',
  );
  expect(started).toMatchObject({ protocol: 1, engine: { name: "typescript" } });
  expect(first).toStrictEqual({ seq: 1, value: 2, dependencies: [], steps_used: 3 });
  expect(second).toMatchObject({ seq: 2, error: { code: "not_json_result" } });
  expect(others).toEqual([]);
});

test("what goes wrong is errored, and the next command is answered", async () => {
  const lines = [
    "junk",
    '{"cmd": "sing", "seq": 1}',
    '{"cmd": "start", "protocol": 2}',
    '{"cmd": "run", "seq": 2, "plan": {}, "policy": {"max_steps": 0}}',
    '{"cmd": "evaluate", "seq": 3, "expression": "1"}',
  ];
  const answers = (await talk(lines.join("\n"))) as { seq: number; errored?: unknown }[];
  expect(answers.map(({ seq }) => seq)).toEqual([null, 1, null, 2, 3]);
  expect(answers.map(({ errored }) => errored !== undefined)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("integers keep every digit", async () => {
  const plan = '{"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]}';
  const tools = '{"t": {"returns": 1180591620717411303424}}';
  const [run] = await talk(`{"cmd": "run", "seq": 1, "plan": ${plan}, "tools": ${tools}}`);
  expect(run).toMatchObject({ result: { returned: { a: 1180591620717411303424n } } });
});

test("a line may hold other line ends", async () => {
  const text = "a\u2028b\u0085c";
  const [found] = await talk(
    `{"cmd": "evaluate", "seq": 1, "expression": "$", "root": "${text}"}`,
  );
  expect(found).toMatchObject({ value: text });
});

test.each([
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["-12345678901234567890", -12345678901234567890n],
  ["12345678901234567890.5", Number("12345678901234567890")],
  ["1e300", 1e300],
  ["-0", -0],
  ['"12345678901234567890"', "12345678901234567890"],
  ['"\\"12345678901234567890"', '"12345678901234567890'],
  ['{"a":[12345678901234567890,"\\ud800"]}', { a: [12345678901234567890n, "\ud800"] }],
])("%s is read and written as it is", (text, value) => {
  expect(readJson(text)).toStrictEqual(value);
  expect(readJson(writeJson(value))).toStrictEqual(value);
});

test.each([[undefined], [Number.NaN], [() => 1]])("%s is never written", (value) => {
  expect(() => writeJson({ a: [value] })).toThrow(TypeError);
});

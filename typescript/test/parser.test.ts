/** The library's parser behind its door: what it makes of our tokens. */

import jsonata from "jsonata";
import { expect, test } from "vitest";
import { parseExpression, Scope } from "../src/expressions/index.js";
import { parse, UnreadableError } from "../src/expressions/parser.js";
import { scan } from "../src/expressions/scan.js";

const SCOPE = new Scope(["a"]);

function fault(text: string): UnreadableError {
  try {
    parse(scan(text));
  } catch (error) {
    if (error instanceof UnreadableError) return error;
  }
  throw new Error(`${text} was read`);
}

test.each([
  ["a b", "S0201", 1],
  ["a +", "S0207", 2],
  ["{'a' 1}", "S0202", 2],
  ["+ 1", "S0211", 0],
  ["a ~ b", "S0204", 1],
  ["function(1){2}", "S0208", 2],
  ["a{b: c}{d: e}", "S0210", 6],
  ["1 := 2", "S0212", 0],
  ["a.1", "S0213", 2],
] as [string, string, number][])("%j is told by the token where it shows", (text, code, at) => {
  expect(fault(text)).toMatchObject({ code, at });
});

test("what should stand there is told where it is one thing", () => {
  expect(fault("{'a' 1}").wanted).toBe(":");
  expect(fault("a b").wanted).toBeUndefined();
});

test("a node stands where its token starts", () => {
  const tree = parse(scan('a[1] & {"k": -$v}'));
  expect(tree).toMatchObject({
    type: "binary",
    position: 5,
    lhs: { position: 0 },
    rhs: { position: 7, pairs: [[{ position: 8 }, { type: "negation", position: 13 }]] },
  });
});

test("positions that leave the room are in code points", () => {
  const [expression] = parseExpression('"😀" & steps.a[1] & {"k": -$count($steps.a)}', SCOPE);
  expect(expression?.tree).toMatchObject({
    position: 17,
    left: { position: 4, left: { value: "😀", position: 0 }, right: { position: 6 } },
  });
  expect(expression?.reads.map((read) => read.position)).toEqual([12, 40]);
  const [, problems] = parseExpression('"😀" & nope.x', SCOPE);
  expect(problems.map((problem) => problem.position)).toEqual([6]);
});

test("a fallback keeps its left side once, and all that follows is its right side", () => {
  expect(parse(scan("a ?? b ?: c + 1"))).toMatchObject({
    value: "??",
    lhs: { type: "path" },
    rhs: { value: "?:", rhs: { value: "+" } },
  });
});

test("a regular expression never reaches an engine and a `/` is what the tokens say", () => {
  expect(parse(scan("$f(/(?<=a)/)"))).toMatchObject({
    arguments: [{ type: "regex", value: { source: "(?<=a)", flags: "" } }],
  });
  expect(parse(scan("function($x){1} / 2 / 3"))).toMatchObject({ type: "binary", value: "/" });
});

test("the library is unchanged for its other users", () => {
  parseExpression("steps.a.x ?? 1", SCOPE);
  expect(jsonata("a[0] ?? 1").ast()).toMatchObject({ type: "condition" });
});

const level = "1 or 1 and 1=1&1*$steps.a.(";
const DEEP: [string, string][] = [
  ["precedences", `${level.repeat(63)}1${")".repeat(63)}`],
  ["operators", `((((((1${"+1".repeat(250)}${`)${"+1".repeat(250)}`.repeat(6)}`],
  ["fallbacks", `((1${"??1".repeat(250)})${"??1".repeat(250)})${"??1".repeat(250)}`],
  ["chains", `(1)${"??(1)".repeat(250)}`],
  ["applied", `(1${"~>$string".repeat(250)})`],
  ["paths", `(((($steps.a${".x".repeat(250)}${`).x${".x".repeat(250)}`.repeat(4)}`],
  ["conditions", `${"1?2:".repeat(64)}3`],
  ["predicates", `${"$steps.a[".repeat(64)}1${"]".repeat(64)}`],
  ["functions", `${"$map([1],function($v){".repeat(21)}1${"})".repeat(21)}`],
];

test.each(DEEP)("text within the limits is read however deep it is: %s", (_, text) => {
  expect(parseExpression(text, SCOPE)[1]).toEqual([]);
});

/** What is told of an expression's text before any parser sees it. */

import { expect, test } from "vitest";
import { Edit, edited, shown } from "../src/expressions/problems.js";
import { MAX_LENGTH, scan } from "../src/expressions/scan.js";
import { Pattern } from "../src/expressions/tokens.js";

function code(text: string): string | undefined {
  return scan(text).fault?.code;
}

const TOKENS: [string, [string, unknown][]][] = [
  [
    "a1 `b c` $d $",
    [
      ["name", "a1"],
      ["quoted", "b c"],
      ["variable", "d"],
      ["variable", ""],
    ],
  ],
  ["$$", [["variable", "$"]]],
  [
    "true false null",
    [
      ["value", true],
      ["value", false],
      ["value", null],
    ],
  ],
  [
    "1 2.50 1e3 1E-1",
    [
      ["number", 1],
      ["number", 2.5],
      ["number", 1000],
      ["number", 0.1],
    ],
  ],
  [
    "007",
    [
      ["number", 0],
      ["number", 0],
      ["number", 7],
    ],
  ],
  ["9007199254740993", [["number", 9007199254740992.0]]],
  [
    "a\u000b\t\r\n/* x */b",
    [
      ["name", "a"],
      ["name", "b"],
    ],
  ],
  ["don't", [["name", "don't"]]],
  ["größe", [["name", "größe"]]],
  ["'a\\\"\\\\\\/\\b\\f\\n\\r\\tA'", [["string", 'a"\\/\b\f\n\r\tA']]],
  ["'\\ud83d\\ude00'", [["string", "😀"]]],
  [
    "a/b",
    [
      ["name", "a"],
      ["operator", "/"],
      ["name", "b"],
    ],
  ],
  [
    "(/a[/]\\/(/)/im",
    [
      ["operator", "("],
      ["regex", new Pattern("a[/]\\/(/)", "im")],
    ],
  ],
  [
    "and and or",
    [
      ["name", "and"],
      ["operator", "and"],
      ["name", "or"],
    ],
  ],
  [
    "in.in",
    [
      ["name", "in"],
      ["operator", "."],
      ["name", "in"],
    ],
  ],
  [
    "a?:b??c:=d",
    [
      ["name", "a"],
      ["operator", "?:"],
      ["name", "b"],
      ["operator", "??"],
      ["name", "c"],
      ["operator", ":="],
      ["name", "d"],
    ],
  ],
  [
    "a..b**c~>d!=e",
    [
      ["name", "a"],
      ["operator", ".."],
      ["name", "b"],
      ["operator", "**"],
      ["name", "c"],
      ["operator", "~>"],
      ["name", "d"],
      ["operator", "!="],
      ["name", "e"],
    ],
  ],
];

test.each(TOKENS)("%j is told apart as the reference does", (text, expected) => {
  expect(scan(text).tokens.map((token) => [token.kind, token.value])).toEqual(expected);
});

test("a sign is prefix where an operand is due", () => {
  const signs = scan("-a - -b * * [-1][*]").tokens.filter((token) => token.sign !== "");
  expect(signs.map((token) => `${token.sign}${token.prefix ? " prefix" : ""}`)).toEqual([
    "- prefix",
    "-",
    "- prefix",
    "*",
    "* prefix",
    "[",
    "- prefix",
    "]",
    "[",
    "* prefix",
    "]",
  ]);
});

test("brackets know their partners and what they open", () => {
  const found = scan("(a[0]){b: [c]}^(d).{e: $f(function($g){h})}");
  expect(found.fault).toBeUndefined();
  const opened = [...found.opens].map(([at, what]) => [found.token(at).start, what]);
  expect(Object.fromEntries(opened)).toEqual({
    0: "block",
    2: "predicate",
    6: "group",
    10: "list",
    15: "sort",
    19: "object",
    25: "call",
    34: "params",
    38: "body",
  });
  expect([...found.partner].every(([at, other]) => found.other(other) === at)).toBe(true);
  const inside = found.tokens.flatMap(({ kind }, at) =>
    kind === "name" ? [found.heldBy(at)] : [],
  );
  expect(inside).toEqual(["block", "group", "list", "sort", "object", "call", "body"]);
});

const WRONG = [
  "'a",
  '"a',
  "`a",
  "a /* b",
  "(",
  "a]",
  "(]",
  "'\\x'",
  "'\\u12'",
  "'\\ud800'",
  "\ud800",
  "1e999",
  "/",
  "/a",
  "//",
  "a & /b(/",
];

test.each(WRONG)("%j is syntax without a parser", (text) => {
  expect(code(text)).toBe("syntax");
});

const many = (piece: string, times: number) => piece.repeat(times);
const LIMITS: [fits: string, breaks: string][] = [
  [many(" ", MAX_LENGTH), many(" ", MAX_LENGTH + 1)],
  [many("😀", MAX_LENGTH), many("😀", MAX_LENGTH + 1)],
  [`${many("(", 64)}1${many(")", 64)}`, `${many("[", 65)}1${many("]", 65)}`],
  [`${many("-", 64)}a`, `${many("-", 65)}a`],
  [`${many("a?b:", 64)}c`, `${many("a?b:", 65)}c`],
  [`${many("(", 63)}$a:=1${many(")", 63)}`, `${many("(", 64)}$a:=1${many(")", 64)}`],
  [`(a?1:2)${many("+(a?1:2)", 100)}`, `${many("(a?1:2)?1:", 65)}c`],
  [`1${many("+1", 256)}`, `1${many("+1", 257)}`],
  [`a${many(".b", 256)}`, `a${many(".b", 257)}`],
  [`a${many("[0]", 256)}`, `a${many("[0]", 257)}`],
  [`a${many("+(b)", 256)}`, `a${many("+(b)", 257)}`],
  [`[1+2${many(",1+2", 256)}]`, `[1${many("+1", 257)}]`],
  ["((a??b)??c)??d", "(((a??b)??c)??d)??e"],
  ["((a?:b)?:c)?:d", "[({'k': a?:b}??c)]??[[[d?:(e)]??f]??g]"],
  ["((((((a??b))))))??c", "{'k': [(a??b)??c]??d}??e"],
  [many("a??b", 200), "f(f(f(f(a??b)??c)??d)??e)"],
];

test.each(LIMITS)("a limit is kept to its last value: %j", (fits, breaks) => {
  expect(code(fits)).not.toBe("expression_limit");
  expect(code(breaks)).toBe("expression_limit");
});

test("a limit is told where it is broken", () => {
  expect(scan(`steps.a.x + ${many("(", 65)}`).fault).toMatchObject({
    code: "expression_limit",
    position: 76,
  });
});

test("strings, comments, names and patterns do not count", () => {
  for (const [before, inside, after] of [
    ["'", "(", "'"],
    ["/*", "[", "*/1"],
    ["`", "{", "`"],
    ["f(a, /", "\\(", "/)"],
  ] as const) {
    expect(code(before + many(inside, 200) + after)).toBeUndefined();
  }
});

test("a text of one piece again and again costs one pass whatever it is", () => {
  for (const piece of [
    "'",
    '"',
    "`",
    "/",
    "\\",
    "(",
    "{{",
    "'\\",
    "/*",
    "a[?",
    "!",
    "=",
    "..",
    "1e",
  ]) {
    const text = many(piece, MAX_LENGTH).slice(0, MAX_LENGTH);
    expect(scan(text).tokens.length).toBeLessThanOrEqual(MAX_LENGTH);
  }
});

test("edits are made from left to right, and of overlapping ones the first", () => {
  const edits = [
    new Edit(4, 6, "E"),
    new Edit(0, 0, "<"),
    new Edit(0, 1, "A"),
    new Edit(5, 7, "x"),
    new Edit(8, 8, ">"),
  ];
  expect(edited("abcdefgh", edits)).toBe("<AbcdEgh>");
  expect(edited("abcd", [new Edit(0, 2, "x"), new Edit(0, 3, "y")])).toBe("yd");
});

test("what a message shows is cut to forty code points", () => {
  expect(shown("a".repeat(41))).toBe(`${"a".repeat(37)}...`);
  expect(shown("a".repeat(40))).toBe("a".repeat(40));
  expect(shown("😀".repeat(40))).toBe("😀".repeat(40));
  expect(shown("😀".repeat(41))).toBe(`${"😀".repeat(37)}...`);
});

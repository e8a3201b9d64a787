/** `$formatNumber`: every text here is what jsonata 2.2.2 gives in Node. */

import { expect, it } from "vitest";
import {
  formatNumber,
  NumberPicture,
  pictureProblem,
} from "../src/functions/number-pictures.js";

const FAILS = expect.objectContaining({ code: "evaluation_failed" });

const SHOWN: readonly (readonly [value: number, picture: string, text: string])[] = [
  [5, "0", "5"],
  [0, "0", "0"],
  [0, "#", "0"],
  [5, "#", "5"],
  [5, "000", "005"],
  [1234, "0", "1234"],
  [1234, "#0", "1234"],
  [1.5, "0", "2"],
  [2.5, "0", "2"],
  [0.125, "0.00", "0.12"],
  [1.005, "0.00", "1.00"],
  [2.675, "0.00", "2.68"],
  [5, "0.00", "5.00"],
  [5.1, "0.##", "5.1"],
  [5.126, "0.0#", "5.13"],
  [5, "0.#", "5"],
  [5, "0.", "5"],
  [0.5, "#.##", ".5"],
  [5, "#.##", "5.0"],
  [0, "#.##", ".0"],
  [0.5, ".00", ".50"],
  [0, ".##", ".0"],
  [0.1, "0.00000000000000000000", "0.10000000000000000555"],
  [1234567.891, "#,##0.00", "1,234,567.89"],
  [123, "#,##0", "123"],
  [1234, "#,###", "1,234"],
  [5, "0,000", "0,005"],
  [0.5, "#,###.#", ".5"],
  [1234567, ",##0", "1,234,567"],
  [12345678, "#,##,##0", "123,45,678"],
  [5, "#,##,##0", ",5,"],
  [123.25, "##,#,##0.00", "1,23.2,5"],
  [-5, "0.00", "-5.00"],
  [-5, "$0.00", "-$5.00"],
  [-0.001, "0.00", "-0.00"],
  [0.256, "0.0%", "25.6%"],
  [0.07, "0%", "7%"],
  [0.256, "0‰", "256‰"],
  [0.5, "‰ 0", "‰ 500"],
  [1234.5, "€ #,##0.00 USD", "€ 1,234.50 USD"],
  [3, "(0)", "(3)"],
  [1, "😀0\n", "😀1\n"],
  [9007199254740991, "#,##0", "9,007,199,254,740,991"],
  [1e20, "0.0", "100000000000000000000.0"],
  [5e-324, "0.00", "0.00"],
  [1e21, "0", "1e+21"],
  [1.5e30, "0.0", "1.5e+3"],
];

const REFUSED: readonly (readonly [picture: string, position: number])[] = [
  ["", 0],
  ["abc", 0],
  [".", 0],
  ["$%", 0],
  ["0;(0)", 1],
  ["0e0", 1],
  ["0.00 net", 6],
  ["-0", 0],
  ["0 -", 2],
  ["0#", 1],
  ["0.#0", 3],
  ["0.0.0", 3],
  ["0%%", 2],
  ["%0", 1],
  ["x1", 1],
  ["0 m2", 3],
  ["#,,##0", 1],
  ["##0,", 3],
  ["#,.0", 1],
  ["0.0,0", 3],
  ["‰0%", 0],
  ["‰0‰", 2],
  [
    "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    2,
  ],
  ["#".repeat(257), 256],
];

it.each(SHOWN)("shows %s by %j as %j", (value, picture, text) => {
  expect(formatNumber(value, picture)).toBe(text);
});

it.each(REFUSED)("refuses %j where it leaves the grammar", (picture, position) => {
  expect(pictureProblem(picture)?.position).toBe(position);
  expect(() => formatNumber(1, picture)).toThrow(FAILS);
});

it("names in a refusal what is wrong and the edit that mends it", () => {
  expect(pictureProblem("#,##0.00;(#)")).toMatchObject({
    message: "The picture has a second one for negative numbers after ;",
    hint:
      'Write one, and choose it first: x < 0 ? $formatNumber(-x, "(0)") : ' +
      '$formatNumber(x, "0").',
  });
  expect(() => formatNumber(1, "0.00 net")).toThrow(
    expect.objectContaining({
      message: "the picture has an e, which would mean an exponent",
      hint: "join such text with &",
    }),
  );
});

it("counts the places of a picture in code points", () => {
  expect(pictureProblem("😀0;")?.position).toBe(2);
  expect(pictureProblem(`${"😀".repeat(255)}0`)).toBeUndefined();
});

// The reference shows the letters of NaN and Infinity.
it.each(["0.00", "0%"])("fails where a number becomes infinite by %j", (picture) => {
  expect(() => formatNumber(1.7e308, picture)).toThrow(FAILS);
});

it("reads a picture once for many numbers", () => {
  const picture = new NumberPicture("#,##0.0");

  expect([1, 1234.56, -0.04].map((value) => picture.text(value))).toEqual([
    "1.0",
    "1,234.6",
    "-0.0",
  ]);
});

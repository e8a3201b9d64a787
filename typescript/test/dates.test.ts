/** Dates: where a form is taken, its value is what jsonata 2.2.2 gives in Node. */

import { expect, it } from "vitest";
import { fromMillis, toMillis } from "../src/functions/dates.js";
import { EvaluationError } from "../src/values/budget.js";

const MILLIS: readonly (readonly [text: string, millis: number])[] = [
  ["1970-01-01", 0],
  ["2024-02-29", 1709164800000],
  ["2000-02-29", 951782400000],
  ["1969-12-31", -86400000],
  ["0000-01-01", -62167219200000],
  ["0000-02-29", -62162121600000],
  ["9999-12-31", 253402214400000],
  ["1970-01-01T00:00:00Z", 0],
  ["2024-02-29T12:34:56Z", 1709210096000],
  ["2024-02-29T12:34:56.7Z", 1709210096700],
  ["2024-02-29T12:34:56.7899999999Z", 1709210096789],
  ["1969-12-31T23:59:59.9999Z", -1],
  ["2024-02-29T12:34:56+01:00", 1709206496000],
  ["2024-02-29T12:34:56-05:30", 1709229896000],
  ["2024-01-01T00:00:00-00:00", 1704067200000],
  ["0000-01-01T00:00:00+23:59", -62167305540000],
  ["9999-12-31T23:59:59.999-23:59", 253402387139999],
];

const MISSING: readonly string[] = [
  "2023-02-29",
  "1900-02-29",
  "2024-02-30",
  "2024-04-31",
  "2024-00-10",
  "2024-13-01",
  "2024-01-00",
  "2024-01-32",
  "2024-01-01T24:00:00Z",
  "2024-01-01T12:60:00Z",
  "2024-01-01T12:00:60Z",
  "2024-01-01T12:00:00+24:00",
  "2024-01-01T12:00:00+01:60",
];

const MISSHAPEN: readonly string[] = [
  "",
  "2024",
  "2024-02",
  "20240229",
  "2024-2-29",
  "2024-W09-4",
  "2024-02-29T12:34:56",
  "2024-02-29T12:34Z",
  "2024-02-29 12:34:56Z",
  "2024-02-29t12:34:56z",
  "2024-02-29T12:34:56.Z",
  "2024-02-29T12:34:56,5Z",
  "2024-02-29T12:34:56+0100",
  "2024-02-29T12:34:56+01",
  "2024-02-29Z",
  "+002024-02-29",
  "2024-02-29\n",
  " 2024-02-29",
  "٢٠٢٤-02-29",
];

const SHOWN: readonly (readonly [millis: number, text: string])[] = [
  [0, "1970-01-01T00:00:00.000Z"],
  [1709210096789, "2024-02-29T12:34:56.789Z"],
  [-1, "1969-12-31T23:59:59.999Z"],
  [1.7, "1970-01-01T00:00:00.001Z"],
  [-0.5, "1970-01-01T00:00:00.000Z"],
  [-1.5, "1969-12-31T23:59:59.999Z"],
  [-62167219200000, "0000-01-01T00:00:00.000Z"],
  [-62167219200000.5, "0000-01-01T00:00:00.000Z"],
  [253402300799999, "9999-12-31T23:59:59.999Z"],
  [253402300799999.9, "9999-12-31T23:59:59.999Z"],
];

it.each(MILLIS)("reads %s as so many milliseconds from 1970", (text, millis) => {
  expect(toMillis(text)).toBe(millis);
});

it.each([...MISSING, ...MISSHAPEN])("refuses %j", (text) => {
  expect(() => toMillis(text)).toThrow(EvaluationError);
  expect(() => toMillis(text)).toThrow(expect.objectContaining({ code: "evaluation_failed" }));
});

it("shows in an error the date, and the forms that there are", () => {
  expect(() => toMillis(`2024-02-30${"😀".repeat(40)}`)).toThrow(
    expect.objectContaining({
      message: `$toMillis is given "2024-02-30${"😀".repeat(30)}...", which is no date that it takes`,
      hint: "write 2024-02-29, or 2024-02-29T12:34:56Z with Z or an offset such as +01:00",
    }),
  );
});

it.each(SHOWN)("shows %s milliseconds as a date", (millis, text) => {
  expect(fromMillis(millis)).toBe(text);
});

it.each([-62167219200001, 253402300800000, 8.64e15, 1e300, -1e300])(
  "refuses %s milliseconds, which lie outside the years of four digits",
  (millis) => {
    expect(() => fromMillis(millis)).toThrow(
      expect.objectContaining({ code: "evaluation_failed" }),
    );
  },
);

it("gives back every day of the calendar as it went", () => {
  for (let day = -719_528; day < 2_932_897; day += 97) {
    const text = new Date(day * 86_400_000).toISOString();
    expect(fromMillis(day * 86_400_000)).toBe(text);
    expect(toMillis(text.slice(0, 10))).toBe(day * 86_400_000);
  }
});

/** The parts of a regular expression, each with what the rules about patterns ask of it. */

import type { CodePoints } from "./pattern-sets.js";

/** What matches no character. */
export type EdgeKind = "^" | "$" | "b" | "B";

/** What every part of a pattern has. */
interface PartBase {
  /** Whether it can match the empty text. */
  readonly nullable: boolean;
  /** Whether the empty text, if it can match that, is the last thing it tries. */
  readonly emptyLast: boolean;
  /** Whether a group with a number is in it. */
  readonly captures: boolean;
  /**
   * How much there is of it once its repeats are written out: one for each four ranges of
   * each set. A repeat without an upper bound counts as its least, and at least once.
   */
  readonly weight: number;
  /** The largest product of counts of repeats that stand in one another. */
  readonly product: number;
}

/** One character of a set. */
export interface Chars extends PartBase {
  readonly kind: "chars";
  readonly points: CodePoints;
}

/** `^`, `$`, `\b` or `\B`, which match no character. */
export interface Edge extends PartBase {
  readonly kind: "edge";
  readonly edge: EdgeKind;
}

/** Brackets; `number` counts those that capture from 1 and is 0 for `(?:...)`. */
export interface Group extends PartBase {
  readonly kind: "group";
  readonly body: Part;
  readonly number: number;
}

/** A part so many times; `most` is undefined without an upper bound. */
export interface Repeat extends PartBase {
  readonly kind: "repeat";
  readonly body: Part;
  readonly least: number;
  readonly most: number | undefined;
  readonly lazy: boolean;
}

/** Parts one after another; none at all is the empty text. */
export interface Row extends PartBase {
  readonly kind: "row";
  readonly items: readonly Part[];
}

/** Several options, tried from left to right. */
export interface Choice extends PartBase {
  readonly kind: "choice";
  readonly options: readonly Part[];
}

/** A part of a pattern. */
export type Part = Chars | Edge | Group | Repeat | Row | Choice;

const RANGES_OF_ONE = 4;

/** One character of a set. */
export function chars(points: CodePoints): Chars {
  return {
    kind: "chars",
    points,
    nullable: false,
    emptyLast: true,
    captures: false,
    weight: Math.max(1, Math.ceil(points.length / RANGES_OF_ONE)),
    product: 1,
  };
}

/** An edge. */
export function edge(kind: EdgeKind): Edge {
  return {
    kind: "edge",
    edge: kind,
    nullable: true,
    emptyLast: true,
    captures: false,
    weight: 0,
    product: 1,
  };
}

/** Brackets; with the number 0 they do not capture. */
export function group(body: Part, number: number): Group {
  return {
    kind: "group",
    body,
    number,
    nullable: body.nullable,
    emptyLast: body.emptyLast,
    captures: body.captures || number > 0,
    weight: body.weight,
    product: body.product,
  };
}

/** A repeat; see the grammar for those that are refused. */
export function repeat(
  body: Part,
  least: number,
  most: number | undefined,
  lazy: boolean,
): Repeat {
  const count = most ?? Math.max(least, 1);
  return {
    kind: "repeat",
    body,
    least,
    most,
    lazy,
    nullable: least === 0 || body.nullable,
    emptyLast: body.emptyLast && (least === most || !lazy),
    captures: body.captures,
    weight: body.weight * count,
    product: body.product * count,
  };
}

/** Parts one after another. */
export function row(items: readonly Part[]): Part {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return only;
  return {
    kind: "row",
    items,
    nullable: items.every((item) => item.nullable),
    emptyLast: items.every((item) => item.emptyLast),
    captures: items.some((item) => item.captures),
    weight: items.reduce((total, item) => total + item.weight, 0),
    product: items.reduce((most, item) => Math.max(most, item.product), 1),
  };
}

/** Several options, at least one. */
export function choice(options: readonly Part[]): Part {
  const last = options.at(-1);
  if (last === undefined) throw new TypeError("a choice needs an option");
  if (options.length === 1) return last;
  return {
    kind: "choice",
    options,
    nullable: options.some((option) => option.nullable),
    emptyLast: last.emptyLast && !options.slice(0, -1).some((option) => option.nullable),
    captures: options.some((option) => option.captures),
    weight: options.reduce((total, option) => total + option.weight, 0),
    product: options.reduce((most, option) => Math.max(most, option.product), 1),
  };
}

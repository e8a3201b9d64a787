/**
 * Functions and methods of other languages that are none here, each with what to write.
 *
 * A corrected text is only given where it means the same whatever the data are: a `len` of
 * something unknown may be of a list or of a text, and what is found out of that too late is
 * a wrong value.
 */

import { evident, type Kind, type Span, textOfSpan } from "./evident.js";
import { LISTED, MEANT, usage } from "./listed.js";
import { callEdits, operandStart } from "./operands.js";
import { points } from "./points.js";
import { Edit } from "./problems.js";
import type { Scan } from "./scan.js";

const ITEM = "take one item by its index: x[0] is the first, x[-1] the last";
const SHOWN = 40;
const CALM_BEFORE: ReadonlySet<string> = new Set(["", "(", "[", "{", ",", ";", ":", "?", ":="]);
const CALM_AFTER: ReadonlySet<string> = new Set(["", ")", "]", "}", ",", ";", ":"]);

/** What a call is to become: a hint, and the edits if they keep what it means. */
export interface Meaning {
  readonly hint: string;
  readonly edits: readonly Edit[];
}

function means(hint: string, edits: readonly Edit[] = []): Meaning {
  return { hint, edits };
}

/**
 * What a call means whose name stands at a place; undefined if the name says nothing.
 *
 * @param name - The name as written, without a `$`.
 */
export function meaning(scan: Scan, position: number, name: string): Meaning | undefined {
  const call = callAt(scan, position);
  if (call !== undefined) {
    const ofMethod = call.base === undefined ? undefined : OF_METHODS.get(name);
    const rule = ofMethod ?? OF_ALL.get(name);
    if (rule !== undefined) return rule(call);
  }
  const meant = LISTED.has(name) ? name : MEANT.get(name);
  if (meant === undefined) return undefined;
  return means(`write ${usage(meant)}`, callEdits(scan, position, meant));
}

/** A call in its pieces. */
class WrittenCall {
  /** All that the function would be given. */
  readonly operands: readonly Span[];

  /**
   * @param at - The index of its name.
   * @param base - What stands before the dot of a method.
   * @param given - Its arguments.
   * @param close - The index of its closing bracket.
   */
  constructor(
    readonly scan: Scan,
    readonly at: number,
    readonly base: Span | undefined,
    given: readonly Span[],
    readonly close: number,
  ) {
    this.operands = base === undefined ? given : [base, ...given];
  }

  get position(): number {
    return this.scan.token(this.at).start;
  }

  /** How many operands there are. */
  get count(): number {
    return this.operands.length;
  }

  /** The operand at a place; an empty one where there is none. */
  operand(place: number): Span {
    return this.operands[place] ?? { first: 0, last: -1 };
  }

  /** What an operand evidently is. */
  kind(place: number): Kind | undefined {
    return evident(this.scan, this.operand(place));
  }

  /** An operand as written. */
  text(place: number): string {
    return textOfSpan(this.scan, this.operand(place));
  }

  /** An operand for a hint: as written if it is there and short. */
  shown(place: number, otherwise: string): string {
    const text = this.text(place);
    return text !== "" && points(text) <= SHOWN ? text : otherwise;
  }

  /** The number that an operand is, from 0, if it is a whole one and no more. */
  whole(place: number): number | undefined {
    const { first, last } = this.operand(place);
    const { kind, value } = this.scan.token(first);
    const plain = first === last && kind === "number";
    return plain && typeof value === "number" && Number.isSafeInteger(value)
      ? value
      : undefined;
  }

  /** Whether an operand is a function, written here or elsewhere. */
  isFunction(place: number): boolean {
    const { first, last } = this.operand(place);
    if (this.scan.token(first).value === "function") return true;
    for (let at = first; at < last; at += 1) {
      if (this.scan.isSign(at, "=") && this.scan.follows(at, ">")) return true;
    }
    return false;
  }

  /** Edits that make it a call of a listed function, and put a text after it. */
  renamed(meant: string, after = ""): readonly Edit[] {
    const edits = callEdits(this.scan, this.position, meant);
    const { end } = this.scan.token(this.close);
    return after === "" ? edits : [...edits, new Edit(end, end, after)];
  }

  /** The edit that puts a text in its place. */
  replaced(text: string): readonly Edit[] {
    const { start } = this.scan.token(this.first);
    return [new Edit(start, this.scan.token(this.close).end, text)];
  }

  /** A text in parentheses if it stands beside an operator. */
  grouped(text: string): string {
    const before = this.scan.sign(this.first - 1);
    const after = this.scan.sign(this.close + 1);
    return CALM_BEFORE.has(before) && CALM_AFTER.has(after) ? text : `(${text})`;
  }

  private get first(): number {
    return this.base === undefined ? this.at : this.base.first;
  }
}

function callAt(scan: Scan, position: number): WrittenCall | undefined {
  const at = scan.indexOf(position);
  const close = scan.partner.get(at + 1);
  if (close === undefined || scan.opens.get(at + 1) !== "call") return undefined;
  let base: Span | undefined;
  if (scan.isSign(at - 1, ".")) {
    const start = operandStart(scan, at - 2);
    if (start === undefined) return undefined;
    base = { first: start, last: at - 2 };
  }
  const given: Span[] = [];
  let first = at + 2;
  for (let place = at + 2; place <= close; place += 1) {
    const isComma = scan.isSign(place, ",") && scan.holderOf(place) === at + 1;
    if (place === close || isComma) {
      if (first < place) given.push({ first, last: place - 1 });
      first = place + 1;
    }
  }
  return new WrittenCall(scan, at, base, given, close);
}

function length(call: WrittenCall): Meaning {
  const shown = call.shown(0, "x");
  const kind = call.count === 1 ? call.kind(0) : undefined;
  const meant = kind === "text" ? "length" : kind === "list" ? "count" : undefined;
  if (meant === undefined) {
    return means(`write $count(${shown}) for a list, $length(${shown}) for a text`);
  }
  return means(`write ${usage(meant)}`, call.renamed(meant));
}

/** `first` and `last`: of a path that goes through a list, of all that it gives. */
function end(call: WrittenCall): Meaning {
  const { scan } = call;
  const isFirst = scan.token(call.at).value === "first";
  if (call.count === 2 && call.isFunction(1)) return isFirst ? find(call) : means(ITEM);
  if (call.count !== 1) return means(ITEM);
  const index = isFirst ? "[0]" : "[-1]";
  const { first, last } = call.operand(0);
  const around = scan.holderOf(first);
  let dots = 0;
  for (let at = first; at < last; at += 1) {
    if (scan.isSign(at, ".") && scan.holderOf(at) === around) dots += 1;
  }
  const text = call.text(0);
  const allowed = scan.token(first).value === "steps" ? 1 : 0;
  const alone = operandStart(scan, last) === first && dots <= allowed;
  return means(ITEM, call.replaced((alone ? text : `(${text})`) + index));
}

function find(call: WrittenCall): Meaning {
  const certain = call.count === 2 && call.isFunction(1);
  const hint = "write $filter(list, function)[0]";
  if (certain) return means(hint, call.renamed("filter", "[0]"));
  return means(`${hint}; whether a text has a part, $contains(text, part) tells`);
}

function contains(call: WrittenCall): Meaning {
  const whole = call.shown(0, "x");
  const part = call.shown(1, "y");
  const hint = `write $contains(${whole}, ${part}) for a text, ${part} in ${whole} for a list`;
  if (call.count !== 2) return means(hint);
  switch (call.kind(0)) {
    case "text":
      return means(`write ${usage("contains")}`, call.renamed("contains"));
    case "list":
      return means(
        "write `value in list`",
        call.replaced(`(${call.text(1)} in ${call.text(0)})`),
      );
    default:
      return means(hint);
  }
}

/** From a place to another, of a text or of a list. */
function slice(call: WrittenCall): Meaning {
  const hint = "write $substring(text, start, length) for a text, x[[start..end]] for a list";
  const kind = call.count > 0 ? call.kind(0) : undefined;
  if (kind === "text") return means(hint, cut(call));
  if (kind === "list" && call.count === 3) {
    const start = call.whole(1);
    const stop = call.whole(2);
    if (start !== undefined && stop !== undefined && start < stop) {
      return means(hint, call.replaced(`${call.text(0)}[[${start}..${stop - 1}]]`));
    }
  }
  return means(hint);
}

function substring(call: WrittenCall): Meaning {
  const hint =
    "write $substring(text, start, length): its last argument is a length and no end";
  return means(hint, cut(call));
}

/** A part of a text from a place to another, if the places are numbers. */
function cut(call: WrittenCall): readonly Edit[] {
  if (call.count === 2) return call.renamed("substring");
  if (call.count !== 3) return [];
  const start = call.whole(1);
  const stop = call.whole(2);
  if (start !== undefined && stop !== undefined && start <= stop) {
    return call.replaced(`$substring(${call.text(0)}, ${start}, ${stop - start})`);
  }
  return start === 0 && stop === undefined ? call.renamed("substring") : [];
}

function substr(call: WrittenCall): Meaning {
  const hint = "write $substring(text, start, length?), where 0 is the first place";
  const known = call.base !== undefined || call.scan.token(call.at).kind === "variable";
  const fromStart = call.count > 1 && call.whole(1) === 0;
  return means(hint, known || fromStart ? call.renamed("substring") : []);
}

function integer(): Meaning {
  return means("write $number(text) to read a number, $floor(number) to cut one");
}

function concat(call: WrittenCall): Meaning {
  const places = [...call.operands.keys()];
  // Elsewhere a list takes a text in as an item, and a text takes no list in.
  const asked = call.base === undefined ? places : places.slice(0, 1);
  const kinds = asked.map((place) => call.kind(place));
  if (kinds.includes("text")) {
    const pieces = call.operands.map(({ first, last }, place) => {
      const text = call.text(place);
      return operandStart(call.scan, last) === first ? text : `(${text})`;
    });
    const joined = call.grouped(pieces.join(" & "));
    return means("write `&` between texts", call.replaced(joined));
  }
  if (kinds.includes("list") && places.length === 2) {
    return means(`write ${usage("append")}`, call.renamed("append"));
  }
  return means("write `&` between texts, $append(list, more) for lists");
}

function append(call: WrittenCall): Meaning {
  const hint = `write ${usage("append")}, which adds each item of a list`;
  const kind = call.count === 2 ? call.kind(1) : undefined;
  const single = kind !== undefined && kind !== "list";
  return means(hint, single ? call.renamed("append") : []);
}

function flatMap(call: WrittenCall): Meaning {
  const certain = call.count === 2 && call.isFunction(1);
  const hint = "write $map(list, function).$, whose `.$` makes one list of several";
  return means(hint, certain ? call.renamed("map", ".$") : []);
}

/** At both ends alone, where `$trim` also makes one space of several inside. */
function trim(call: WrittenCall): Meaning {
  const hint = "write $trim(text), or $replace with a pattern if what is inside is to stay";
  const ends = `$replace(${call.text(0)}, /^\\s+|\\s+$/, "")`;
  return means(hint, call.count === 1 ? call.replaced(ends) : []);
}

function join(call: WrittenCall): Meaning {
  const hint = `write ${usage("join")}`;
  if (call.count === 1) return means(hint, call.replaced(`$join(${call.text(0)}, ",")`));
  if (call.count !== 2) return means(hint);
  if (call.kind(0) === "text") {
    return means(hint, call.replaced(`$join(${call.text(1)}, ${call.text(0)})`));
  }
  return means(hint, call.renamed("join"));
}

function split(call: WrittenCall): Meaning {
  const hint = `write ${usage("split")}, where the limit is how many pieces there are`;
  return means(hint, call.count === 2 ? call.renamed("split") : []);
}

function replace(call: WrittenCall): Meaning {
  const hint = `write ${usage("replace")}, which without a limit replaces every match`;
  return means(hint, call.renamed("replace"));
}

function match(): Meaning {
  return means("write $match(text, pattern), which gives objects with match and groups");
}

function toText(call: WrittenCall): Meaning {
  const one = call.count === 1;
  return means(`write ${usage("string")}`, one ? call.renamed("string") : []);
}

type Rule = (call: WrittenCall) => Meaning;

const OF_ALL: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["len", length],
  ["size", length],
  ["first", end],
  ["last", end],
  ["find", find],
  ["includes", contains],
  ["slice", slice],
  ["substr", substr],
  ["int", integer],
  ["parseInt", integer],
  ["concat", concat],
  ["push", append],
  ["flatMap", flatMap],
  ["strip", trim],
  ["toString", toText],
]);

/** Methods that bear the name of a listed function and do not do quite the same. */
const OF_METHODS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["length", length],
  ["contains", contains],
  ["substring", substring],
  ["append", append],
  ["trim", trim],
  ["join", join],
  ["split", split],
  ["replace", replace],
  ["match", match],
]);

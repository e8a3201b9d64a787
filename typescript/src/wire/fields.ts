/**
 * Fields that models call otherwise than the plan language does, each with its edit.
 *
 * An unknown field is refused, and nothing is read into it; but most of them hold what a
 * field of another name was meant for, and that must not get lost when the hint is followed.
 */

import { closest, listing, quoted } from "../diagnostics.js";
import { PlanStep, STEP_ID_PATTERN, WorkflowPlan } from "../models.js";
import { codePoints, isObject, type Members, toJsonText } from "../values/index.js";
import {
  type Alias,
  areIds,
  isExpression,
  PLAN_NAMES,
  STEP_NAMES,
  STORED,
  THE_HOSTS,
} from "./aliases.js";
import { objectText, own } from "./objects.js";

const LONGEST_EDIT = 600;
const MERGED: ReadonlyMap<string, string> = new Map([
  ["args", 'move its members into "args"'],
  ["bind", 'move its members into "bind"'],
  ["after", 'move its ids into "after"'],
  ["when", 'move it into "when"'],
]);
const ID = new RegExp(STEP_ID_PATTERN);
/** How long a step's id may be, as its pattern says. */
export const ID_LENGTH = 1 + Number(/,(\d+)\}\$$/.exec(STEP_ID_PATTERN)?.[1]);
const LEADING_STEPS = /^\$*\.?\$?steps\.([^.[]*)/;
const STEP_FIELDS: readonly string[] = Object.keys(PlanStep.shape);
const PLAN_FIELDS: readonly string[] = Object.keys(WorkflowPlan.shape);

/** What an unknown field was meant for. */
export interface Meant {
  /** The field. */
  readonly field: string;
  /** What to do with it: `rename it to "args"`. */
  readonly edit: string;
  /**
   * The same with its name, `rename "params" to "args"`; `""` if the edit does not say for
   * certain which field it gives.
   */
  readonly named: string;
}

/** What is said of the unknown fields of one object, looked through once. */
export class Fields {
  /** The unknown fields that were meant for one that is lacking, by name. */
  readonly meant: ReadonlyMap<string, Meant>;
  private readonly known: readonly string[];
  private readonly names: ReadonlyMap<string, readonly Alias[]>;
  private readonly first: string | undefined;
  private readonly merged = new Map<string, string[]>();
  private readonly edits = new Map<string, string>();
  private stepIds: ReadonlySet<string> | undefined;

  /**
   * @param members - The object, a plan or a step.
   * @param ofPlan - Whether it is the plan.
   */
  constructor(
    private readonly members: Members,
    private readonly ofPlan: boolean,
  ) {
    this.known = ofPlan ? PLAN_FIELDS : STEP_FIELDS;
    this.names = ofPlan ? PLAN_NAMES : STEP_NAMES;
    this.first = Object.keys(members).find((name) => !this.known.includes(name));
    this.meant = this.lookThrough();
  }

  private lookThrough(): Map<string, Meant> {
    const found = new Map<string, Meant>();
    const free = new Set(this.known.filter((name) => !this.has(name)));
    for (const [name, value] of Object.entries(this.members)) {
      if (this.known.includes(name)) continue;
      const meant = this.meantBy(name, value, free);
      if (meant !== undefined) {
        found.set(name, meant);
        free.delete(meant.field);
        this.merge(meant.field, name);
        continue;
      }
      const field = this.fits(name, value).find((each) => MERGED.has(each));
      if (field !== undefined) this.merge(field, name);
    }
    return found;
  }

  private merge(field: string, name: string): void {
    const names = this.merged.get(field);
    if (names === undefined) this.merged.set(field, [name]);
    else names.push(name);
  }

  /** Whether the object has a member that is not null. */
  private has(name: string): boolean {
    return (own(this.members, name) ?? null) !== null;
  }

  /** The edit for an unknown field, in which nothing that counts gets lost. */
  hint(name: string): string {
    return (
      this.merging(name) ??
      this.meant.get(name)?.edit ??
      (this.ofPlan ? this.intoStep(name) : this.moved(name)) ??
      this.removed(name)
    );
  }

  /** The fields that a name may stand for, given what it holds. */
  private fits(name: string, value: unknown): readonly string[] {
    const aliases = this.names.get(folded(name)) ?? [];
    const fields = aliases.filter((each) => each.fits(value)).map((each) => each.field);
    if (typeof value === "string" && !this.ids().has(value)) {
      return fields.filter((field) => field !== "returns");
    }
    return fields;
  }

  /** The ids of the steps of a plan. */
  private ids(): ReadonlySet<string> {
    if (this.stepIds === undefined) {
      const steps = own(this.members, "steps");
      const listed: readonly unknown[] = Array.isArray(steps) ? steps : [];
      const ids = listed.map((step) => (isObject(step) ? own(step, "id") : undefined));
      this.stepIds = new Set(ids.filter((id) => typeof id === "string"));
    }
    return this.stepIds;
  }

  private meantBy(name: string, value: unknown, free: ReadonlySet<string>): Meant | undefined {
    const word = folded(name);
    if (word === "function" && isObject(value) && free.has("tool")) return this.call(value);
    const fields = this.fits(name, value).filter((field) => free.has(field));
    const [field] = fields;
    if (field === undefined) {
      if (this.names.has(word)) return undefined;
      const near = closest(
        name,
        this.known.filter((each) => free.has(each)),
      );
      return near === undefined ? undefined : renamed(name, near);
    }
    if (field === "id" && fields[1] === "tool" && fields.length === 2 && !this.namesATool()) {
      // `{"name": "search", "arguments": {...}}` is a call as other formats write it.
      return {
        field: "tool",
        edit: 'rename it to "tool" if it names one, else to "id"',
        named: "",
      };
    }
    if (field !== "id" || (typeof value === "string" && ID.test(value))) {
      return renamed(name, field);
    }
    const slug = idLike(String(value));
    return slug === undefined ? undefined : written("id", `"id": ${quoted(slug)}`, name);
  }

  /** Whether another unknown field is the tool's name. */
  private namesATool(): boolean {
    return Object.entries(this.members).some(
      ([name, value]) => folded(name) !== "name" && this.fits(name, value).includes("tool"),
    );
  }

  /** Into one field with what stands in it, or what others of its names hold. */
  private merging(name: string): string | undefined {
    for (const [field, names] of this.merged) {
      const move = MERGED.get(field);
      const every = this.has(field) ? [field, ...names] : names;
      if (move === undefined || !names.includes(name) || every.length < 2) continue;
      let edit = this.edits.get(field);
      if (edit === undefined) {
        edit = move + this.whole(every, field);
        this.edits.set(field, edit);
      }
      return edit;
    }
    return undefined;
  }

  /** What a field is then, unless that cannot be told or is long. */
  private whole(names: readonly string[], field: string): string {
    const values = names.map((name) => this.members[name]);
    let text = "";
    if (field === "when" && values.every((value) => typeof value === "string")) {
      text = toJsonText(values.map((value) => `(${value})`).join(" and "));
    } else if (field === "after" && values.every(areIds)) {
      text = toJsonText([...new Set(values.flat())]);
    } else if ((field === "args" || field === "bind") && values.every(isObject)) {
      const whole = new Map<string, string>();
      for (const [key, member] of values.flatMap((value) => Object.entries(value))) {
        const value = toJsonText(member);
        if ((whole.get(key) ?? value) !== value) return ", each under a name of its own";
        whole.set(key, value);
      }
      text = objectText(whole);
    }
    const length = codePoints(text);
    return length > 0 && length < LONGEST_EDIT ? `: write "${field}": ${text}` : "";
  }

  private intoStep(name: string): string | undefined {
    const known = STEP_FIELDS.includes(name);
    return known ? "move it into the step that it is about" : undefined;
  }

  /** What a step holds that belongs elsewhere, or is written otherwise. */
  private moved(name: string): string | undefined {
    const word = folded(name);
    const value = this.members[name];
    if (
      name === "final" ||
      name === "on_error" ||
      (name === "returns" && Array.isArray(value))
    ) {
      return "move it to the plan: it is about all steps";
    }
    if (name === "steps") return 'move them to the "steps" of the plan: a step calls one tool';
    if (name === "output" && isExpression(value)) return "move it to the plan";
    if (word === "unless" && typeof value === "string" && !this.has("when")) {
      return `write "when": ${toJsonText(`$not(${value})`)} in its place`;
    }
    if (STEP_NAMES.get(word)?.some((alias) => alias.field === "args")) {
      return 'move it into "args" or "bind", under the name of an argument';
    }
    return undefined;
  }

  /** `"function": {"name": ..., "arguments": ...}`, as other formats write a call. */
  private call(called: Members): Meant | undefined {
    const tool = own(called, "name");
    const given = own(called, "arguments");
    const args = toJsonText(given === undefined ? {} : given);
    if (
      typeof tool !== "string" ||
      Object.hasOwn(this.members, "args") ||
      codePoints(args) > LONGEST_EDIT
    ) {
      return undefined;
    }
    return written("tool", `"tool": ${quoted(tool)}, "args": ${args}`, "function");
  }

  private removed(name: string): string {
    const word = folded(name);
    if (THE_HOSTS.has(word)) {
      return "remove it: limits, retries and concurrency are the host's to set";
    }
    if (!this.ofPlan && STORED.has(word)) {
      const id = own(this.members, "id");
      const read = typeof id === "string" && ID.test(id) ? id : "<id>";
      return `remove it: the result of the step is read as steps.${read}`;
    }
    if (name === this.first) {
      const what = this.ofPlan ? "a plan" : "a step";
      return `remove it; ${what} has ${listing(this.known)}`;
    }
    return "remove it";
  }
}

function renamed(name: string, field: string): Meant {
  const target = quoted(field);
  return {
    field,
    edit: `rename it to ${target}`,
    named: `rename ${quoted(name)} to ${target}`,
  };
}

function written(field: string, what: string, name: string): Meant {
  const edit = `write ${what} in`;
  return { field, edit: `${edit} its place`, named: `${edit} place of ${quoted(name)}` };
}

/** A field's name without what only tells one way of writing from another. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "");
}

/** The id that a text was probably meant to be; a path is meant for its step. */
export function idLike(text: string): string | undefined {
  const step = LEADING_STEPS.exec(text)?.[1];
  if (step !== undefined && ID.test(step)) return step;
  const slug = trimmed(text.toLowerCase().replace(/[^a-z0-9]+/g, "_"));
  if (slug === "") return undefined;
  const id = slug.charAt(0) > "9" ? slug : `s_${slug}`;
  return id.slice(0, ID_LENGTH).replace(/_+$/, "");
}

function trimmed(slug: string): string {
  return slug.replace(/^_/, "").replace(/_$/, "");
}

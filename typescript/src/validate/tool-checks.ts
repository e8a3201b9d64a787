/** Whether a step calls its tool as the tool can be called: the tool, and its arguments. */

import { type Finding, listing, type Path, quoted, Speller } from "../diagnostics.js";
import { allowedNames, ToolNames } from "../graph.js";
import { isContainer, isObject, type Members } from "../values/index.js";
import { checkJson } from "../wire/index.js";
import { JsonTextError, loads } from "../wire/json-text.js";
import { own } from "../wire/objects.js";
import { asObject } from "../wire/repairs.js";
import { kindOf, oneOf, shown } from "../wire/wording.js";
import {
  describe,
  hasType,
  isClosed,
  isOptional,
  itemsOf,
  propertiesOf,
  requiredOf,
  resolved,
  type Schema,
  sameJson,
  typesOf,
} from "./schemas.js";

/** What may be said of a tool. */
export interface ToolInfoGiven {
  /** JSON Schema of its arguments. */
  readonly input_schema?: Schema | null | undefined;
  /** JSON Schema of its result. */
  readonly output_schema?: Schema | null | undefined;
  /** Whether a plan may call it; true unless told. */
  readonly plannable?: boolean | undefined;
}

/** What a host knows of a tool. */
export class ToolInfo {
  /** JSON Schema of its arguments; undefined if unknown. */
  readonly input_schema: Schema | undefined;
  /** JSON Schema of its result; undefined if unknown. */
  readonly output_schema: Schema | undefined;
  /** Whether a plan may call it. */
  readonly plannable: boolean;

  /** @param given - What is known. */
  constructor({ input_schema, output_schema, plannable = true }: ToolInfoGiven = {}) {
    this.input_schema = input_schema ?? undefined;
    this.output_schema = output_schema ?? undefined;
    this.plannable = plannable;
  }
}

/** Tools by name with what is known of each, or names alone. */
export type ToolsGiven =
  | Readonly<Record<string, ToolInfo | ToolInfoGiven | null | undefined>>
  // A text is a list of its characters, and never meant.
  | (Iterable<string> & object);

const ATTRIBUTES: readonly string[] = Object.keys(new ToolInfo());

/** The tools that a host names. */
export class Tools {
  private readonly infos: ReadonlyMap<string, ToolInfo>;
  private readonly plannable: ToolNames;
  private readonly known = new Map<string, Arguments | undefined>();

  /**
   * @param given - Tools by name, each as `ToolInfo`, as an object with its attributes, or
   *   null where only the name is known; or names alone.
   * @throws TypeError if it is nothing of that.
   */
  constructor(given: ToolsGiven) {
    const infos = isNames(given)
      ? allowedNames(given).map((name): [string, ToolInfo] => [name, new ToolInfo()])
      : Object.entries(given).map(([name, info]): [string, ToolInfo] => [
          name,
          infoOf(name, info),
        ]);
    for (const [name] of infos) {
      if (typeof name !== "string") throw new TypeError("a tool's name must be a string");
    }
    this.infos = new Map(infos);
    this.plannable = new ToolNames(
      infos.filter(([, info]) => info.plannable).map(([name]) => name),
    );
  }

  /** What is known of a tool; undefined if there is none of that name. */
  get(name: string): ToolInfo | undefined {
    return this.infos.get(name);
  }

  /** What is known of a tool's arguments, if anything is. */
  arguments(name: string): Arguments | undefined {
    if (!this.known.has(name)) {
      const schema = this.infos.get(name)?.input_schema;
      this.known.set(name, schema === undefined ? undefined : new Arguments(name, schema));
    }
    return this.known.get(name);
  }

  /** Why a step may not call a tool, if it may not. */
  refusal(at: number, stepId: string, tool: string): Finding | undefined {
    const info = this.infos.get(tool);
    if (info === undefined) return this.plannable.unknown(at, stepId, tool);
    if (info.plannable) return undefined;
    const { choice, sorted } = this.plannable;
    return {
      code: "tool_not_plannable",
      path: ["steps", at, "tool"],
      message: `${quoted(tool)} may not be called inside a plan`,
      hint: `remove the step and call the tool directly${choice && `, or use ${choice}`}`,
      subject: [stepId, tool, sorted],
    };
  }
}

function isNames(given: ToolsGiven): given is Iterable<string> {
  return typeof given !== "object" || given === null || Symbol.iterator in given;
}

function infoOf(name: string, given: unknown): ToolInfo {
  if (given === null || given === undefined) return new ToolInfo();
  if (given instanceof ToolInfo) return given;
  const members = asObject(given);
  if (members === undefined) {
    throw new TypeError(`tool ${name}: a ToolInfo, an object or null is wanted`);
  }
  const unknown = Object.keys(members).filter((key) => !ATTRIBUTES.includes(key));
  if (unknown.length > 0) {
    throw new TypeError(`tool ${name}: ToolInfo has no ${unknown.join(", ")}`);
  }
  return new ToolInfo(members);
}

/** What a tool's input schema says of its arguments, looked up once for all its steps. */
export class Arguments {
  private readonly properties: ReadonlyMap<string, unknown>;
  private readonly required: readonly string[];
  private readonly closed: boolean;
  private readonly types: ReadonlyMap<string, readonly string[]>;
  private readonly worded: ReadonlySet<string>;
  private readonly listed: ReadonlySet<string>;

  /**
   * @param tool - The tool's name.
   * @param root - Its input schema.
   */
  constructor(
    private readonly tool: string,
    private readonly root: Schema,
  ) {
    const schema = resolved(root, root) ?? {};
    this.properties = membersOf(schema);
    this.required = neededBy(schema, root);
    this.closed = isClosed(schema);
    const known = Array.from(
      this.properties,
      ([name, each]) => [name, resolved(each, root) ?? {}] as const,
    );
    this.types = new Map(known.map(([name, each]) => [name, typesOf(each)]));
    this.worded = new Set(
      known.filter(([, each]) => Object.hasOwn(each, "enum")).map(([name]) => name),
    );
    this.listed = new Set(
      [...this.types].filter(([, types]) => isListAlone(types)).map(([name]) => name),
    );
  }

  /** Those of the names whose type is exactly `array`: they are given a list, always. */
  lists(names: Iterable<string>): ReadonlySet<string> {
    if (this.listed.size === 0) return this.listed;
    return new Set([...names].filter((name) => this.listed.has(name)));
  }

  /**
   * What is wrong with the arguments of a step.
   *
   * @param at - The step's position.
   * @param step - The step as the repaired plan has it.
   * @param unread - Arguments in `args` whose values are not looked at.
   */
  *findings(at: number, step: Members, unread: ReadonlySet<unknown>): Iterable<Finding> {
    const args = isObject(step.args) ? step.args : {};
    const bind = isObject(step.bind) ? step.bind : {};
    const isGiven = (name: string) => Object.hasOwn(args, name) || Object.hasOwn(bind, name);
    const missing = this.required.filter((name) => !isGiven(name));
    if (missing.length > 0) {
      const holder = Object.hasOwn(step, "args") ? ["args"] : [];
      yield {
        code: "missing_argument",
        path: ["steps", at, ...holder],
        message: `${quoted(this.tool)} needs ${listing(missing)}`,
        hint: `add ${wanted(missing, this.properties, this.root)} to "args" or "bind"`,
      };
    }
    if (this.closed) {
      for (const [holder, names] of [
        ["args", Object.keys(args)],
        ["bind", Object.keys(bind)],
      ] as const) {
        for (const name of names) {
          if (!this.properties.has(name)) {
            yield this.unknown(["steps", at, holder, name], isGiven);
          }
        }
      }
    }
    for (const [name, value] of Object.entries(args)) {
      // A binding of the same name wins, so such a literal never reaches the tool.
      if (!this.properties.has(name) || Object.hasOwn(bind, name) || unread.has(name)) continue;
      // Nearly every literal is a scalar of the right type: nothing more to ask.
      const isScalar = !isContainer(value) && !this.worded.has(name);
      if (!isScalar || !hasType(value, this.types.get(name) ?? [])) {
        const path = ["steps", at, "args", name];
        yield* check(value, this.properties.get(name), this.root, path);
      }
    }
  }

  private unknown(path: Path, isGiven: (name: string) => boolean): Finding {
    const free = [...this.properties.keys()].filter((name) => !isGiven(name));
    return unknownArgument(path, this.tool, this.properties, new Speller(free));
  }
}

function isListAlone(types: readonly string[]): boolean {
  return types.length === 1 && types[0] === "array";
}

/** The members that a schema knows: a name that it only requires is known as well. */
function membersOf(schema: Schema): ReadonlyMap<string, unknown> {
  const known = new Map<string, unknown>(Object.entries(propertiesOf(schema) ?? {}));
  for (const name of requiredOf(schema)) if (!known.has(name)) known.set(name, {});
  return known;
}

/** The names that a value of a schema must have: those required and without a default. */
function neededBy(schema: Schema, root: Schema): readonly string[] {
  const properties = propertiesOf(schema) ?? {};
  return requiredOf(schema).filter((name) => !isOptional(own(properties, name), root));
}

function* check(value: unknown, schema: unknown, root: Schema, path: Path): Iterable<Finding> {
  const known = resolved(schema, root);
  if (known === undefined) return;
  // What the tool takes for this property when nobody gives it.
  if (value === null && own(known, "default") === null) return;
  const types = typesOf(known);
  if (types.length > 0 && !hasType(value, types)) {
    const words = describe(types);
    yield {
      code: "argument_type",
      path,
      message: `${called(path)} must be ${words}, not ${kindOf(value)}`,
      hint: retyped(value, types, words),
    };
    return;
  }
  const words = own(known, "enum");
  if (Array.isArray(words) && !words.some((word) => sameJson(value, word))) {
    yield notAWord(value, words, path);
    return;
  }
  if (isObject(value)) yield* checkMembers(value, known, root, path);
  const items = itemsOf(known);
  if (Array.isArray(value) && items !== undefined) {
    for (const [at, item] of value.entries()) {
      yield* check(item, items, root, [...path, at]);
    }
  }
}

function* checkMembers(
  value: Members,
  schema: Schema,
  root: Schema,
  path: Path,
): Iterable<Finding> {
  const properties = membersOf(schema);
  const missing = neededBy(schema, root).filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) {
    yield {
      code: "missing_argument",
      path,
      message: `${called(path)} needs ${listing(missing)}`,
      hint: `add ${wanted(missing, properties, root)} to it`,
    };
  }
  const closed = isClosed(schema);
  let speller: Speller | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (properties.has(name)) {
      yield* check(member, properties.get(name), root, [...path, name]);
    } else if (closed) {
      speller ??= new Speller(
        [...properties.keys()].filter((each) => !Object.hasOwn(value, each)),
      );
      yield unknownArgument([...path, name], nameOf(path), properties, speller);
    }
  }
}

/** Missing arguments with what each must be, as far as the schema says. */
function wanted(
  names: readonly string[],
  properties: ReadonlyMap<string, unknown>,
  root: Schema,
): string {
  const shownNames = names.map((name) => {
    const known = resolved(properties.get(name), root) ?? {};
    const words = own(known, "enum");
    const types = typesOf(known);
    let what = types.length > 0 ? ` (${describe(types)})` : "";
    if (Array.isArray(words) && words.length > 0) what = ` (${oneOf(words)})`;
    return quoted(name) + what;
  });
  return shownNames.join(", ");
}

function unknownArgument(
  path: Path,
  owner: string,
  properties: ReadonlyMap<string, unknown>,
  speller: Speller,
): Finding {
  const name = String(path.at(-1));
  const meant = speller.closest(name);
  let hint = `remove it; ${quoted(owner)} takes none`;
  if (meant !== undefined) hint = `rename it to ${quoted(meant)}`;
  else if (properties.size > 0) {
    hint = `remove it; ${quoted(owner)} takes ${listing(properties.keys())}`;
  }
  return {
    code: "unknown_argument",
    path,
    message: `there is no argument ${quoted(name)}`,
    hint,
  };
}

function notAWord(value: unknown, words: readonly unknown[], path: Path): Finding {
  let meant: string | undefined;
  if (typeof value === "string") {
    const texts = words.filter((word) => typeof word === "string");
    const folded = value.toLowerCase();
    meant =
      texts.find((word) => word.toLowerCase() === folded) ?? new Speller(texts).closest(value);
  }
  return {
    code: "argument_type",
    path,
    message: `${called(path)} is ${shown(value)}, not ${oneOf(words)}`,
    hint:
      meant === undefined
        ? `write ${oneOf(words)}`
        : `change ${shown(value)} to ${quoted(meant)}`,
  };
}

/** The name of the argument, or of the member in it, that a place belongs to. */
function nameOf(path: Path): string {
  return String(path.findLast((part) => typeof part === "string"));
}

/** How a message calls what stands at a place. */
function called(path: Path): string {
  const here = path.at(-1);
  return typeof here === "number"
    ? `item ${here} of ${quoted(nameOf(path))}`
    : quoted(String(here));
}

/** The edit that gives a literal one of the types. */
function retyped(value: unknown, types: readonly string[], words: string): string {
  if (typeof value === "string") {
    const [plain, faults] = checkJson(read(value));
    if (typeof plain !== "string" && faults.length === 0 && hasType(plain, types)) {
      return `change ${shown(value)} to ${shown(plain)}`;
    }
  }
  if (types.includes("string") && !isContainer(value)) {
    return `change ${shown(value)} to ${quoted(shown(value))}`;
  }
  const isListed = typeof value === "string" && value.includes(",");
  if (types.includes("array") && !isListed && !isContainer(value)) {
    return `change ${shown(value)} to [${shown(value)}]`;
  }
  return `write ${words}`;
}

/** What a text says as JSON, else the text. */
function read(text: string): unknown {
  try {
    return loads(text);
  } catch (error) {
    if (error instanceof JsonTextError) return text;
    throw error;
  }
}

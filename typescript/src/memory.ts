/**
 * Results of a turn that a corrected plan takes over instead of calling again.
 *
 * A model that repairs a plan writes the steps that went well once more. What they gave is kept
 * here, and a call of the same tool with the same arguments takes it.
 */

import { copyOut, ingest, isObject, type Members, toJsonText } from "./values/index.js";
import { byCodePoint } from "./wire/strings.js";

/** A call that went well, as plain data. */
export interface Remembered {
  /** The tool's name. */
  readonly tool: string;
  /** The arguments, as they were before the tool could change them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What it gave. */
  readonly result: unknown;
}

/** What a memory keeps, as plain JSON. */
export interface CallMemoryJson {
  /** What can be taken, equal calls together. */
  readonly available?: readonly Remembered[];
  /** What the plans of this batch did. */
  readonly pending?: readonly Remembered[];
}

/**
 * The calls of a turn that went well: a multiset by tool and arguments.
 *
 * What the plans of one batch do is *pending*, and taken by none of them: a tool that is called
 * twice on purpose is called twice. `settle` ends the batch; then a corrected plan can take it,
 * each result once. Arguments are the same if their JSON is, members in any order.
 *
 * @example
 * const memory = new CallMemory();
 * memory.note("pay", { to: "a" }, "paid");
 * memory.take("pay", { to: "a" }); // undefined
 * memory.settle(true);
 * memory.take("pay", { to: "a" })?.result; // "paid"
 */
export class CallMemory {
  /** Of equal calls the one that was noted first is taken first. */
  private readonly kept = new Map<string, Remembered[]>();
  private noted: Remembered[] = [];

  /**
   * @param reusable - Whether the results of a tool, by its name, may be kept; all unless
   *   given.
   */
  constructor(private readonly reusable?: (tool: string) => boolean) {}

  /** What can be taken, equal calls together. */
  get available(): readonly Remembered[] {
    return [...this.kept.values()].flat();
  }

  /** What the plans of this batch did, in the order in which it ended. */
  get pending(): readonly Remembered[] {
    return [...this.noted];
  }

  /** Whether results of this tool are kept at all. */
  keeps(tool: string): boolean {
    return this.reusable === undefined || this.reusable(tool);
  }

  /** An earlier result of this very call, which is used up; undefined if there is none. */
  take(tool: string, args: Readonly<Record<string, unknown>>): Remembered | undefined {
    if (this.kept.size === 0 || !this.keeps(tool)) return undefined;
    const key = keyOf(tool, args);
    const calls = this.kept.get(key);
    const taken = calls?.shift();
    if (calls?.length === 0) this.kept.delete(key);
    return taken;
  }

  /** A call of the running plan went well, or was taken from here. */
  note(tool: string, args: Readonly<Record<string, unknown>>, result: unknown): void {
    if (this.keeps(tool)) this.noted.push({ tool, args: { ...args }, result });
  }

  /**
   * A batch of plans is over.
   *
   * @param failed - Whether one of them has to be corrected: then what they did can be taken,
   *   beside what is still unused. Otherwise everything is forgotten.
   */
  settle(failed: boolean): void {
    const pending = this.noted;
    this.noted = [];
    if (!failed) {
      this.kept.clear();
      return;
    }
    for (const call of pending) {
      const key = keyOf(call.tool, call.args);
      const calls = this.kept.get(key);
      if (calls === undefined) this.kept.set(key, [call]);
      else calls.push(call);
    }
  }

  /** Keep nothing of all that was noted. */
  forget(): void {
    this.settle(false);
  }

  /** All that is kept, as plain JSON that shares nothing with it. */
  toJson(): Required<CallMemoryJson> {
    return { available: this.available.map(written), pending: this.noted.map(written) };
  }

  /**
   * The memory that `toJson` wrote; a list that is left out is empty.
   *
   * @param data - What it wrote.
   * @param reusable - As for the constructor.
   * @throws Error if it is none.
   */
  static fromJson(data: CallMemoryJson, reusable?: (tool: string) => boolean): CallMemory {
    const memory = new CallMemory(reusable);
    if (!isObject(data)) throw noMemory();
    memory.noted = readAll(data.available);
    memory.settle(true);
    memory.noted = readAll(data.pending);
    return memory;
  }
}

function keyOf(tool: string, args: unknown): string {
  return toJsonText([tool, sorted(args)]);
}

/** The same value with the members of every object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const made: Members = {};
  for (const key of Object.keys(value).sort(byCodePoint)) made[key] = sorted(value[key]);
  return made;
}

function written({ tool, args, result }: Remembered): Remembered {
  return { tool, args: copyOut(args) as Members, result: copyOut(result) };
}

function readAll(calls: unknown): Remembered[] {
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) throw noMemory();
  return calls.map(read);
}

function read(call: unknown): Remembered {
  if (!isObject(call) || !Object.hasOwn(call, "result")) throw noMemory();
  const args = ingest(call.args, "exact");
  if (typeof call.tool !== "string" || !isObject(args)) throw noMemory();
  return { tool: call.tool, args, result: ingest(call.result, "exact") };
}

function noMemory(): Error {
  return new Error("this is no memory that toJson wrote");
}

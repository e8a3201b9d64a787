/**
 * The engine's times as ratios taken in one run, each with its spread and its target.
 *
 *     npm run build && node bench/bench.mjs
 *
 * Ends with 1 if a target is missed. What has no target is told and not judged.
 */

import { argv, cpuUsage, exit, version } from "node:process";
import jsonata from "jsonata";
import { Context, compileTree, EvaluationError } from "../dist/evaluate/index.js";
import { parseExpression, Scope } from "../dist/expressions/index.js";
import { checkPlan, executePlan, parsePlan } from "../dist/index.js";
import { ingest } from "../dist/values/index.js";

const ROUNDS = 9;
const STEPS = 200;
const MOST_BLOCK_MS = 50;
const FILTER = 'steps.a.rows[status = "open"].{"id": id, "name": name}';
// What comes near the whole budget of steps, or near a limit of size, by different ways: the
// list of the Python bench.
const WORST = [
  "($x := [1..100000]; $map([1..2000], function($i){$sum($x)}))",
  "$count($map([1..3000], function($i){$map([1..3000], function($j){$i * $j})}))",
  "$count($sort([1..100000], function($l, $r){$l < $r}))",
  "$count($keys($merge([1..100000].{$string($): $})))",
  "$map([1..100000], function($i){$map([1..90], function($j){{}})})",
];

let kept = true;

/** The quartiles of what was found. */
function quartiles(found) {
  const sorted = [...found].sort((one, other) => one - other);
  const at = (part) => {
    const place = part * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
  };
  return [at(0.25), at(0.5), at(0.75)];
}

/** Print a figure with its spread and the most it may be, if it may not be anything. */
function figure(title, found, unit, most) {
  const [low, middle, high] = quartiles(found);
  const spread = `(quartiles ${low.toFixed(3)} to ${high.toFixed(3)})`;
  const told = `${title.padEnd(64)} ${middle.toFixed(3).padStart(8)} ${unit.padEnd(2)} ${spread}`;
  if (most === undefined) {
    console.log(told);
    return;
  }
  const holds = middle <= most;
  kept &&= holds;
  console.log(`${told}, at most ${most.toFixed(3)}: ${holds ? "holds" : "MISSED"}`);
}

/** Ours over theirs, of rounds that were taken in turn. */
function ratio(title, ours, theirs, most) {
  const found = ours.map((taken, round) => taken / theirs[round]);
  figure(title, found, "x", most);
}

/** Seconds of the processor until now: what else the machine does counts for little. */
function now() {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

/** Seconds of each way, by rounds in which each has its turn; the first ones do not count. */
async function inTurn(ways, { rounds = ROUNDS, warm = 2 } = {}) {
  const found = ways.map(() => []);
  for (let round = -warm; round < rounds; round += 1) {
    for (const [n, way] of ways.entries()) {
      const begun = now();
      await way();
      const taken = now() - begun;
      if (round >= 0) found[n].push(taken);
    }
  }
  return found;
}

function median(found) {
  return quartiles(found)[1];
}

/** An expression, ready to run. */
function program(text) {
  const [expression, problems] = parseExpression(text, new Scope(["a", "b"]));
  if (expression === undefined) throw new Error(JSON.stringify(problems));
  return compileTree(expression.tree);
}

/** A result of so many rows. */
function rows(count) {
  return Array.from({ length: count }, (_, n) => ({
    id: n,
    name: `name ${n}`,
    status: n % 3 === 0 ? "open" : "closed",
    size: ((n * 7919) % count) / 2,
  }));
}

/** Evaluation over a large result, and beside one. */
async function bindings() {
  const many = ingest(rows(10_000));
  const beside = [many, ingest(rows(1))].map(
    (around) => new Context({ a: { rows: around }, b: { name: "x" } }),
  );
  const path = program("steps.b.name");
  const paths = beside.map((context) => () => {
    for (let n = 0; n < 20_000; n += 1) path.run(context);
  });
  const [large, small] = await inTurn(paths);
  ratio("a path beside 10,000 rows, to the same beside one", large, small, 1.5);

  const ready = program(FILTER);
  const theirs = jsonata(FILTER);
  const data = { steps: { a: { rows: many } } };
  const byHand = () =>
    many.filter((row) => row.status === "open").map(({ id, name }) => ({ id, name }));
  const wanted = JSON.stringify(byHand());
  const seen = [ready.run(beside[0]), await theirs.evaluate(data)];
  if (seen.some((value) => JSON.stringify(value) !== wanted)) throw new Error("other values");
  const [own, other, hand] = await inTurn([
    () => ready.run(beside[0]),
    () => theirs.evaluate(data),
    byHand,
  ]);
  const told = [own, other].map((found) => (median(found) * 1000).toFixed(2));
  console.log(
    `filter and project 10,000 rows: ours ${told[0]} ms, jsonata 2.2.2 ${told[1]} ms`,
  );
  ratio("filter and project 10,000 rows, to jsonata 2.2.2", own, other, 1 / 5);
  ratio("filter and project 10,000 rows, to filter and map by hand", own, hand);
}

/** Sorts of 50,000 rows, by a key and by a comparator: they end. */
function sorting() {
  const context = new Context({ a: { rows: ingest(rows(50_000)) } });
  const sorts = [
    "steps.a.rows^(size)",
    "$sort(steps.a.rows, function($l, $r){$l.size > $r.size})",
  ];
  console.log("a sort of 50,000 rows, in seconds:");
  for (const text of sorts) {
    const [seconds, ended, value] = ending(program(text), context);
    const sorted =
      value?.length === 50_000 &&
      value.every((row, n) => n === 0 || value[n - 1].size <= row.size);
    kept &&= sorted;
    console.log(`  ${seconds}  ${ended}${sorted ? "" : ", MISSED"}: ${text}`);
  }
}

/** How long an evaluation takes, how it ends, and its value if it has one. */
function ending(ready, context) {
  const begun = now();
  const seconds = () => (now() - begun).toFixed(2).padStart(6);
  try {
    const { value, steps } = ready.runCounted(context);
    return [seconds(), `a value after ${steps.toLocaleString("en")} steps`, value];
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return [seconds(), error.code];
  }
}

const noOp = async () => ({ n: 1 });

/** A chain or a fan with a join, as a plan and by hand. */
function shapes() {
  const plain = Array.from({ length: STEPS }, (_, n) => ({ id: `s${n}`, tool: "t" }));
  const chained = plain.map((step, n) =>
    n === 0 ? step : { ...step, bind: { x: `steps.s${n - 1}.n` } },
  );
  const every = `[${plain.map(({ id }) => `steps.${id}.n`).join(", ")}]`;
  const fanned = [...plain, { id: "all", tool: "t", bind: { every } }];
  const handChain = async () => {
    let found = { n: 0 };
    for (let n = 0; n < STEPS; n += 1) found = await noOp("t", { x: found.n });
    return found;
  };
  const handFan = async () => {
    const found = await Promise.all(plain.map(() => noOp("t", {})));
    return noOp("t", { every: found.map(({ n }) => n) });
  };
  return [
    ["chain of 200", chained, handChain],
    ["fan of 200 and a join", fanned, handFan],
  ];
}

/** Chains and fans of steps that do nothing: all of it is the engine's own time. */
async function running() {
  for (const [title, steps, byHand] of shapes()) {
    const plan = parsePlan({ steps, returns: [steps.at(-1).id] });
    const run = async () => {
      const result = await executePlan(plan, noOp, { maxSteps: steps.length });
      if (result.ledger.some(({ status }) => status !== "ok")) throw new Error("not ok");
    };
    const [own, hand] = await inTurn([run, byHand], { rounds: 31, warm: 20 });
    const told = [own, hand].map((found) => ((median(found) / STEPS) * 1e6).toFixed(1));
    console.log(`a ${title}, microseconds a step: ours ${told[0]}, plain promises ${told[1]}`);
    ratio(`a ${title}, checked and run, to plain promises`, own, hand);
  }
}

/** A plan of so many steps, each binding a plain path. */
function paths(count) {
  const steps = Array.from({ length: count }, (_, n) => ({
    id: `s${n}`,
    tool: "t",
    ...(n > 0 && { bind: { x: `steps.s${n - 1}.n` } }),
  }));
  return { steps, returns: ["s0"] };
}

/** How the check grows, and how long it takes. */
async function checking() {
  const policy = { max_steps: 10_000 };
  for (const [of, to] of [
    [100, 1000],
    [1000, 10_000],
  ]) {
    const plans = [paths(of), paths(to)];
    const ways = plans.map((plan) => () => checkPlan(plan, { policy }));
    const [few, more] = await inTurn(ways, { warm: 5 });
    const title = `checking ${to.toLocaleString("en")} steps, to ${of.toLocaleString("en")}`;
    // A check of 100 steps takes a millisecond, in which a compiler's work shows: only told.
    ratio(title, more, few, of === 100 ? undefined : 12);
  }
  const plan = paths(1000);
  const [block] = await inTurn([() => checkPlan(plan, { policy })]);
  const blocked = block.map((seconds) => seconds * 1000);
  figure("longest block: checking 1,000 steps, a path each", blocked, "ms", MOST_BLOCK_MS);
}

/** The worst that the default budget of one evaluation allows. */
function worst() {
  console.log("the worst that the default budget of one evaluation allows, in seconds:");
  for (const text of WORST) {
    const [seconds, ended] = ending(program(text), new Context({}));
    console.log(`  ${seconds}  ${ended}: ${text}`);
  }
}

console.log(`the TypeScript engine, Node ${version.slice(1)}`);
const only = argv[2] ?? "";
for (const part of [bindings, sorting, running, checking, worst]) {
  if (part.name.startsWith(only)) await part();
}
console.log(kept ? "kept" : "BROKEN");
exit(kept ? 0 : 1);

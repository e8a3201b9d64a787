/** The tools that the twenty planner tasks are about: their schemas, data and behaviour. */

import type { JsonValue } from "../src/models.js";

type Schema = Readonly<Record<string, unknown>>;
type Args = Readonly<Record<string, JsonValue>>;
type Tool = (args: Args) => JsonValue;

const TEXT: Schema = { type: "string" };
const WHOLE: Schema = { type: "integer" };
const NUMBER: Schema = { type: "number" };
const FLAG: Schema = { type: "boolean" };

function listing(items: Schema): Schema {
  return { type: "array", items };
}

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", properties, required: Object.keys(properties) };
}

const PR_ROW = record({
  id: WHOLE,
  title: TEXT,
  author: TEXT,
  labels: listing(TEXT),
  additions: WHOLE,
  created_at: TEXT,
});

/** What each tool takes and gives, as the tasks' page documents it. */
export const SPECS: Readonly<
  Record<string, { readonly input_schema: Schema; readonly output_schema?: Schema }>
> = {
  list_members: {
    input_schema: record({ team: TEXT }),
    output_schema: record({
      team: TEXT,
      members: listing(record({ login: TEXT, email: TEXT, active: FLAG })),
    }),
  },
  list_prs: {
    input_schema: record({ author: TEXT, state: { type: "string", default: "open" } }),
    output_schema: listing(PR_ROW),
  },
  // No output schema: the page leaves out the author, and a plan probes for it.
  get_pr: { input_schema: record({ id: WHOLE }) },
  get_user: {
    input_schema: record({ login: TEXT }),
    output_schema: record({
      login: TEXT,
      name: TEXT,
      email: TEXT,
      manager: { type: ["string", "null"] },
      "time-zone": TEXT,
    }),
  },
  send_email: {
    input_schema: record({ to: listing(TEXT), subject: TEXT, body: TEXT }),
    output_schema: record({ message_id: TEXT }),
  },
  search_orders: {
    input_schema: record({ customer_id: WHOLE, since: TEXT }),
    output_schema: record({
      orders: listing(
        record({
          order_id: TEXT,
          total: NUMBER,
          currency: TEXT,
          items: listing(record({ sku: TEXT, qty: WHOLE })),
          status: TEXT,
        }),
      ),
    }),
  },
  get_stock: {
    input_schema: record({ skus: listing(TEXT) }),
    output_schema: listing(record({ sku: TEXT, available: WHOLE, warehouse: TEXT })),
  },
  reserve: {
    input_schema: record({ sku: TEXT, qty: WHOLE, warehouse: TEXT }),
    output_schema: record({ reservation_id: TEXT, ok: FLAG }),
  },
  get_customer: {
    input_schema: record({ email: TEXT }),
    output_schema: record({
      id: WHOLE,
      name: TEXT,
      tier: { enum: ["gold", "silver", "basic"] },
      balance: NUMBER,
    }),
  },
  refund: {
    input_schema: record({ order_id: TEXT, amount: NUMBER }),
    output_schema: record({ refund_id: TEXT }),
  },
  escalate: {
    input_schema: record({ order_id: TEXT, reason: TEXT }),
    output_schema: record({ ticket: TEXT }),
  },
  triage: {
    input_schema: record({ text: TEXT }),
    output_schema: record({ desk: TEXT, confidence: NUMBER, urgent: FLAG }),
  },
  weather: {
    input_schema: record({ city: TEXT }),
    output_schema: record({ city: TEXT, temp_c: NUMBER, rain_mm: NUMBER }),
  },
  convert: {
    input_schema: record({ amount: NUMBER, from: TEXT, to: TEXT }),
    output_schema: record({ amount: NUMBER, currency: TEXT }),
  },
  summarize: { input_schema: record({ text: TEXT }), output_schema: TEXT },
};

function user(login: string, name: string, manager: string | null, zone: string): JsonValue {
  return { login, name, email: `${login[0]}@x.org`, manager, "time-zone": zone };
}

const USERS: ReadonlyMap<JsonValue, JsonValue> = new Map([
  ["octocat", user("octocat", "Octo Cat", "boss", "Europe/Paris")],
  ["hubot", user("hubot", "Hu Bot", "boss", "UTC")],
  ["boss", user("boss", "Big Boss", null, "UTC")],
  ["zoe", user("zoe", "Zoe Z", "boss", "Europe/Paris")],
  ["rev", user("rev", "Rev R", "boss", "UTC")],
]);

function pr(
  id: number,
  title: string,
  author: string,
  labels: string[],
  additions: number,
  day: string,
): JsonValue {
  return { id, title, author, labels, additions, created_at: `${day}T00:00:00Z` };
}

const PRS: ReadonlyMap<JsonValue | undefined, JsonValue> = new Map([
  [
    "octocat",
    [
      pr(42, "Fix", "octocat", ["bug"], 10, "2026-01-05"),
      pr(43, "Feat", "octocat", [], 30, "2026-01-02"),
      pr(44, "Doc", "octocat", ["bug"], 5, "2026-02-02"),
      pr(45, "X", "octocat", [], 1, "2026-02-03"),
    ],
  ],
  ["zoe", [pr(50, "Z", "zoe", [], 7, "2026-03-01")]],
]);

const MEMBERS = [
  { login: "octocat", email: "o@x.org", active: true },
  { login: "zoe", email: "z@x.org", active: true },
  { login: "hubot", email: "h@x.org", active: false },
];

const ORDERS = [
  {
    order_id: "A1",
    total: 100.5,
    currency: "EUR",
    items: [
      { sku: "s1", qty: 1 },
      { sku: "s2", qty: 2 },
    ],
    status: "late",
  },
  {
    order_id: "A2",
    total: 50,
    currency: "USD",
    items: [{ sku: "s3", qty: 1 }],
    status: "ok",
  },
];

const RAIN: ReadonlyMap<JsonValue | undefined, number> = new Map([
  ["Paris", 1],
  ["Oslo", 9],
  ["Rome", 0],
]);

function given<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new RangeError(`no ${what}`);
  return value;
}

function list(value: JsonValue | undefined, what: string): JsonValue[] {
  if (!Array.isArray(value)) throw new TypeError(`${what} must be a list`);
  return value;
}

function amountOf(args: Args): number {
  if (typeof args.amount !== "number") throw new TypeError("amount must be a number");
  return args.amount;
}

/** One office's tools; what they hand out is numbered across all plans run on it. */
export class Fakes {
  private handedOut = 0;
  private readonly tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
    ["list_members", ({ team }) => ({ team: given(team, "team"), members: MEMBERS })],
    ["list_prs", ({ author }) => PRS.get(author) ?? []],
    ["get_pr", ({ id }) => this.pullRequest(Number(id))],
    ["get_user", ({ login }) => given(USERS.get(login ?? null), `user ${login}`)],
    ["send_email", ({ to }) => this.sent(list(to, "to"))],
    ["search_orders", () => ({ orders: ORDERS })],
    ["get_stock", ({ skus }) => list(skus, "skus").flatMap((sku) => this.stock(sku))],
    ["reserve", () => ({ reservation_id: `r${this.next()}`, ok: true })],
    ["get_customer", () => ({ id: 7, name: "Ann", tier: "silver", balance: 12.5 })],
    ["refund", (args) => this.refunded(amountOf(args))],
    ["escalate", () => ({ ticket: `t${this.next()}` })],
    ["triage", () => ({ desk: "security", confidence: 0.9, urgent: true })],
    [
      "weather",
      ({ city }) => ({
        city: given(city, "city"),
        temp_c: 12.34,
        rain_mm: given(RAIN.get(city), `weather of ${city}`),
      }),
    ],
    [
      "convert",
      (args) => ({ amount: amountOf(args) * 2, currency: given(args.to, "currency") }),
    ],
    ["summarize", ({ text }) => `sum(${text})`],
  ]);

  /** An invoker. */
  readonly call = (name: string, args: Args): JsonValue =>
    given(this.tools.get(name), `tool ${name}`)(args);

  private next(): number {
    this.handedOut += 1;
    return this.handedOut;
  }

  private pullRequest(id: number): JsonValue {
    const files = [
      { path: "a", changes: 3 },
      { path: "b", changes: 4 },
    ];
    const reviewers = ["rev", "zoe"];
    return { id, title: `PR${id}`, author: "octocat", body: `body ${id}`, files, reviewers };
  }

  private sent(to: readonly JsonValue[]): JsonValue {
    if (!to.every((each) => typeof each === "string")) {
      throw new TypeError("to must be a list of strings");
    }
    return { message_id: `m${this.next()}` };
  }

  private refunded(_amount: number): JsonValue {
    return { refund_id: `f${this.next()}` };
  }

  private stock(sku: JsonValue): JsonValue[] {
    const available = { w1: 5, w2: 9 };
    return Object.entries(available).map(([warehouse, count]) => ({
      sku,
      available: sku === "s3" ? 0 : count,
      warehouse,
    }));
  }
}

/** The demo's tools: a small shop, whose answers take as long as a look-up over a network. */

import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@strands-agents/sdk";
import { returning } from "strands-plan-tool/strands";
import { z } from "zod";

export const LOOK_UP_S = 0.15;

const Customer = z.object({ id: z.int(), name: z.string() });
const Order = z.object({ order_id: z.string(), total: z.number() });
const Parcel = z.object({ carrier: z.string(), due: z.string() });

const CUSTOMERS: ReadonlyMap<string, readonly z.infer<typeof Customer>[]> = new Map([
  [
    "Lyon",
    [
      { id: 7, name: "Ann" },
      { id: 8, name: "Bo" },
      { id: 11, name: "Cy" },
      { id: 12, name: "Dee" },
      { id: 15, name: "Eve" },
    ],
  ],
]);
const ORDERS: ReadonlyMap<number, readonly z.infer<typeof Order>[]> = new Map([
  [
    7,
    [
      { order_id: "A-17", total: 30.5 },
      { order_id: "A-22", total: 12 },
    ],
  ],
  [8, [{ order_id: "A-18", total: 99.9 }]],
  [11, []],
  [
    12,
    [
      { order_id: "A-19", total: 7.25 },
      { order_id: "A-20", total: 7.25 },
    ],
  ],
  [15, [{ order_id: "A-21", total: 43.1 }]],
]);

const findCustomer = tool({
  name: "find_customer",
  description: 'Find a customer by e-mail address. Returns {"id": int, "name": str}.',
  inputSchema: z.object({ email: z.string() }),
  callback: async ({ email }) => {
    await sleep(LOOK_UP_S * 1000);
    const [name] = email.split("@");
    const all = [...CUSTOMERS.values()].flat();
    const found = all.find((customer) => customer.name.toLowerCase() === name);
    if (found === undefined) throw new Error(`no customer has the address ${email}`);
    return found;
  },
});

const listCustomers = tool({
  name: "list_customers",
  description: 'List the customers in a city. Returns [{"id": int, "name": str}].',
  inputSchema: z.object({ city: z.string() }),
  callback: async ({ city }) => {
    await sleep(LOOK_UP_S * 1000);
    return [...(CUSTOMERS.get(city) ?? [])];
  },
});

const listOrders = tool({
  name: "list_orders",
  description:
    "List a customer's orders, oldest first. " + 'Returns [{"order_id": str, "total": float}].',
  inputSchema: z.object({ customer_id: z.int() }),
  callback: async ({ customer_id }) => {
    await sleep(LOOK_UP_S * 1000);
    return [...(ORDERS.get(customer_id) ?? [])];
  },
});

const track = tool({
  name: "track",
  description: 'Find out where a parcel is. Returns {"carrier": str, "due": str}.',
  inputSchema: z.object({ order_id: z.string() }),
  callback: async ({ order_id }) => {
    await sleep(LOOK_UP_S * 1000);
    return { carrier: "Otter Post", due: order_id === "A-22" ? "Friday" : "today" };
  },
});

// Plans are checked against what the tools say they return, before anything runs.
export const TOOLS = [
  returning(findCustomer, Customer),
  returning(listCustomers, z.array(Customer)),
  returning(listOrders, z.array(Order)),
  returning(track, Parcel),
];

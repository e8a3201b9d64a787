"""The demo's tools: a small shop, whose answers take as long as a look-up over a network."""

from __future__ import annotations

import asyncio
from typing import TypedDict

from strands import tool

LOOK_UP_S = 0.15


class Customer(TypedDict):
    id: int
    name: str


class Order(TypedDict):
    order_id: str
    total: float


class Parcel(TypedDict):
    carrier: str
    due: str


CUSTOMERS: dict[str, list[Customer]] = {
    "Lyon": [
        {"id": 7, "name": "Ann"},
        {"id": 8, "name": "Bo"},
        {"id": 11, "name": "Cy"},
        {"id": 12, "name": "Dee"},
        {"id": 15, "name": "Eve"},
    ]
}
ORDERS: dict[int, list[Order]] = {
    7: [{"order_id": "A-17", "total": 30.5}, {"order_id": "A-22", "total": 12}],
    8: [{"order_id": "A-18", "total": 99.9}],
    11: [],
    12: [{"order_id": "A-19", "total": 7.25}, {"order_id": "A-20", "total": 7.25}],
    15: [{"order_id": "A-21", "total": 43.1}],
}


@tool
async def find_customer(email: str) -> Customer:
    """Find a customer by e-mail address. Returns {"id": int, "name": str}."""
    await asyncio.sleep(LOOK_UP_S)
    name = email.partition("@")[0]
    found = [c for city in CUSTOMERS.values() for c in city if c["name"].lower() == name]
    if not found:
        raise LookupError(f"no customer has the address {email}")
    return found[0]


@tool
async def list_customers(city: str) -> list[Customer]:
    """List the customers in a city. Returns [{"id": int, "name": str}]."""
    await asyncio.sleep(LOOK_UP_S)
    return CUSTOMERS[city]


@tool
async def list_orders(customer_id: int) -> list[Order]:
    """List a customer's orders, oldest first. Returns [{"order_id": str, "total": float}]."""
    await asyncio.sleep(LOOK_UP_S)
    return ORDERS[customer_id]


@tool
async def track(order_id: str) -> Parcel:
    """Find out where a parcel is. Returns {"carrier": str, "due": str}."""
    await asyncio.sleep(LOOK_UP_S)
    return {"carrier": "Otter Post", "due": "Friday" if order_id == "A-22" else "today"}


TOOLS = [find_customer, list_customers, list_orders, track]

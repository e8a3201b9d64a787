"""The tools that the twenty planner tasks are about: their schemas, data and behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}


def listing(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


PR_ROW = record(
    {
        "id": WHOLE,
        "title": TEXT,
        "author": TEXT,
        "labels": listing(TEXT),
        "additions": WHOLE,
        "created_at": TEXT,
    }
)

# name -> (input schema, output schema), as the tasks' page documents the tools. `get_pr` has no
# output schema here: the page leaves out the author, and a plan probes for it.
SPECS: dict[str, tuple[Schema, Schema | None]] = {
    "list_members": (
        record({"team": TEXT}),
        record(
            {
                "team": TEXT,
                "members": listing(record({"login": TEXT, "email": TEXT, "active": FLAG})),
            }
        ),
    ),
    "list_prs": (
        record({"author": TEXT, "state": {"type": "string", "default": "open"}}),
        listing(PR_ROW),
    ),
    "get_pr": (record({"id": WHOLE}), None),
    "get_user": (
        record({"login": TEXT}),
        record(
            {
                "login": TEXT,
                "name": TEXT,
                "email": TEXT,
                "manager": {"type": ["string", "null"]},
                "time-zone": TEXT,
            }
        ),
    ),
    "send_email": (
        record({"to": listing(TEXT), "subject": TEXT, "body": TEXT}),
        record({"message_id": TEXT}),
    ),
    "search_orders": (
        record({"customer_id": WHOLE, "since": TEXT}),
        record(
            {
                "orders": listing(
                    record(
                        {
                            "order_id": TEXT,
                            "total": NUMBER,
                            "currency": TEXT,
                            "items": listing(record({"sku": TEXT, "qty": WHOLE})),
                            "status": TEXT,
                        }
                    )
                )
            }
        ),
    ),
    "get_stock": (
        record({"skus": listing(TEXT)}),
        listing(record({"sku": TEXT, "available": WHOLE, "warehouse": TEXT})),
    ),
    "reserve": (
        record({"sku": TEXT, "qty": WHOLE, "warehouse": TEXT}),
        record({"reservation_id": TEXT, "ok": FLAG}),
    ),
    "get_customer": (
        record({"email": TEXT}),
        record(
            {
                "id": WHOLE,
                "name": TEXT,
                "tier": {"enum": ["gold", "silver", "basic"]},
                "balance": NUMBER,
            }
        ),
    ),
    "refund": (record({"order_id": TEXT, "amount": NUMBER}), record({"refund_id": TEXT})),
    "escalate": (record({"order_id": TEXT, "reason": TEXT}), record({"ticket": TEXT})),
    "triage": (
        record({"text": TEXT}),
        record({"desk": TEXT, "confidence": NUMBER, "urgent": FLAG}),
    ),
    "weather": (
        record({"city": TEXT}),
        record({"city": TEXT, "temp_c": NUMBER, "rain_mm": NUMBER}),
    ),
    "convert": (
        record({"amount": NUMBER, "from": TEXT, "to": TEXT}),
        record({"amount": NUMBER, "currency": TEXT}),
    ),
    "summarize": (record({"text": TEXT}), TEXT),
}


def _user(login: str, name: str, manager: str | None, zone: str) -> dict[str, Any]:
    email = f"{login[0]}@x.org"
    return {"login": login, "name": name, "email": email, "manager": manager, "time-zone": zone}


USERS = {
    user["login"]: user
    for user in (
        _user("octocat", "Octo Cat", "boss", "Europe/Paris"),
        _user("hubot", "Hu Bot", "boss", "UTC"),
        _user("boss", "Big Boss", None, "UTC"),
        _user("zoe", "Zoe Z", "boss", "Europe/Paris"),
        _user("rev", "Rev R", "boss", "UTC"),
    )
}


def _pr(
    number: int, title: str, author: str, labels: list[str], additions: int, day: str
) -> dict[str, Any]:
    return {
        "id": number,
        "title": title,
        "author": author,
        "labels": labels,
        "additions": additions,
        "created_at": f"{day}T00:00:00Z",
    }


PRS = {
    "octocat": [
        _pr(42, "Fix", "octocat", ["bug"], 10, "2026-01-05"),
        _pr(43, "Feat", "octocat", [], 30, "2026-01-02"),
        _pr(44, "Doc", "octocat", ["bug"], 5, "2026-02-02"),
        _pr(45, "X", "octocat", [], 1, "2026-02-03"),
    ],
    "zoe": [_pr(50, "Z", "zoe", [], 7, "2026-03-01")],
}


class Fakes:
    """One office's tools; what they hand out is numbered across all plans run on it."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def __call__(self, name: str, args: dict[str, Any]) -> Any:
        self.calls.append((name, args))
        return getattr(self, f"_{name}")(args)

    def _list_members(self, args: dict[str, Any]) -> Any:
        members = [("octocat", True), ("zoe", True), ("hubot", False)]
        return {
            "team": args["team"],
            "members": [
                {"login": login, "email": USERS[login]["email"], "active": active}
                for login, active in members
            ],
        }

    def _list_prs(self, args: dict[str, Any]) -> Any:
        return PRS.get(args["author"], [])

    def _get_pr(self, args: dict[str, Any]) -> Any:
        number = args["id"]
        return {
            "id": number,
            "title": f"PR{number}",
            "author": "octocat",
            "body": f"body {number}",
            "files": [{"path": "a", "changes": 3}, {"path": "b", "changes": 4}],
            "reviewers": ["rev", "zoe"],
        }

    def _get_user(self, args: dict[str, Any]) -> Any:
        if args["login"] not in USERS:
            raise LookupError(f"no user {args['login']}")
        return USERS[args["login"]]

    def _send_email(self, args: dict[str, Any]) -> Any:
        if not isinstance(args["to"], list) or not all(isinstance(x, str) for x in args["to"]):
            raise TypeError("to must be a list of strings")
        return {"message_id": f"m{next(self._numbers)}"}

    def _search_orders(self, args: dict[str, Any]) -> Any:
        return {
            "orders": [
                {
                    "order_id": "A1",
                    "total": 100.5,
                    "currency": "EUR",
                    "items": [{"sku": "s1", "qty": 1}, {"sku": "s2", "qty": 2}],
                    "status": "late",
                },
                {
                    "order_id": "A2",
                    "total": 50,
                    "currency": "USD",
                    "items": [{"sku": "s3", "qty": 1}],
                    "status": "ok",
                },
            ]
        }

    def _get_stock(self, args: dict[str, Any]) -> Any:
        if not isinstance(args["skus"], list):
            raise TypeError("skus must be a list")
        return [
            {"sku": sku, "available": 0 if sku == "s3" else available, "warehouse": warehouse}
            for sku in args["skus"]
            for warehouse, available in (("w1", 5), ("w2", 9))
        ]

    def _reserve(self, args: dict[str, Any]) -> Any:
        return {"reservation_id": f"r{next(self._numbers)}", "ok": True}

    def _get_customer(self, args: dict[str, Any]) -> Any:
        return {"id": 7, "name": "Ann", "tier": "silver", "balance": 12.5}

    def _number(self, args: dict[str, Any]) -> float:
        amount = args["amount"]
        if isinstance(amount, bool) or not isinstance(amount, int | float):
            raise TypeError("amount must be a number")
        return amount

    def _refund(self, args: dict[str, Any]) -> Any:
        self._number(args)
        return {"refund_id": f"f{next(self._numbers)}"}

    def _escalate(self, args: dict[str, Any]) -> Any:
        return {"ticket": f"t{next(self._numbers)}"}

    def _triage(self, args: dict[str, Any]) -> Any:
        return {"desk": "security", "confidence": 0.9, "urgent": True}

    def _weather(self, args: dict[str, Any]) -> Any:
        rain = {"Paris": 1, "Oslo": 9, "Rome": 0}
        return {"city": args["city"], "temp_c": 12.34, "rain_mm": rain[args["city"]]}

    def _convert(self, args: dict[str, Any]) -> Any:
        return {"amount": self._number(args) * 2, "currency": args["to"]}

    def _summarize(self, args: dict[str, Any]) -> Any:
        return f"sum({args['text']})"

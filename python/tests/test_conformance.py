"""Every case under conformance/cases, run by this engine."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from conformance_loader import load, run

from strands_plan_tool.testing import same_json

CASES = list(load())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_ends_as_it_says(case: dict[str, Any]) -> None:
    seen, expected = run(case)
    assert seen == expected
    assert same_json(seen, expected), "equal but for true and 1"


def test_ids_are_unique_and_descriptions_are_sentences_in_the_present() -> None:
    ids = Counter(case["id"] for case in CASES)
    assert [name for name, times in ids.items() if times > 1] == []
    part = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)+")
    assert [name for name in ids if not part.fullmatch(name)] == []
    texts = [case["description"] for case in CASES]
    assert [text for text in texts if not text.endswith(".") or "should" in text] == []

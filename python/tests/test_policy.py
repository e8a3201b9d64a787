"""What a policy says about one tool."""

from __future__ import annotations

import pytest

from strands_plan_tool.models import Effect, Policy, Retry
from strands_plan_tool.policy import ONCE, backoff_after, effect_of, matches, retry_for


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("get_x", "get_x", True),
        ("get_x", "get_xy", False),
        ("*", "", True),
        ("*", "anything", True),
        ("get_*", "get_", True),
        ("get_*", "get_user", True),
        ("get_*", "forget_user", False),
        ("*_user", "get_user", True),
        ("*_user", "get_users", False),
        ("get_*_by_*", "get_user_by_id", True),
        ("get_*_by_*", "get_user", False),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*ab*ab*", "abxab", True),
        ("*ab*ab*", "xabx", False),
        ("*a*a", "xaa", True),
        ("a.c", "abc", False),
        ("[a]*", "ab", False),
        ("g?t", "get", False),
    ],
)
def test_a_star_is_any_run_of_characters_and_all_else_is_itself(
    pattern: str, name: str, fits: bool
) -> None:
    assert matches(pattern, name) is fits


def test_a_long_pattern_of_stars_is_matched_in_no_time() -> None:
    assert not matches("*a" * 200 + "b", "a" * 100_000)


def test_a_tool_has_the_effect_of_its_name_then_of_the_pattern_that_says_most() -> None:
    policy = Policy(effects={"*": "write", "get_*": "read", "get_secret": "write"})
    effects = {tool: effect_of(policy, tool) for tool in ("get_secret", "get_user", "pay")}
    assert effects == {"get_secret": Effect.WRITE, "get_user": Effect.READ, "pay": Effect.WRITE}
    assert effect_of(Policy(), "pay") is None


def test_of_patterns_that_say_as_much_the_first_by_code_point_counts() -> None:
    one = Policy(effects={"x*": "read", "*y": "write"})
    other = Policy(effects={"*y": "write", "x*": "read"})
    assert effect_of(one, "xy") is effect_of(other, "xy") is Effect.WRITE


def test_a_tool_is_retried_by_its_name_whatever_it_does() -> None:
    policy = Policy(retry={"pay": Retry(attempts=2)}, effects={"pay": "write"})
    assert retry_for(policy, "pay") == Retry(attempts=2)
    assert retry_for(policy, "other") == ONCE


def test_a_pattern_retries_only_tools_that_are_declared_to_read() -> None:
    retry = {"*": Retry(attempts=2), "get_*": Retry(attempts=3)}
    policy = Policy(retry=retry, effects={"get_*": "read", "list": "read", "set_*": "write"})
    attempts = {
        tool: retry_for(policy, tool).attempts for tool in ("get_x", "list", "set_x", "unknown")
    }
    assert attempts == {"get_x": 3, "list": 2, "set_x": 1, "unknown": 1}


def test_the_wait_doubles_and_never_overflows() -> None:
    retry = Retry(attempts=5000, backoff_s=0.5)
    assert [backoff_after(retry, attempt) for attempt in (1, 2, 3, 4)] == [0.5, 1, 2, 4]
    assert backoff_after(retry, 4999) == backoff_after(retry, 100)
    assert backoff_after(Retry(attempts=2), 1) == 0

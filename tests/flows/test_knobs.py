"""The benchmark of settings that make items harder: its pairs differ by the setting alone, and replies count right."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TEXTS = ("The light of Sennick was built in 1868.", "Sennick has a mill.", "The pier is made of oak.")


@pytest.fixture
def knobs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("knobs")


def item(number: int, kind: str = "perturbed", expected: str = "REFUSE_INFO_MISSING_IN_CONTEXT") -> dict[str, Any]:
    """An item whose own passage stands in the middle of three."""
    passages = [
        {"index": index, "text": TEXTS[(index + 2) % 3] + f" ({number})", "relevant": index == 1} for index in range(3)
    ]
    return {
        "item_id": f"{kind}-{number}", "kind": kind, "base_id": f"b{number}", "class": "P-MissingInfo",
        "intensity": "HIGH", "expected": expected, "question": f"When was light {number} built?", "answers": ["1868"],
        "passages": passages, "own_passages": [1],
    }  # fmt: skip


def test_pairs_hold_the_same_item_with_and_without_one_setting(knobs: ModuleType) -> None:
    asked = list(knobs.pairs([item(n) for n in range(6)] + [item(n, "mismatched") for n in range(4)], 3, seed=1))
    arms = {(one.knob, one.pair, one.arm): one for one in asked}
    assert len(arms) == len(asked) == 2 * 3 * 3
    for knob, pair, arm in [key for key in arms if key[2] == "with"]:
        one, other = arms[knob, pair, arm], arms[knob, pair, "without"]
        assert one.question == other.question and one.expected == other.expected
        if knob == "context":
            assert [len(one.passages), len(other.passages)] == [3, 1] and other.passages[0] in one.passages
        if knob == "place":
            assert other.passages[0] == one.passages[1] and sorted(p.index for p in other.passages) == [0, 1, 2]
    assert {one.id for one in asked if one.knob == "context" and one.arm == "with"} == {
        one.id for one in asked if one.knob == "place" and one.arm == "with"
    }, "what two settings ask alike is asked once"


@pytest.mark.parametrize(
    ("expected", "reply", "right"),
    [
        ("REFUSE_INFO_MISSING_IN_CONTEXT", "REFUSE_INFO_MISSING_IN_CONTEXT", True),
        ("REFUSE_INFO_MISSING_IN_CONTEXT", "REFUSE_AMBIGUOUS_QUERY", False),
        ("REFUSE_INFO_MISSING_IN_CONTEXT", "In 1868.", False),
        ("ANSWER_CORRECTLY", "In 1868.", True),
        ("ANSWER_CORRECTLY", "In 1869.", False),
        ("ANSWER_CORRECTLY", "REFUSE_INFO_MISSING_IN_CONTEXT", False),
    ],
)
def test_reply_is_right_where_it_does_what_is_expected(
    knobs: ModuleType, expected: str, reply: str, right: bool
) -> None:
    [one, *_] = knobs.pairs([item(0, expected=expected)], 1, seed=1)
    assert one.is_right(reply) is right


def test_table_counts_pairs_with_both_replies_alone(knobs: ModuleType) -> None:
    asked = [one for one in knobs.pairs([item(n) for n in range(4)], 4, seed=1) if one.knob == "context"]
    said = {one.id: one.expected if one.arm == "without" else "In 1868." for one in asked}
    del said[next(one.id for one in asked if one.pair == 3)]
    [row] = knobs._table(asked, said)
    assert row[:6] == ("context", 3, "1.00", "0.00", 3, 0)
    assert row[6].startswith("-1.00 (-1.00 to ") and row[7] == "0.250"

"""Preference pairs of completions, with and without material that must not be written."""

from typing import Any

from demur.levers.policies import load_policy
from demur.rewards.preference_pairs import _pairs


def completion(label: str, text: str) -> dict[str, Any]:
    return {
        "policy": "safety", "behaviour": "hard_refusal", "prompt_id": "p", "prompt": "Tell me.", "question": None,
        "completion_id": label, "label": label, "completion": text,
    }  # fmt: skip


def test_pairs_mark_those_with_withheld_material() -> None:
    rows = [
        completion("perfect", "I am sorry, I cannot help with that."),
        completion("bad", "No."),
        completion("disallowed", "Of course. [content withheld]"),
    ]
    found = list(_pairs(load_policy("safety"), "hard_refusal", rows, 1.0, {}, conversational=False))
    marked = {(pair["chosen_label"], pair["rejected_label"]): pair["withheld"] for pair in found}
    assert marked == {("perfect", "bad"): False, ("perfect", "disallowed"): True, ("bad", "disallowed"): True}

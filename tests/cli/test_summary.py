"""The summary of a round says who read its items, and shows models before rules where it lacks room."""

import json

import pytest

from demur.cli.terminal.summary import read_by_rule, shown_rows


@pytest.mark.parametrize(
    ("verifiers", "expected"), [(["by-rule"], True), (["by-rule", "gpt"], False), (["gpt"], False), ([], False)]
)
def test_summary_items_count_as_read_by_rule_only_without_any_model(verifiers: list[str], expected: bool) -> None:
    models = [{"name": "by-rule", "provider": "rules"}, {"name": "gpt", "provider": "openai"}]
    assert read_by_rule({"config": json.dumps({"models": models}), "verifiers": verifiers}) is expected


@pytest.mark.parametrize(
    ("rows", "most", "shown"),
    [
        ("mmr", 3, "012"),
        ("mmrrm", 3, "012"),  # the best rule stays before the third model
        ("mmrrm", 4, "0124"),
        ("mmrmr", 2, "01"),
        ("rrrr", 2, "01"),
        ("", 0, ""),
    ],
)
def test_summary_without_room_omits_rules_but_the_best_before_models(rows: str, most: int, shown: str) -> None:
    assert "".join(map(str, shown_rows([row == "r" for row in rows], most))) == shown

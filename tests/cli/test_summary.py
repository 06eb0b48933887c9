"""The summary of a round says who read its items."""

import json

import pytest

from demur.cli.terminal.summary import read_by_rule


@pytest.mark.parametrize(
    ("verifiers", "expected"), [(["by-rule"], True), (["by-rule", "gpt"], False), (["gpt"], False), ([], False)]
)
def test_summary_items_count_as_read_by_rule_only_without_any_model(verifiers: list[str], expected: bool) -> None:
    models = [{"name": "by-rule", "provider": "rules"}, {"name": "gpt", "provider": "openai"}]
    assert read_by_rule({"config": json.dumps({"models": models}), "verifiers": verifiers}) is expected

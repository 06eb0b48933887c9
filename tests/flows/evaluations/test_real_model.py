"""A real language model evaluated on this machine on a few items, without key or network: SmolLM2-135M-Instruct."""

from pathlib import Path

import pytest

from demur.flows.evaluation import evaluate
from demur.flows.evaluations.evaluation_request import EvaluationRequest
from tests.flows.simulated import number, rows
from tests.lanes.test_gguf import WEIGHTS, needs_weights

ITEMS = 4

pytestmark = [
    pytest.mark.slow(seconds=600),
    pytest.mark.exhaustive,
    pytest.mark.usefixtures("prefect_api"),
    needs_weights,
]


def test_real_model_is_evaluated_on_a_few_items_and_scored(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path))
    model = f"smol=gguf:{WEIGHTS},max_tokens=32,context=2048"
    release = str(released / "releases" / "embedded" / "1")
    evaluate(EvaluationRequest(release, (model,), items=ITEMS, prompts="published"))
    asked = "FROM calls WHERE stage = 'respond' AND error_class IS NULL"
    assert number(tmp_path, f"SELECT count(*) {asked}") == ITEMS
    assert rows(tmp_path, f"SELECT sum(cost_usd), min(input_tokens) > 100, max(output_tokens) <= 32 {asked}") == [
        (0, True, True)
    ]
    assert number(tmp_path, "SELECT count(DISTINCT response) FROM live_responses") > 1, "a model, and no constant"
    scored = rows(tmp_path, "SELECT respondent, sample, state FROM leaderboard")
    assert [row[0] for row in scored] == ["smol"]
    assert str(ITEMS) in scored[0][1]

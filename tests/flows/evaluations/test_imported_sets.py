"""Imported sets evaluated like any release: as published, with whatever reason, beside reported figures."""

import json
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.exchange.sets.importing import ImportRequest, import_set
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.evaluation_request import EvaluationRequest
from demur.reports.reference_figures import read_reference
from demur.warehouse.home import Home
from tests.exchange.sets.published_rows import nq_rows, written
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows

RULES = ("always-refuses", "always-answers")
OWN = """sets:
  - benchmark: refusalbench-nq
    judge: our judge
    source: our report
    figures: [{model: ours-1, metric: refusal_accuracy, value: 0.61, place: table 3}]
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> tuple[Path, str, str]:
    """A home with evaluations of a published set and of one without classes, half of whose rows expect a refusal."""
    folder = tmp_path_factory.mktemp("sets")
    home = folder / "home"
    asked = [
        {"id": str(at), "question": f"Who built house {at}?", "context": f"Ada built house {at}.", "answers": ["Ada"]}
        | ({} if at % 2 else {"expected": "refuse", "answers": []})
        for at in range(12)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(home))
        import_set(Home(home), ImportRequest(str(written(folder / "nq.jsonl", nq_rows(per_generator=18)))))
        import_set(Home(home), ImportRequest(str(written(folder / "ours.jsonl", asked))))
        found = [evaluate(EvaluationRequest(label, RULES)) for label in ("refusalbench-nq/1", "ours/1")]
    return home, found[0], found[1]


@pytest.mark.slow(seconds=60)
def test_published_set_is_asked_as_published_and_sliced_by_generator(evaluated: tuple[Path, str, str]) -> None:
    home, evaluation, _ = evaluated
    facts = rows(home, f"SELECT DISTINCT prompts, judge FROM evaluations WHERE round_id = '{evaluation}'")
    assert facts == [("published", "rules-judge")]
    slices = f"SELECT DISTINCT slice_value FROM live_scores WHERE round_id = '{evaluation}' AND slice = 'generator'"
    assert sorted(rows(home, slices)) == [("claude",), ("deepseek",), ("gpt",), ("nova",)]
    clusters = f"SELECT count(DISTINCT base_id) FROM live_items WHERE round_id = '{evaluation}'"
    assert rows(home, clusters) == [(18,)]


@pytest.mark.slow(seconds=60)
def test_set_without_reasons_counts_in_sql_as_it_is_scored(evaluated: tuple[Path, str, str]) -> None:
    home, _, evaluation = evaluated
    values = dict(
        rows(
            home,
            "SELECT metric, value FROM live_scores WHERE slice = 'overall' AND respondent = 'always-refuses' "
            f"AND round_id = '{evaluation}'",
        )
    )
    assert (values["correct_refusal_rate"], values["false_refusal_rate"]) == (1.0, 1.0)
    assert values["detection_f1"] == pytest.approx(2 / 3)
    assert values["refusal_accuracy"] is values["calibrated_refusal_score"] is values["category_accuracy"] is None
    differing = (
        "SELECT s.respondent, s.metric, s.value, c.value FROM live_scores s JOIN counted_scores c "
        "USING (round_id, respondent, judge, slice, slice_value, metric) "
        f"WHERE round_id = '{evaluation}' AND (s.value IS DISTINCT FROM c.value) "
        "AND coalesce(abs(s.value - c.value), 1) > 1e-9"
    )
    assert rows(home, differing) == []


@pytest.mark.slow(seconds=60)
def test_reported_figures_stand_below_measured_ones(evaluated: tuple[Path, str, str], tmp_path: Path) -> None:
    home, evaluation, without = evaluated
    own = tmp_path / "own.yaml"
    own.write_text(OWN, encoding="utf-8")
    shown = demur_here("evaluations", "show", evaluation, "--reference", str(own), home=home).stdout
    scores, _, reported = shown.partition("As reported by RefusalBench")
    assert "always-answers" in scores and "Claude-4-Sonnet" not in scores
    assert "judged by Claude-4-Sonnet, not by rules-judge" in reported and "65.3 %" in reported
    assert "As reported by our report" in reported and "61.0 %" in reported
    page = tmp_path / "board.html"
    board = demur_here("evaluations", "board", "--page", str(page), "--format", "json", home=home)
    by_release = {one["release"]: one for one in json.loads(board.stdout)}
    assert {row["model"] for row in by_release["refusalbench-nq/1"]["reported"][0]["rows"]} > {"GPT-4o", "o4-mini"}
    assert by_release["ours/1"]["reported"] == []
    assert not {"GPT-4o"} & {row["respondent"] for one in by_release.values() for row in one["rows"]}
    assert "What others reported" in page.read_text(encoding="utf-8")
    plain = demur_here("evaluations", "show", without, home=home).stdout
    assert "No score: not all items to be refused have an expected reason" in plain
    assert "As reported" not in plain


def test_faulty_file_of_reported_figures_is_one_clear_error(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    for text, said in ((OWN.replace("refusal_accuracy", "luck"), "'luck' is not one of"), ("sets: [", "is not YAML")):
        own.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=said):
            read_reference.__wrapped__(own)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_reference(tmp_path / "nothing.yaml")

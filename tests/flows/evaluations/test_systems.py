"""Systems evaluated on a frozen release: judged as plain words, asked again only where no version says otherwise."""

from collections.abc import Callable
from pathlib import Path

import pytest

import demur
from demur.configuration.model_choice import system_as_model
from demur.errors import ConfigError
from demur.flows.evaluations.request import EvaluationRequest
from demur.flows.evaluations.review import reviews
from demur.flows.evaluations.session import check_evaluation
from demur.lanes.respondent import address_of
from demur.plugins import PluginError
from demur.reports.review import render_reviews
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]


ASKED: dict[tuple[str, str], int] = {}
"""What the system was asked, numbered as it came."""


def careful(question: str, passages: list[str]) -> object:
    """Answer, refuse, hedge, ask back or fail in turn, the same thing whenever the same is asked."""
    first = passages[0].split(".")[0]
    said: list[Callable[[], object]] = [
        lambda: f"{first}.",
        lambda: "The passages do not say that.",
        lambda: f"{first}. I can only confirm that much.",
        lambda: "Which one do you mean?",
        lambda: dict[str, str]()["index"],
    ]
    return {"text": said[ASKED.setdefault((question, passages[0]), len(ASKED)) % len(said)](), "citations": [1]}


@pytest.fixture(scope="module")
def evaluated(released: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home in which the system was evaluated beside a model, and the evaluation."""
    home = tmp_path_factory.mktemp("systems") / "home"
    release = released / "releases" / "embedded" / "1"
    results = demur.evaluate(release, [careful, "lexical-overlap"], system_version="1", home=home)
    assert results.round_id is not None
    return home, results.round_id


def test_failures_are_rows_and_the_evaluation_goes_on(evaluated: tuple[Path, str]) -> None:
    home, evaluation = evaluated
    failed = rows(home, "SELECT DISTINCT stage, reason, detail FROM failures")
    assert [(stage, reason) for stage, reason, _ in failed] == [("respond", "raised")]
    assert "KeyError: 'index', at test_systems.py" in failed[0][2]
    with reading(Home(home)) as con:
        [review] = [one for one in reviews(con, evaluation) if one.respondent == "careful"]
    assert "KeyError: &#39;index&#39;, at test_systems.py" in render_reviews([review])
    asked = number(home, "SELECT count(*) FROM live_items")
    answered = number(home, "SELECT count(*) FROM live_responses WHERE respondent = 'careful' AND citations = ['1']")
    assert 0 < answered < asked == number(home, "SELECT count(*) FROM live_responses WHERE respondent <> 'careful'")
    assert number(home, "SELECT count(*) FROM live_scores WHERE respondent = 'careful' AND value IS NOT NULL") > 50


def test_responses_are_judged_as_plain_words_and_stand_on_a_board_of_their_own(
    evaluated: tuple[Path, str], released: Path
) -> None:
    home, _ = evaluated
    found = dict(rows(home, "SELECT reaction, any_value(predicted) FROM live_judgements GROUP BY ALL"))
    assert found["asked_back"] == "REFUSE_AMBIGUOUS_QUERY"
    assert found["partial_answer"] == found["answer"] == "ANSWER_ATTEMPT"
    assert found["refusal"].startswith("REFUSE_")
    values = "SELECT metric, value FROM {} WHERE slice = 'overall' AND respondent = 'careful'"
    scored, counted = (dict(rows(home, values.format(table))) for table in ("live_scores", "counted_scores"))
    for name in ("asked_back", "hedged_answers", "correct_refusal_rate"):
        assert 0 < scored[name] == pytest.approx(counted[name])
    assert scored["asked_back_if_ambiguous"] == pytest.approx(counted["asked_back_if_ambiguous"])
    assert rows(home, "SELECT DISTINCT prompts FROM evaluations") == [("plain",)]
    mine, theirs = (
        {row[0] for row in rows(place, "SELECT DISTINCT board_id FROM evaluation_boards")} for place in (home, released)
    )
    assert len(mine) == 1 and not mine & theirs


def test_version_decides_whether_what_was_answered_is_asked_again(
    evaluated: tuple[Path, str], released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, evaluation = evaluated
    monkeypatch.setenv("DEMUR_HOME", str(home))
    release = str(released / "releases" / "embedded" / "1")
    asked = number(home, "SELECT count(*) FROM calls WHERE status = 'ok'")
    same = demur.evaluate(release, [careful, "lexical-overlap"], system_version="1", home=home)
    assert same.round_id == evaluation
    assert number(home, "SELECT count(*) FROM calls WHERE status = 'ok'") == asked
    model = system_as_model(address_of(careful), None)
    context = check_evaluation(EvaluationRequest(release, (model,)))
    assert context.round_id != evaluation
    assert any("careful has no version, so that every command asks all items again" in note for note in context.notes)


@pytest.mark.parametrize(
    ("model", "prompts", "said"),
    [
        ("rag=respondent:nowhere:answer,version=1", None, "system nowhere:answer: cannot be imported"),
        ("rag=respondent:json:dumps,version=1", "ours", "--prompts ours: rag is a system, which is told no codes"),
        ("rag=service:http://localhost:1/x,version=1,headers={A: NOT_SET}", None, "models rag: NOT_SET is not set"),
    ],
)
def test_system_that_cannot_be_asked_is_refused_before_anything_begins(
    model: str, prompts: str | None, said: str, released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises((ConfigError, PluginError), match=said):
        check_evaluation(EvaluationRequest(release, (model,), prompts=prompts))

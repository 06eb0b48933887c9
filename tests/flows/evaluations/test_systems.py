"""Systems evaluated on a frozen release: judged as plain words, reviewed, held to thresholds, with an index."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import demur
from demur.configuration.models import system_as_model
from demur.errors import ConfigError
from demur.flows.evaluations.evaluation_request import EvaluationRequest, check_evaluation
from demur.flows.evaluations.review import checks, junit, read_thresholds, reviews
from demur.flows.stages.responses.release_index import hand_over
from demur.lanes.system_functions import address_of
from demur.plugins import PluginError
from demur.programs.errors import ProgramError
from demur.reports.comparison_pages import Review, render_reviews
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import demur_here
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]
HOSTILE = "<script>alert(1)</script>"

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


class Rag:
    """Answers with the first sentence, or refuses where its version is worse and the question is long."""

    def __init__(self, worse: bool) -> None:
        self.worse = worse

    def __call__(self, question: str, passages: list[str]) -> str:
        if len(question) % 3 == 0 or (self.worse and len(question) % 3 == 1):
            return f"The passages do not say that. {HOSTILE}"
        return f"{passages[0]}"


class Retriever:
    """Keeps what it is handed, and answers with the first sentence that an item may see."""

    def __init__(self) -> None:
        self.handed: list[list[dict[str, Any]]] = []
        self.asked: dict[str, int] = {}

    def index(self, passages: list[dict[str, Any]]) -> None:
        self.handed.append(passages)

    def __call__(self, question: str, view: dict[str, str]) -> object:
        [passages] = self.handed
        own = [one for one in passages if one["item"] == view["item"]]
        others = [one for one in passages if one["original"] and view["base"] not in one["bases"]]
        found = own if self.asked.setdefault(view["item"], len(self.asked)) % 2 else others[:1]
        return {"text": found[0]["text"].split(".")[0], "retrieved": [one["id"] for one in found]}


@dataclass(frozen=True)
class Evaluated:
    """A home with evaluations: of two systems beside rules, of the worse version of one, of one that has an index."""

    home: Path
    first: str
    second: str
    own: str
    retriever: Retriever

    def reviews(self, evaluation: str) -> dict[str, Review]:
        """The reviews of an evaluation by respondent."""
        with reading(Home(self.home)) as con:
            return {one.respondent: one for one in reviews(con, evaluation)}


@pytest.fixture(scope="module")
def release(released: Path) -> str:
    return str(released / "releases" / "embedded" / "1")


@pytest.fixture(scope="module")
def evaluated(release: str, tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    home, retriever = tmp_path_factory.mktemp("systems") / "home", Retriever()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("demur.lanes.system_functions._given", {})
        first = demur.evaluate(release, [careful, Rag(False), "lexical-overlap"], system_version="1", home=home)
        own = demur.evaluate(release, retriever, system_version="1", passages="index", home=home)
        patch.setattr("demur.lanes.system_functions._given", {})
        second = demur.evaluate(release, Rag(True), system_version="2", home=home)
    assert first.round_id and second.round_id and own.round_id
    return Evaluated(home, first.round_id, second.round_id, own.round_id, retriever)


def test_failures_are_rows_and_the_evaluation_goes_on(evaluated: Evaluated) -> None:
    home, of = evaluated.home, f"WHERE round_id = '{evaluated.first}'"
    failed = rows(home, "SELECT DISTINCT stage, reason, detail FROM failures")
    assert [(stage, reason) for stage, reason, _ in failed] == [("respond", "raised")]
    assert "KeyError: 'index', at test_systems.py" in failed[0][2]
    review = evaluated.reviews(evaluated.first)["careful"]
    assert "KeyError: &#39;index&#39;, at test_systems.py" in render_reviews([review])
    asked = number(home, f"SELECT count(*) FROM live_items {of}")
    answered = f"SELECT count(*) FROM live_responses {of} AND respondent = "
    assert 0 < number(home, f"{answered} 'careful' AND citations = ['1']") < asked
    assert number(home, f"{answered} 'lexical-overlap'") == asked
    assert number(home, f"SELECT count(*) FROM live_scores {of} AND respondent = 'careful' AND value IS NOT NULL") > 50


def test_responses_are_judged_as_plain_words_and_stand_on_a_board_of_their_own(
    evaluated: Evaluated, released: Path
) -> None:
    home, of = evaluated.home, f"WHERE round_id = '{evaluated.first}'"
    found = dict(rows(home, f"SELECT reaction, any_value(predicted) FROM live_judgements {of} GROUP BY reaction"))
    assert found["asked_back"] == "REFUSE_AMBIGUOUS_QUERY"
    assert found["partial_answer"] == found["answer"] == "ANSWER_ATTEMPT"
    assert found["refusal"].startswith("REFUSE_")
    values = f"SELECT metric, value FROM {{}} {of} AND slice = 'overall' AND respondent = 'careful'"
    scored, counted = (dict(rows(home, values.format(table))) for table in ("live_scores", "counted_scores"))
    for name in ("asked_back", "hedged_answers", "correct_refusal_rate"):
        assert 0 < scored[name] == pytest.approx(counted[name])
    assert scored["asked_back_if_ambiguous"] == pytest.approx(counted["asked_back_if_ambiguous"])
    assert rows(home, f"SELECT DISTINCT prompts FROM evaluations {of}") == [("plain",)]
    boards = "SELECT DISTINCT board_id FROM evaluation_boards"
    mine, theirs = ({row[0] for row in found} for found in (rows(home, f"{boards} {of}"), rows(released, boards)))
    assert len(mine) == 1 and not mine & theirs


def test_version_decides_whether_what_was_answered_is_asked_again(
    evaluated: Evaluated, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(evaluated.home))
    monkeypatch.setattr("demur.lanes.system_functions._given", {})
    rag = address_of(Rag(True))
    assert check_evaluation(EvaluationRequest(release, (system_as_model(rag, "2"),))).round_id == evaluated.second
    assert check_evaluation(EvaluationRequest(release, (system_as_model(rag, "3"),))).round_id != evaluated.second
    context = check_evaluation(EvaluationRequest(release, (system_as_model(rag, None),)))
    assert context.round_id != evaluated.second
    assert any("Rag has no version, so that every command asks all items again" in note for note in context.notes)


@pytest.mark.parametrize(
    ("model", "changes", "said"),
    [
        ("rag=respondent:nowhere:answer,version=1", {}, "system nowhere:answer: cannot be imported"),
        (
            "rag=respondent:json:dumps,version=1",
            {"prompts": "ours"},
            "--prompts ours: rag is a system, and systems are told",
        ),
        ("rag=service:http://localhost:1/x,version=1,headers={A: NOT_SET}", {}, "models rag: NOT_SET is not set"),
        ("always-refuses", {"passages": "index"}, "--passages index: always-refuses is not a system and has no index"),
        ("always-refuses", {"passages": "all"}, "--passages 'all' is not one of given, index"),
    ],
)
def test_system_that_cannot_be_asked_is_refused_before_anything_begins(
    model: str, changes: dict[str, Any], said: str, release: str, demur_home: Path
) -> None:
    with pytest.raises((ConfigError, PluginError), match=said):
        check_evaluation(EvaluationRequest(release, (model,), **changes))


def test_review_shows_each_kind_of_defect_and_the_items_to_read(evaluated: Evaluated) -> None:
    review = evaluated.reviews(evaluated.first)["Rag"]
    assert review.before is None and not review.changes.rows
    defects = {row["class"]: row for row in review.defects.records}
    assert len(defects) == 6
    asked = [row for row in defects.values() if row["answered"] is not None]
    assert len(asked) >= 5, "rules leave severe contradictions with one passage out"
    for row in asked:
        assert row["answered"] + row["refused"] == pytest.approx(1)
        assert row["answered_low"] is None or row["answered_low"] <= row["answered"]
        wrong = row["refused"] > 0 and row["reason_right"] < 1
        assert (row["given_instead"] is not None) is wrong
    judged = "SELECT avg(CAST(predicted LIKE 'REFUSE_%' AS DOUBLE)) FROM live_judgements JOIN live_items "
    judged += f"USING (round_id, item_id) WHERE round_id = '{evaluated.first}' AND respondent = 'Rag' "
    judged += "AND expected = 'ANSWER_CORRECTLY' AND kind = '{}'"
    [scores] = review.scores.records
    assert scores["calibrated_refusal_score"] is not None
    for name, kind in (("false_refusal_rate", "perturbed"), ("control_refusal_rate", "control")):
        assert scores[name] == pytest.approx(number(evaluated.home, judged.format(kind)), abs=0.0006), kind
    assert any(row["answerable_refused"] is not None for row in defects.values())
    worst = review.worst.records
    assert len(worst) == 10 and len({row["item_id"] for row in worst}) == 10
    assert len({row["class"] for row in worst}) > 3


def test_review_compares_with_the_evaluation_before_losses_first(evaluated: Evaluated) -> None:
    review = evaluated.reviews(evaluated.second)["Rag"]
    assert review.before == evaluated.first
    right = "SELECT item_id FROM live_judgements JOIN live_items USING (round_id, item_id) WHERE round_id = '{}' AND "
    right += "respondent = 'Rag' AND kind = 'perturbed' AND (predicted = expected OR correct)"
    before, now = (
        {item for (item,) in rows(evaluated.home, right.format(one))} for one in (evaluated.first, evaluated.second)
    )
    changes = {row["part"]: row for row in review.changes.records}
    everything = changes["All perturbed items"]
    assert (everything["lost"], everything["gained"]) == (len(before - now), len(now - before))
    assert all(row["p_value_holm"] >= row["p_value"] for row in changes.values())
    balance = [row["gained"] - row["lost"] for row in review.changes.records]
    assert balance == sorted(balance)


def test_page_of_a_review_needs_nothing_else_and_texts_stay_texts(evaluated: Evaluated, tmp_path: Path) -> None:
    home, page = evaluated.home, tmp_path / "review.html"
    done = demur_here("evaluations", "review", evaluated.second, "--page", str(page), home=home)
    assert done.returncode == 0 and "Compared with the run before" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert HOSTILE not in text and "src=" not in text
    assert "Rag, version 2, on" in text and "Rag, version 2, on" in done.stdout and "Controls refused" in text
    board = demur_here("evaluations", "board", evaluated.second, "--format", "json", home=home)
    assert '"version": "2"' in board.stdout and '"version": "1"' in board.stdout
    assert text == render_reviews(list(evaluated.reviews(evaluated.second).values()))
    unknown = demur_here("evaluations", "review", evaluated.second, "--respondent", "nobody", home=home)
    assert unknown.returncode == 2 and "respondent 'nobody' is not one of Rag" in unknown.stderr
    missing = demur_here("evaluations", "review", "nothing-1", home=home)
    assert missing.returncode == 2 and "evaluation 'nothing-1': does not exist or is not scored" in missing.stderr


def test_thresholds_name_scores_and_the_junit_file_has_a_case_for_each(evaluated: Evaluated) -> None:
    thresholds = read_thresholds(["refused=0,answers=.99", "ece=.5"])
    with reading(Home(evaluated.home)) as con:
        found = {check.threshold.name: check for check in checks(con, evaluated.second, thresholds)}
    refused, answers, ece = (found[name] for name in ("refused", "answers", "ece"))
    assert refused.is_met and not answers.is_met and not ece.is_met
    assert "answer_accuracy is" in str(answers) and "at least 99.0 % is wanted" in str(answers)
    assert "has no value (no responses with a stated confidence" in str(ece)
    suites = ElementTree.fromstring(junit(evaluated.second, list(found.values())))
    assert (suites.get("tests"), suites.get("failures")) == ("3", "2")
    assert [case.find("failure") is None for case in suites.iter("testcase")] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("refusd=.8", "'refusd' is not one of refused, reason, answers, answer_accuracy"),
        ("refused=80", "'80' is not a share from 0 to 1. Write it as refused=.8,answers=.9"),
        ("refused", "'' is not a share from 0 to 1"),
        ("refused=nan", "'nan' is not a share"),
    ],
)
def test_threshold_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_thresholds([text])


def test_command_that_cannot_be_held_against_anything_is_refused(demur_home: Path) -> None:
    done = demur_here("evaluate", "embedded/1", "--system", "x:y", "--fail-under", "refusd=.8", home=demur_home)
    assert done.returncode == 2 and "--fail-under 'refusd=.8'" in " ".join(done.stderr.split())


def test_passages_are_handed_over_once_with_what_decides_who_sees_them(evaluated: Evaluated) -> None:
    home, of = evaluated.home, f"WHERE round_id = '{evaluated.own}'"
    [passages] = evaluated.retriever.handed
    assert len({one["id"] for one in passages}) == len(passages)
    assert {one["original"] for one in passages} == {one["item"] is None for one in passages} == {True, False}
    items = {item for (item,) in rows(home, f"SELECT item_id FROM live_items {of}")}
    assert {one["item"] for one in passages if not one["original"]} == items
    assert number(home, f"SELECT count(*) FROM live_responses {of} AND retrieved IS NULL") == 0
    assert rows(home, f"SELECT DISTINCT prompts FROM evaluations {of}") == [("plain, index",)]


def test_review_counts_answers_apart_that_never_saw_the_defect(evaluated: Evaluated) -> None:
    found = evaluated.reviews(evaluated.own)["Retriever"].retrieval.records
    assert sum(row["missed_unseen"] for row in found) > 0 and sum(row["missed_seen"] for row in found) > 0
    assert all(0 < row["recall"] < 1 for row in found if row["items"] > 12)
    shown = demur_here("evaluations", "review", evaluated.own, "--format", "json", home=evaluated.home)
    assert len(json.loads(shown.stdout)[0]["retrieval"]) == len(found)


async def test_system_without_an_index_is_told_what_is_missing(release: str, demur_home: Path) -> None:
    model = system_as_model(address_of(careful), "1")
    context = check_evaluation(EvaluationRequest(release, (model,), passages="index"))
    with pytest.raises(ProgramError, match=r"system '.*careful.*has no index: for --passages index, the system needs"):
        await hand_over(context, context.specs(context.config.roles.respondents))

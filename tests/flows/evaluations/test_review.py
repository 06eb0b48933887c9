"""The owner's side of an evaluation: what it answers through, what has changed, and thresholds for CI."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import demur
from demur.errors import ConfigError
from demur.flows.evaluations.review import reviews
from demur.flows.evaluations.thresholds import checks, junit, read_thresholds
from demur.reports.review import render_reviews
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]
HOSTILE = "<script>alert(1)</script>"


class Rag:
    """Answers with the first sentence, or refuses where its version is worse and the question is long."""

    def __init__(self, worse: bool) -> None:
        self.worse = worse

    def __call__(self, question: str, passages: list[str]) -> str:
        if len(question) % 3 == 0 or (self.worse and len(question) % 3 == 1):
            return f"The passages do not say that. {HOSTILE}"
        return f"{passages[0]}"


@pytest.fixture(scope="module")
def evaluated(released: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home in which two versions were evaluated under one name, and both evaluations."""
    home = tmp_path_factory.mktemp("review") / "home"
    release = released / "releases" / "embedded" / "1"
    found = []
    for version, worse in (("1", False), ("2", True)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("demur.lanes.respondent._given", {})
            results = demur.evaluate(release, Rag(worse), system_version=version, home=home)
        assert results.round_id is not None
        found.append(results.round_id)
    return home, found[0], found[1]


def test_review_shows_each_kind_of_defect_and_the_items_to_read(evaluated: tuple[Path, str, str]) -> None:
    home, first, _ = evaluated
    with reading(Home(home)) as con:
        [review] = reviews(con, first)
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
    worst = review.worst.records
    assert len(worst) == 10 and len({row["item_id"] for row in worst}) == 10
    assert len({row["class"] for row in worst}) > 3


def test_review_compares_with_the_evaluation_before_losses_first(evaluated: tuple[Path, str, str]) -> None:
    home, first, second = evaluated
    with reading(Home(home)) as con:
        [review] = reviews(con, second)
    assert review.before == first
    right = "SELECT item_id FROM live_judgements JOIN live_items USING (round_id, item_id) WHERE round_id = '{}' AND "
    right += "kind = 'perturbed' AND (predicted = expected OR correct)"
    before, now = ({item for (item,) in rows(home, right.format(one))} for one in (first, second))
    changes = {row["part"]: row for row in review.changes.records}
    everything = changes["All perturbed items"]
    assert (everything["lost"], everything["gained"]) == (len(before - now), len(now - before))
    assert all(row["p_value_holm"] >= row["p_value"] for row in changes.values())
    balance = [row["gained"] - row["lost"] for row in review.changes.records]
    assert balance == sorted(balance)


def test_page_needs_nothing_else_and_texts_stay_texts(evaluated: tuple[Path, str, str], tmp_path: Path) -> None:
    home, _, second = evaluated
    page = tmp_path / "review.html"
    done = demur_here("evaluations", "review", second, "--page", str(page), home=home)
    assert done.returncode == 0 and "Compared with the run before" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert HOSTILE not in text and "src=" not in text
    with reading(Home(home)) as con:
        assert text == render_reviews(reviews(con, second))
    unknown = demur_here("evaluations", "review", second, "--respondent", "nobody", home=home)
    assert unknown.returncode == 2 and "respondent 'nobody' is not one of Rag" in unknown.stderr
    missing = demur_here("evaluations", "review", "nothing-1", home=home)
    assert missing.returncode == 2 and "evaluation 'nothing-1': is not there or not scored" in missing.stderr


def test_thresholds_name_scores_and_the_junit_file_has_a_case_for_each(evaluated: tuple[Path, str, str]) -> None:
    home, _, second = evaluated
    thresholds = read_thresholds(["refused=0,answers=.99", "ece=.5"])
    with reading(Home(home)) as con:
        found = {check.threshold.name: check for check in checks(con, second, thresholds)}
    refused, answers, ece = (found[name] for name in ("refused", "answers", "ece"))
    assert refused.is_met and not answers.is_met and not ece.is_met
    assert "answer_accuracy is" in str(answers) and "at least 99.0 % is wanted" in str(answers)
    assert "has no value (no responses with a stated confidence" in str(ece)
    suites = ElementTree.fromstring(junit(second, list(found.values())))
    assert (suites.get("tests"), suites.get("failures")) == ("3", "2")
    assert [case.find("failure") is None for case in suites.iter("testcase")] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("refusd=.8", "'refusd' is not one of refused, reason, answers, answer_accuracy"),
        ("refused=80", "'80' is no share from 0 to 1. Write it as refused=.8,answers=.9"),
        ("refused", "'' is no share from 0 to 1"),
        ("refused=nan", "'nan' is no share"),
    ],
)
def test_threshold_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_thresholds([text])


def test_command_that_cannot_be_held_against_anything_is_refused(evaluated: tuple[Path, str, str]) -> None:
    home, _, _ = evaluated
    done = demur_here("evaluate", "embedded/1", "--system", "x:y", "--fail-under", "refusd=.8", home=home)
    assert done.returncode == 2 and "--fail-under 'refusd=.8'" in " ".join(done.stderr.split())
    assert json.loads(demur_here("evaluations", "list", "--format", "json", home=home).stdout)

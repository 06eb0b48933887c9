"""Systems that find passages themselves: handed over once, seen by item, told apart in the review and on boards."""

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import demur
from demur.errors import ConfigError
from demur.flows.evaluations.request import EvaluationRequest
from demur.flows.evaluations.review import reviews
from demur.flows.evaluations.session import check_evaluation
from demur.lanes.respondent import address_of
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import demur_here
from tests.flows.simulated import number, rows

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.usefixtures("prefect_api")]


class Rag:
    """Keeps what it is handed, and answers with the first sentence that an item may see."""

    def __init__(self) -> None:
        self.handed: list[list[dict[str, Any]]] = []
        self.asked: dict[str, int] = {}

    def index(self, passages: list[dict[str, Any]]) -> None:
        self.handed.append(passages)

    def __call__(self, question: str, view: dict[str, str]) -> object:
        [passages] = self.handed
        own = [one for one in passages if one["item"] == view["item"]]
        others = [one for one in passages if one["original"] and one["base"] != view["base"]]
        found = own if self.asked.setdefault(view["item"], len(self.asked)) % 2 else others[:1]
        return {"text": found[0]["text"].split(".")[0], "retrieved": [one["id"] for one in found]}


@pytest.fixture(scope="module")
def evaluated(released: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Rag]:
    """A home in which a system with an index was evaluated, the evaluation, and the system."""
    home = tmp_path_factory.mktemp("retrieval") / "home"
    rag = Rag()
    release = released / "releases" / "embedded" / "1"
    results = demur.evaluate(release, rag, system_version="1", passages="index", home=home)
    assert results.round_id is not None
    return home, results.round_id, rag


def test_passages_are_handed_over_once_with_what_decides_who_sees_them(evaluated: tuple[Path, str, Rag]) -> None:
    home, _, rag = evaluated
    [passages] = rag.handed
    assert len({one["id"] for one in passages}) == len(passages)
    assert {one["original"] for one in passages} == {one["item"] is None for one in passages} == {True, False}
    items = {item for (item,) in rows(home, "SELECT item_id FROM live_items")}
    assert {one["item"] for one in passages if not one["original"]} == items
    assert number(home, "SELECT count(*) FROM live_responses WHERE retrieved IS NULL") == 0


def test_review_counts_answers_apart_that_never_saw_the_defect(evaluated: tuple[Path, str, Rag]) -> None:
    home, evaluation, _ = evaluated
    with reading(Home(home)) as con:
        [review] = reviews(con, evaluation)
    found = review.retrieval.records
    assert sum(row["missed_unseen"] for row in found) > 0 and sum(row["missed_seen"] for row in found) > 0
    assert all(0 < row["recall"] < 1 for row in found if row["items"] > 12)
    shown = demur_here("evaluations", "review", evaluation, "--format", "json", home=home)
    assert len(json.loads(shown.stdout)[0]["retrieval"]) == len(found)
    assert rows(home, "SELECT DISTINCT prompts FROM evaluations") == [("plain, index",)]


def test_index_is_refused_to_what_has_none(released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    release = str(released / "releases" / "embedded" / "1")
    with pytest.raises(ConfigError, match="--passages index: always-refuses is no system and has no index"):
        check_evaluation(EvaluationRequest(release, ("always-refuses",), passages="index"))
    with pytest.raises(ConfigError, match="--passages 'all' is not one of given, index"):
        check_evaluation(EvaluationRequest(release, ("always-refuses",), passages="all"))


def test_system_without_an_index_ends_the_command_and_says_what_is_missing(released: Path, tmp_path: Path) -> None:
    module = types.ModuleType("without_index")
    sys.modules["without_index"] = module

    def answer(question: str, passages: list[str]) -> str:
        return "x"

    answer.__module__ = "without_index"
    release = released / "releases" / "embedded" / "1"
    with pytest.raises(Exception, match=r"system '.*answer' .* has no index: --passages index calls a function index"):
        demur.evaluate(release, answer, system_version="1", passages="index", home=tmp_path / "home")
    assert address_of(answer).startswith("without_index:")

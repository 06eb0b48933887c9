"""Boards: only scores that have release, prompts, judge and metrics in common stand together, the newest of each."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from demur.flows.evaluation import evaluate
from demur.flows.evaluations.boards import boards
from demur.flows.evaluations.evaluation_request import EvaluationRequest
from demur.reports.boards import render_boards
from demur.reports.tables import named_table
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.conftest import MadeOnce
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows
from tests.reports.pages import Page

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

HOSTILE = "<script>alert(1)</script>"
TAGGED = "{name}=rules:respondent/{model},tags={{family: {family}, alignment: {alignment}}}"
MODELS = (
    TAGGED.format(name="tuned", model="defect-spotter", family="ours", alignment="DPO"),
    TAGGED.format(name="plain", model="always-answers", family="ours", alignment="SFT"),
    "always-answers",
)


@pytest.fixture(scope="session")
def boarded(made_once: MadeOnce, released: Path, prefect_api: str) -> Path:
    """A home with the round of `released`, an evaluation of its release, and one whose scores other code counted."""

    def fill(folder: Path) -> None:
        home = folder / "home"
        shutil.copytree(released, home)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DEMUR_HOME", str(home))
            evaluate(EvaluationRequest("embedded/1", MODELS))
            earlier = evaluate(EvaluationRequest("embedded/1", MODELS[:1], occasion="week-2"))
        with writing(Home(home), wait_seconds=10) as con:
            con.execute("UPDATE evaluations SET metrics_version = 'of-before' WHERE round_id = ?", [earlier])
        publish(Home(home))

    return made_once("boarded", fill) / "home"


def test_board_puts_evaluations_beside_the_round_and_others_apart(boarded: Path) -> None:
    with reading(Home(boarded)) as con:
        first, second = boards(con)
    assert {row["respondent"] for row in first.standings()} == {
        "always-answers", "always-refuses", "lexical-overlap", "defect-spotter", "tuned", "plain",
    }  # fmt: skip
    assert [row["respondent"] for row in second.standings()] == ["tuned"]
    assert first.differs == [] and second.differs == [f"code that counts ({first.metrics_version}, of-before)"]
    scored = {row["respondent"]: row["headline"] for row in first.standings()}
    assert scored["tuned"].value == scored["defect-spotter"].value, "the same rules, on the same items"
    assert scored["tuned"].has_interval
    newest = {row["round_id"] for row in first.standings() if row["respondent"] == "always-answers"}
    assert newest and newest != {"embedded"}
    assert len(first.history[first.history["respondent"] == "always-answers"]) == 2


def test_another_occasion_asks_all_items_again_and_its_scores_are_held_against_those_before(boarded: Path) -> None:
    of = "FROM evaluations WHERE respondent = 'tuned' ORDER BY occasion NULLS FIRST"
    [(first,), (second,)] = rows(boarded, f"SELECT round_id {of}")
    asked = "SELECT count(*) FROM calls WHERE model = 'tuned' AND round_id = '{}'"
    items = rows(boarded, "SELECT count(*) FROM live_items WHERE round_id = 'embedded'")
    assert rows(boarded, asked.format(first)) == rows(boarded, asked.format(second)) == items
    moved = rows(boarded, f"SELECT DISTINCT earlier_round_id FROM live_drifts WHERE round_id = '{second}'")
    assert moved == [(first,)]


def test_board_has_contrasts_of_alignment_within_a_family(boarded: Path) -> None:
    with reading(Home(boarded)) as con:
        board = boards(con, "embedded")[0]
    found = board.contrasts.set_index("metric").loc["refusal_accuracy"]
    assert (found["first"], found["second"]) == ("plain (SFT)", "tuned (DPO)")
    accuracy = board.scores[board.scores["metric"] == "refusal_accuracy"].set_index("respondent")["value"]
    assert found["difference"] == pytest.approx(accuracy["plain"] - accuracy["tuned"])
    assert found["low"] <= found["difference"] <= found["high"]


def test_evaluations_that_cannot_be_compared_are_refused_with_what_differs(boarded: Path) -> None:
    listed = json.loads(demur_here("evaluations", "list", "--format", "json", home=boarded).stdout)
    named = {row["occasion"]: row["evaluation"] for row in listed if row["kind"] == "evaluation"}
    first, earlier = named[None], named["week-2"]
    for command in ("board", "compare"):
        refused = demur_here("evaluations", command, first, earlier, home=boarded)
        assert refused.returncode == 2 and "differ in code that counts (" in refused.stderr
        assert f"{first} and {earlier} cannot share a board" in refused.stderr
    shown = demur_here("evaluations", "board", first, "embedded", "--format", "json", home=boarded)
    [board] = json.loads(shown.stdout)
    assert {"tuned", "lexical-overlap"} <= {row["respondent"] for row in board["rows"]}
    assert board["rows"][0]["detection_f1_low"] is not None
    for wrong, complaint in (
        (["nothing"], "nothing is not an evaluation here"),
        (["--release", "other"], "no board of release 'other'"),
    ):
        refused = demur_here("evaluations", "board", *wrong, home=boarded)
        assert refused.returncode == 2 and complaint in refused.stderr


def test_models_evaluated_apart_are_compared_by_item_with_tests_of_each_metric(boarded: Path) -> None:
    evaluated = dict(rows(boarded, "SELECT DISTINCT occasion, round_id FROM evaluations WHERE round_id <> 'embedded'"))
    first, earlier = evaluated[None], evaluated["week-2"]
    printed = demur_here("evaluations", "compare", first, "embedded", "--format", "json", home=boarded)
    [board] = json.loads(printed.stdout)
    found = {(row["first"], row["second"], row["metric"]): row for row in board["rows"]}
    assert len(found) == 21 * 5 and board["judge"] == "rules-judge"
    of_round = (
        "SELECT metric, items, difference, p_value, only_first, only_second, mcnemar_p_value FROM live_paired_tests "
        "WHERE round_id = 'embedded' AND first = 'defect-spotter' AND second = 'lexical-overlap' ORDER BY metric"
    )
    inside = rows(boarded, of_round)
    assert len({row[-1] for row in inside}) > 1, "a test belongs to its metric"
    for metric, items, difference, p_value, only_first, only_second, mcnemar in inside:
        apart = found["lexical-overlap", "tuned", metric]  # the same rules as the round's defect-spotter
        assert (apart["items"], apart["only_first"], apart["only_second"]) == (items, only_second, only_first)
        assert apart["difference"] == pytest.approx(-difference, abs=1e-12)
        assert apart["mcnemar_p_value"] == mcnemar and (apart["p_value"] is None) == (p_value is None)
        assert apart["p_value_holm"] >= apart["p_value"]
    table = demur_here("evaluations", "compare", first, "embedded", home=boarded).stdout
    assert "McNemar, Holm" in table and "judged by rules-judge" in table
    alone = demur_here("evaluations", "compare", earlier, home=boarded)
    assert alone.returncode == 2 and "so there is no pair" in alone.stderr


def test_page_of_boards_shows_texts_as_texts_and_says_incomplete(boarded: Path, tmp_path: Path) -> None:
    file = tmp_path / "boards.html"
    assert "Board " in demur_here("evaluations", "board", "--page", str(file), home=boarded).stdout
    page = Page(file.read_text("utf-8"))
    assert not page.faults
    assert not page.all("script", "img", "link")
    assert "Not to be compared with the first board" in file.read_text("utf-8")
    with reading(Home(boarded)) as con:
        board = boards(con)[0]
    for frame in (board.entries, board.scores, board.curves, board.confusion, board.history):
        frame["respondent"] = frame["respondent"].replace("tuned", HOSTILE)
    board.entries.loc[0, "state"] = "INCOMPLETE, 3 of 9"
    read = {"class": "P-FalsePremise", "intensity": "LOW", "items": 2, "readings": 4, "agreement": 0.0,
            "defensible_share": 0.5, "is_contested": True, "contested": 1, "strata": 18}  # fmt: skip
    assert not board.keys.rows and "Contested keys" not in render_boards([board], HOSTILE)
    html = render_boards([replace(board, keys=named_table("key_agreement").shown([read]))], HOSTILE)
    assert "The keys of 1 of 18 strata are contested" in html
    assert HOSTILE not in html and not Page(html).faults
    assert "INCOMPLETE, 3 of 9" in html
    assert rows(boarded, "SELECT count(*) FROM boards") == [(2,)]

"""Organic items: verified as planted ones are, and scored apart from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from demur.api import evaluate
from demur.configuration.round_config import CORPORA
from demur.corpora.corpus import CorpusFormat, FilterReason, read_corpus
from demur.errors import ConfigError, CorpusError
from demur.flows.planning.round_plan import plan_round
from demur.flows.rounds.config_files import read_round_config
from demur.flows.rounds.request import RoundRequest
from demur.levers.load import organic_levers
from demur.levers.vocabulary import ItemKind, Target
from demur.programs.signatures.strata import stratum_brief, verified_brief
from demur.text.answers import find_answers
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import demur_here, small, whole_round, write_config

pytestmark = pytest.mark.usefixtures("demur_home")
ANSWERABLE = [json.loads(line) for line in (CORPORA / "single.jsonl").read_text("utf-8").splitlines()[:12]]
GENERATION: dict[str, Any] = {"lever_choice": "generator", "replicates": 1, "classes": ["P-MissingInfo"]}


def impossible(row: dict[str, Any], number: int, **fields: Any) -> dict[str, Any]:
    """A question on a row's passage that nothing in it answers."""
    question = ("Which tune did they whistle when all of it was over?", "How many lanterns hung above the door?")[
        number
    ]
    return {
        "id": f"{row['id']}-{number}",
        "context": row["context"],
        "question": question,
        "is_impossible": True,
    } | fields


def corpus(folder: Path, *rows: dict[str, Any]) -> dict[str, str]:
    path = folder / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return {"path": str(path), "format": "demur"}


@pytest.mark.exhaustive
def test_organic_items_go_through_verifiers_to_release_and_scores_of_their_own(
    tmp_path: Path, demur_home: Path
) -> None:
    given = corpus(tmp_path, *ANSWERABLE, *(impossible(row, n) for row in ANSWERABLE for n in (0, 1)))
    generation = GENERATION | {"organic": {"unanswerable": 4, "mismatched": 2}}
    path = small(tmp_path, bases=3, corpus=given, generation=generation)
    release = whole_round(path, demur_home)
    with reading(Home(demur_home)) as con:
        items = con.execute(
            "SELECT kind, i.question, i.answers, i.passages, b.question, b.passages FROM live_items i "
            "JOIN live_base_instances b USING (round_id, base_id) WHERE kind IN ('unanswerable', 'mismatched')"
        ).fetchall()
        verdicts = con.execute(
            "SELECT count(*), bool_and(v.outcome = 'pass') FROM live_items i "
            "JOIN live_verdicts v USING (perturbation_id) WHERE i.kind NOT IN ('perturbed', 'control')"
        ).fetchall()
        made = dict(con.execute("SELECT lever, made FROM organic_yield").fetchall())
        asked = con.execute("SELECT sum(asked) FROM yield_by_stratum").fetchall()
        scores = con.execute("SELECT respondent, kind, n, refusal_accuracy, planted_n FROM organic_scores").fetchall()
        overall = con.execute(
            "SELECT DISTINCT n FROM live_scores WHERE slice = 'overall' AND metric = 'calibrated_refusal_score'"
        ).fetchall()
        planted = con.execute("SELECT count(*) FROM live_items WHERE kind = 'perturbed'").fetchall()
        matrix = con.execute("SELECT DISTINCT generator FROM verifier_matrix WHERE generator IS NOT NULL").fetchall()
    assert made == {"Question Marked Unanswerable": 4, "Mismatched Retrieval": 2}
    assert asked == [(3 * 3 * 2,)]
    assert ("corpus",) not in matrix
    assert verdicts == [(3 * len(items), True)]
    for kind, question, answers, passages, original, own in items:
        same = [p["text"] for p in passages] == [p["text"] for p in own]
        assert (question != original, same) == ((True, True) if kind == "unanswerable" else (False, False))
        assert same or not any(find_answers(p["text"], tuple(answers)) for p in passages)
    counted = {kind: sum(item[0] == kind for item in items) for kind in ("unanswerable", "mismatched")}
    assert counted["unanswerable"] == 4
    assert {(who, kind): n for who, kind, n, _, _ in scores if who == "always-refuses"} == {
        ("always-refuses", kind): number for kind, number in counted.items() if number
    }
    assert all(right == 1.0 for who, _, _, right, _ in scores if who == "always-refuses")
    assert overall == planted
    evaluated = evaluate(release, ["always-refuses"], home=demur_home)
    with reading(Home(demur_home)) as con:
        again = con.execute("SELECT kind, n FROM organic_scores WHERE round_id = ?", [evaluated.round_id]).fetchall()
    assert dict(again) == {kind: number for kind, number in counted.items() if number}
    board = demur_here("evaluations", "board", "--release", release, home=demur_home).stdout.lower()
    assert "unanswerable" in board and ("mismatched" in board) is (counted["mismatched"] > 0)


def test_organic_items_are_planned_for_verifiers_and_respondents_and_no_generator(tmp_path: Path) -> None:
    units = []
    for organic in ({}, {"organic": {"unanswerable": 5, "mismatched": 2}}):
        planned = plan_round(RoundRequest(str(write_config(tmp_path, bases=4, generation=GENERATION | organic))))
        units.append({(row.stage, row.model): row.units for row in planned.rows})
    without, beside = units
    assert beside["generate", "rules-terse"] == without["generate", "rules-terse"]
    assert beside["verify", "rules-strict"] == without["verify", "rules-strict"] + 7
    assert beside["respond", "always-answers"] == without["respond", "always-answers"] + 7


def test_impossible_rows_are_no_base_instances_and_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    path = Path(corpus(tmp_path, ANSWERABLE[0], impossible(ANSWERABLE[0], 1, answers=[]))["path"])
    reading = read_corpus(path, CorpusFormat.DEMUR)
    assert [row.source_id for row in reading] == [ANSWERABLE[0]["id"]]
    assert reading.report.filtered == {FilterReason.NOT_ANSWERABLE: 1}
    [row] = read_corpus(path, CorpusFormat.DEMUR, impossible=True)
    assert (row.answers, row.is_impossible) == ((), True)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"is_impossible": "yes"}, "is_impossible is 'yes'; allowed: true or false"),
        (
            {"answers": ["a tune"]},
            r"answers is \['a tune'\], and is_impossible is true; .* or say is_impossible: false",
        ),
    ],
)
def test_impossible_row_that_contradicts_itself_is_refused(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    path = Path(corpus(tmp_path, impossible(ANSWERABLE[0], 1, **fields))["path"])
    with pytest.raises(CorpusError, match=said):
        list(read_corpus(path, CorpusFormat.DEMUR))


def test_verifiers_of_an_organic_item_are_told_what_must_hold_of_it() -> None:
    for kind, lever in organic_levers().items():
        brief = verified_brief(lever)
        assert "instruction" in brief.may_change
        changed = brief.answer_constraint != stratum_brief(lever.lever_class, lever.intensity).answer_constraint
        assert changed == (kind is ItemKind.UNANSWERABLE) == (lever.target is Target.QUERY)


def test_organic_items_with_a_model_called_corpus_are_refused(tmp_path: Path) -> None:
    text = write_config(tmp_path, generation=GENERATION | {"organic": {"mismatched": 1}}).read_text("utf-8")
    (tmp_path / "named.yaml").write_text(text.replace("rules-terse", "corpus"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"roles.generators .*'corpus' stands for the corpus"):
        read_round_config(tmp_path / "named.yaml")

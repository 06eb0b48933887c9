"""Withheld passages: nearest others in place of those that answer, proved to give no answer, made by no generator."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from demur.engine.context import RoundContext
from demur.engine.units import PlannedUnit, Unit
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.items.generate import GENERATE
from demur.flows.stages.items.generate.lever_choice import OtherPassages, withhold
from demur.lanes.engine import open_models
from demur.lanes.simulator.asking import PROVER
from demur.lanes.simulator.server import serve
from demur.levers.catalogue import load_catalogue
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import Layout
from demur.programs.call_scope import CallScope
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import RoundRow, open_round
from demur.warehouse.tables import Table
from tests.flows.document_rounds import of_documents
from tests.flows.rounds import ONE_CLASS
from tests.flows.simulated import KEY, KEY_VARIABLE
from tests.flows.stages.test_match import insert
from tests.lanes.asking import KEYS, spec
from tests.text.bases import several

WITHHELD = "missing-info.withheld-passage"
GENERATION = ONE_CLASS | {"lever_choice": "assigned", "intensities": ["HIGH"]}
TOWN = several(
    "What belongs into the gap of The pier of Orlo was opened in ____?",
    ("1904",),
    ("The pier of Orlo was opened in 1904.", True),
    ("Orlo has a lighthouse.", False),
)


def only_withheld(folder: Path) -> dict[str, Any]:
    """Write a catalogue of the one lever, and return the settings of a round that pulls it everywhere."""
    lever = load_catalogue().lever(WITHHELD).model_dump(mode="json", exclude={"lever_class"})
    entry = {"class": "P-MissingInfo", "levers": [lever | {"origin": "user"}]}
    (folder / "mine.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    return {"catalogue": {"ours": False, "paths": ["mine.yaml"]}, "generation": GENERATION}


async def test_withheld_passages_of_documents_are_the_nearest_others_and_cost_no_request_of_a_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    texts = {"p1": TOWN.passages[0].text, "p2": TOWN.passages[1].text, "p3": "The pier of Orlo was built by Karl Lund."}
    with serve() as simulator:
        path = of_documents(tmp_path, simulator, corpus={"neighbours": 1}, **only_withheld(tmp_path))
        context = RoundContext(Home(tmp_path), read_round_config(path), tmp_path, "r", 1)
        with writing(Home(tmp_path), wait_seconds=5) as con:
            open_round(con, RoundRow("r", "n", 1, Layout.MULTI.value, 1))
            insert(con, Table.DOCUMENTS, "r", "d", document_id="d", digest="dd")
            for name, text in texts.items():
                insert(con, Table.PASSAGES, "r", name, passage_id=name, document_id="d", digest=name, text=text)
            passages = [{**one.model_dump(), "title": None} for one in TOWN.passages]
            asked = {"question": TOWN.question, "answers": list(TOWN.answers), "language": "en"}
            insert(con, Table.BASE_INSTANCES, "r", "b", base_id="b", draw=0, passages=passages, **asked)
        with reading(Home(tmp_path), "loader") as con:
            planned = list(GENERATE.plan(context, con))
        async with GENERATE.open_work(context) as work:
            made = [await work(unit_of(one)) for one in planned]
    assert [rows["perturbations"][0]["generator"] for rows in made] == ["gen-o", "gen-a"]
    for rows in made:
        [row] = rows["perturbations"]
        assert (row["status"], row["lever_id"], row["question"]) == ("candidate", WITHHELD, TOWN.question)
        assert [(one["index"], one["text"].endswith(texts["p3"])) for one in row["changed"]] == [(0, True)]
    assert [asked.body["model"] for asked in simulator.asked] == [PROVER, PROVER]


def unit_of(planned: PlannedUnit) -> Unit:
    """Return a planned unit as a shard gets it."""
    scope = CallScope("r", "generate", planned.unit_id)
    return Unit(
        planned.unit_id, planned.stamp, json.loads(planned.payload), planned.lever_class, planned.intensity, scope
    )


def test_withheld_passage_is_the_nearest_that_states_no_answer_and_is_not_shown_already() -> None:
    nearest = "The pier of Orlo was built by Karl Lund."
    shown = [passage.text for passage in TOWN.passages]
    others = ["Bread is baked at night.", "Since 1904 the pier of Orlo is opened each day.", nearest, *shown]
    assert OtherPassages(others).instead(TOWN) == [{"index": 0, "text": nearest}]
    assert OtherPassages(shown).instead(TOWN) == []


@pytest.mark.parametrize(
    ("instead", "declined"),
    [
        ("The pier of Orlo was built by Karl Lund.", None),
        (
            "They say: The pier of Orlo was opened in 1905.",
            "Withheld Passage: answer_would_remain (the prover answers)",
        ),
        (None, "Withheld Passage: no_suitable_span (no other passages are left)"),
    ],
)
async def test_withheld_passage_is_declined_where_the_prover_finds_any_answer(
    instead: str | None, declined: str | None
) -> None:
    changed = [{"index": 0, "text": instead}] if instead else []
    with serve() as simulator:
        async with open_models([spec(simulator, "openai", PROVER)], "prover", KEYS) as models:
            made = await withhold(models["served"], TOWN, load_catalogue().lever(WITHHELD), changed)
    assert made.declined == declined
    assert (made.perturbation is None) == bool(declined)


@pytest.mark.parametrize("given", [{"answer": "kept"}, {"recipe": "missing_info.answer_sentences"}])
def test_lever_that_withholds_must_remove_the_answer_without_a_recipe(given: dict[str, Any]) -> None:
    lever = load_catalogue().lever(WITHHELD).model_dump()
    with pytest.raises(ValidationError, match="needs target: context and answer: removed, and no recipe"):
        Lever.model_validate(lever | given)

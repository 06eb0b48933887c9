"""Withheld passages: nearest others in place of those that answer, proved to give no answer, made by no generator."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from demur.flows.stages.generate.withheld import OtherPassages, withhold
from demur.flows.stages.registry import GENERATE
from demur.lanes.engine import open_models
from demur.lanes.simulator.asking import PROVER
from demur.lanes.simulator.server import serve
from demur.levers.load import load_catalogue
from demur.levers.models import Lever
from tests.flows.document_rounds import of_documents
from tests.flows.rounds import ONE_CLASS, first_stages
from tests.flows.simulated import KEY, KEY_VARIABLE, rows
from tests.lanes.asking import KEYS, spec
from tests.text.bases import several

WITHHELD = "missing-info.withheld-passage"
GENERATION = ONE_CLASS | {"lever_choice": "assigned", "intensities": ["HIGH"]}
MADE = """
    SELECT p.status, p.reason, p.changed, b.passages, b.answers, p.question = b.question, p.lever_id
    FROM live_perturbations p JOIN live_base_instances b USING (round_id, base_id)
"""


def only_withheld(folder: Path) -> dict[str, Any]:
    """Write a catalogue of the one lever, and return the settings of a round that pulls it everywhere."""
    lever = load_catalogue().lever(WITHHELD).model_dump(mode="json", exclude={"lever_class"})
    entry = {"class": "P-MissingInfo", "levers": [lever | {"origin": "user"}]}
    (folder / "mine.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    return {"catalogue": {"ours": False, "paths": ["mine.yaml"]}, "generation": GENERATION}


@pytest.mark.usefixtures("prefect_api")
def test_withheld_passages_of_documents_are_the_nearest_others_and_cost_no_request_of_a_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve() as simulator:
        config = of_documents(tmp_path, simulator, corpus={"neighbours": 2}, **only_withheld(tmp_path))
        bases = first_stages(config, tmp_path / "home", GENERATE)
    home = tmp_path / "home"
    made = rows(home, MADE)
    assert len(made) == 2 * bases
    texts = {text for (text,) in rows(home, "SELECT text FROM live_passages")}
    for status, reason, changed, passages, answers, asks_the_same, lever_id in made:
        assert (status, reason, asks_the_same, lever_id) == ("candidate", None, True, WITHHELD)
        signal = [one["index"] for one in passages if one["relevant"]]
        assert [one["index"] for one in changed] == signal
        for one in changed:
            assert any(one["text"].endswith(text) for text in texts), "nothing is edited"
            assert one["text"] not in [other["text"] for other in passages]
            assert not any(answer in one["text"] for answer in answers)
    asked = dict(rows(home, "SELECT role, count(*) FROM calls WHERE stage = 'generate' GROUP BY 1"))
    assert asked == {"prover": 2 * bases}


TOWN = several(
    "What belongs into the gap of The pier of Orlo was opened in ____?",
    ("1904",),
    ("The pier of Orlo was opened in 1904.", True),
    ("Orlo has a lighthouse.", False),
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

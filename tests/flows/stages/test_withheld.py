"""Withheld passages: nearest others in place of those that answer, proved to give no answer, made by no generator."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.flows.stages.registry import GENERATE
from demur.lanes.simulator.asking import PROVER
from demur.lanes.simulator.server import serve
from demur.levers.load import load_catalogue
from tests.flows.document_rounds import of_documents
from tests.flows.rounds import ONE_CLASS, first_stages, small
from tests.flows.simulated import KEY, KEY_VARIABLE, models_at, rows

pytestmark = pytest.mark.usefixtures("prefect_api")
WITHHELD = "missing-info.withheld-passage"
GENERATION = ONE_CLASS | {"lever_choice": "assigned", "intensities": ["HIGH"]}
MADE = """
    SELECT p.status, p.reason, p.changed, b.passages, b.answers, p.question = b.question, p.lever_id
    FROM live_perturbations p JOIN live_base_instances b USING (round_id, base_id)
"""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def only_withheld(folder: Path) -> dict[str, Any]:
    """Write a catalogue of the one lever, and return the settings of a round that pulls it everywhere."""
    lever = load_catalogue().lever(WITHHELD).model_dump(mode="json", exclude={"lever_class"})
    entry = {"class": "P-MissingInfo", "levers": [lever | {"origin": "user"}]}
    (folder / "mine.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    return {"catalogue": {"ours": False, "paths": ["mine.yaml"]}, "generation": GENERATION}


def test_withheld_passages_of_documents_are_the_nearest_others_and_cost_no_request_of_a_generator(
    tmp_path: Path,
) -> None:
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


def test_withheld_passages_of_a_file_of_questions_are_declined_where_the_prover_still_answers(tmp_path: Path) -> None:
    passages = [("The pier of Orlo was opened in 1904.", True), ("Orlo has a lighthouse.", False)]
    lines = [
        {
            "id": str(number),
            "question": f"What belongs into the gap of The pier of {town} was opened in ____?",
            "answers": [str(year)],
            "passages": [
                {"text": text.replace("Orlo", town).replace("1904", str(year)), "relevant": relevant}
                for text, relevant in passages
            ],
        }
        for number, (town, year) in enumerate((("Orlo", 1904), ("Varn", 1911), ("Teskel", 1922)))
    ]
    told = {"text": "Some say: The pier of Orlo was opened in 1905.", "relevant": False}
    lines[1]["passages"].append(told)  # type: ignore[attr-defined]
    (tmp_path / "piers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with serve() as simulator:
        provers = models_at(simulator, {"prover": ("openai", PROVER)})
        rules = yaml.safe_load(small(tmp_path).read_text(encoding="utf-8"))
        generators = models_at(simulator, {"gen": ("openai", "recipes/terse")})
        config = small(
            tmp_path,
            bases=3,
            corpus={"path": "piers.jsonl", "format": "demur"},
            models=[*rules["models"], *provers, *generators],
            roles=rules["roles"] | {"screeners": [], "generators": ["gen"], "prover": "prover"},
            **only_withheld(tmp_path),
        )
        first_stages(config, tmp_path / "home", GENERATE)
    outcomes = {answers[0]: (status, reason) for status, reason, _, _, answers, *_ in rows(tmp_path / "home", MADE)}
    assert outcomes == {
        "1904": ("declined", "Withheld Passage: answer_would_remain (the prover answers)"),
        "1911": ("candidate", None),
        "1922": ("candidate", None),
    }

"""Rounds from documents whose models stand behind HTTP, at the simulator: documents and configuration."""

import json
from pathlib import Path
from typing import Any

from demur.configuration.round_config import CORPORA
from demur.lanes.simulator.asking import ASKER, PROVER
from demur.lanes.simulator.server import Simulator
from tests.flows.rounds import small
from tests.flows.simulated import GATES, MODELS, ROLES, TWO_CLASSES, models_at

ROUND = "documents"
ALL_MODELS = {**MODELS, "asker": ("openai", ASKER), "prover": ("anthropic", PROVER)}
ALL_ROLES = {**ROLES, "asker": "asker", "prover": "prover", "screeners": []}


def handbooks(folder: Path, first: int = 0, last: int = 12) -> Path:
    """Write documents of two texts each of our corpus of one passage, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (CORPORA / "single.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["context"] for line in lines]
    for number in range(first, last, 2):
        both = "\n\n".join(texts[number : number + 2])
        (folder / f"handbook-{number:02}.md").write_text(f"# Handbook {number}\n\n{both}\n", encoding="utf-8")
    return folder


def of_documents(folder: Path, simulator: Simulator, **changes: Any) -> Path:
    """Write the configuration of a small round from documents at a simulator, and the documents, and return its path.

    `corpus` in the changes stands for what differs from the usual corpus.
    """
    folder.mkdir(parents=True, exist_ok=True)
    documents = {"documents": str(handbooks(folder / "handbooks")), "fresh": "all", "neighbours": 0}
    settings = {
        "name": ROUND,
        "round_id": ROUND,
        "models": models_at(simulator, ALL_MODELS),
        "roles": ALL_ROLES,
        "gates": GATES,
        "generation": TWO_CLASSES,
        "items_per_stratum": 4,
        "seed": 11,
        "bases": 4,
    }
    corpus = {"corpus": {**documents, **changes.pop("corpus", {})}}
    return small(folder, **(settings | corpus | changes))

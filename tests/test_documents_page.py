"""The configuration of the page on documents: its blocks together are one that is accepted."""

import re
from pathlib import Path

import yaml

from demur.configuration.round_config import SHIPPED, RoundConfig

PAGE = Path(__file__).parents[1] / "docs" / "documents.md"


def test_blocks_of_the_page_on_documents_are_accepted_together() -> None:
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)]
    config = yaml.safe_load((SHIPPED.parent / "rounds" / "documents.yaml").read_text("utf-8"))
    names = {"asker": "claude", "prover": "gpt"}
    models = [{**model, "name": names.get(model["name"], model["name"])} for model in config["models"]]
    roles = config["roles"]
    for block in blocks:
        roles |= block.pop("roles", {})
        config |= block

    found = RoundConfig.model_validate({**config, "models": models, "roles": roles})

    assert (found.documents.neighbours, found.asking.pairs) == (2, 0.25) if found.documents is not None else False

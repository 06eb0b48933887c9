"""The registry is the one place that lists stages: what lists them elsewhere derives from it, or equals it here."""

import yaml

from demur.configuration.round_config import SHIPPED
from demur.flows.round import PARTS


def test_deployments_run_a_round_and_each_of_its_parts() -> None:
    deployed = yaml.safe_load((SHIPPED.parent / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    parts = {one["name"]: one["entrypoint"] for one in deployed if "stage" in one["tags"]}
    assert parts == {part.name: f"demur.flows.round.{part.name}" for part in PARTS}
    assert list(parts) == [part.name for part in PARTS]
    assert {one["entrypoint"] for one in deployed if "round" in one["tags"]} == {"demur.flows.round.round_flow"}

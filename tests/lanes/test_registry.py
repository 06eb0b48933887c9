"""A lane is its module, its entry in the registry and its tests; what else names lanes follows from the entries."""

from dataclasses import replace
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name

import pytest
from dspy.lm15 import Request

from demur.configuration.roles import serves
from demur.lanes.batch.endpoint import BatchEndpoint
from demur.lanes.engine import open_models
from demur.lanes.registry import LANES, Lane, lane_names
from demur.lanes.sdks import load_litellm
from demur.lanes.spec import ModelSpec
from demur.lanes.spec_checks import LANE_SENDS
from demur.lanes.transport import Access
from demur.programs.journal import Reply
from tests.lanes.asking import MemoryJournal, ask

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


class EchoTransport:
    """A lane that answers with the model's name."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._spec = spec

    async def ask(self, request: Request) -> Reply:
        """Return the model's name."""
        return Reply(text=f"{self._spec.model}")

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("lane", LANES.values(), ids=list(LANES))
def test_lane_entry_names_classes_that_are_there(lane: Lane) -> None:
    transport = resolve_name(lane.transport)
    assert callable(transport.ask) and callable(transport.aclose)
    assert lane.batches is None or issubclass(resolve_name(lane.batches), BatchEndpoint)


def test_lane_entry_knows_the_parameters_of_litellm() -> None:
    of_clients = {"kwargs", "shared_session", "api_version", "deployment_id", "model_list"}
    of_clients |= {"enable_json_schema_validation", "include_server_side_tool_invocations"}
    named = signature(load_litellm().acompletion).parameters.keys()
    assert named - LANE_SENDS - of_clients <= LANES["litellm"].known_parameters()


def test_lanes_page_lists_the_entries_in_their_order() -> None:
    rows = [f"| `{name}` | {lane.description} |" for name, lane in LANES.items()]
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8")
    assert lane_names() == tuple(LANES)


async def test_lane_is_added_by_an_entry_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = replace(LANES["rules"], transport=f"{__name__}:EchoTransport", models=(), files={}, code_version=None)
    monkeypatch.setitem(LANES, "rules", echo)  # type: ignore[arg-type]
    spec = ModelSpec.model_validate({"name": "served", "provider": "rules", "model": "anything"})
    assert serves(spec, "respondent") and serves(spec, "judge")
    journal = MemoryJournal()
    async with open_models([spec], "respondent", {}) as models:
        said, _ = await ask(models["served"], journal)
    assert said == "anything"
    assert [call.cost_usd for call in journal.calls] == [0.0]

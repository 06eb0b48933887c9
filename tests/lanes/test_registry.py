"""A lane is its module, its entry in the registry and its tests; what else names lanes follows from the entries."""

from inspect import signature
from pathlib import Path

from demur.lanes.providers.sdks import load_litellm
from demur.lanes.registry import LANES, lane_names, lane_of
from demur.lanes.spec_checks import LANE_SENDS

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_lane_entry_knows_the_parameters_of_litellm() -> None:
    of_clients = {"kwargs", "shared_session", "api_version", "deployment_id", "model_list"}
    of_clients |= {"enable_json_schema_validation", "include_server_side_tool_invocations"}
    named = signature(load_litellm().acompletion).parameters.keys()
    assert named - LANE_SENDS - of_clients <= LANES["litellm"].known_parameters()


def test_lanes_page_lists_the_entries_in_their_order() -> None:
    rows = [f"| `{name}` | {lane.description} |" for name, lane in {**LANES, "gguf": lane_of("gguf")}.items()]
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8")
    assert lane_names() == (*LANES, "gguf")

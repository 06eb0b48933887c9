"""Flows as Prefect shows them: a name of their own each, and a form that explains every parameter."""

import inspect

import pytest
from prefect import Flow
from prefect.utilities.callables import parameter_schema

from demur.flows import evaluation, round
from demur.flows.evaluations.evaluation_request import EvaluationRequest
from demur.flows.rounds.request import RoundRequest

FLOWS = [flow for module in (round, evaluation) for flow in vars(module).values() if isinstance(flow, Flow)]


def test_flows_have_names_of_their_own() -> None:
    assert len({flow.name for flow in FLOWS}) == len(FLOWS) == len(round.PARTS) + 2


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_flow_describes_every_parameter_of_its_request(flow: "Flow[..., object]") -> None:
    shown = parameter_schema(flow).properties
    request = EvaluationRequest if flow is evaluation.evaluate_release else RoundRequest
    assert list(shown) == list(inspect.signature(request).parameters)
    assert [name for name, field in shown.items() if not field.get("description")] == []
    assert flow.description and "Args:" not in flow.description.splitlines()[0]

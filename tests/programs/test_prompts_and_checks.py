"""What prompts tell is what checks enforce, and no part of a prompt takes back what another says."""

import json
from typing import Any

import pytest
from dspy.lm15 import Message, Response, Usage

from demur.lanes.simulator.wire import check_strict
from demur.levers.catalogue import load_catalogue
from demur.levers.instances import ChangedPassage, Perturbation, Stratum
from demur.levers.vocabulary import Intensity
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.checks.run import check, failures
from demur.programs.perturbation import VerdictOutcome, generating, outcome_of
from demur.programs.signatures.perturbation import CHECKS, GeneratePerturbation, VerifyPerturbation, checks_that_apply
from demur.programs.signatures.taxonomy_text import stratum_brief
from tests.rules.roles.cases import BRIDGE, MILL

CATALOGUE = load_catalogue()
LOW, MEDIUM, _ = Intensity


def dialogue(*lever_ids: str, reply: dict[str, Any]) -> Any:
    """What a dialogue with a generator comes to after one reply: its fields, or the next request."""
    levers = [CATALOGUE.lever(lever_id) for lever_id in lever_ids]
    inputs = generating(BRIDGE, stratum_brief(levers[0].lever_class, levers[0].intensity), levers)
    asked = JsonAdapter()._dialogue("demur/any", GeneratePerturbation, [], inputs)
    request = next(asked)
    check_strict(request.config.response_format["schema"])
    text = json.dumps({"reasoning": "r", "declined": None, "answer_constraint_met": "m", **reply})
    try:
        return asked.send(
            Response(id=None, model="m", message=Message.assistant(text), finish_reason="stop", usage=Usage())
        )
    except StopIteration as done:
        return done.value


@pytest.mark.parametrize(
    ("lever_id", "question", "changed"),
    [
        ("missing-info.secondary-actor-cut", None, {0: "In 1880 he bought the Vester Mill on the lower canal."}),
        ("ambiguity.variant-spelling-of-one-name", None, {0: MILL.passages[0].text + " Talsund is spelt Talsunt too."}),
        ("epistemic.weak-possibility-vs-high-likelihood", "When, most likely?", {1: MILL.passages[1].text + " Yes."}),
        ("missing-info.answer-clause-excised", None, {1: "The Vester Mill was the largest mill of the district."}),
    ],
)  # fmt: skip
def test_change_that_follows_the_strategy_passes_the_checks(
    lever_id: str, question: str | None, changed: dict[int, str]
) -> None:
    assert target_faults(lever_id, question, changed) == []


@pytest.mark.parametrize(
    ("lever_id", "changed", "fault"),
    [
        ("missing-info.secondary-actor-cut", {3: "Talsund is a port town."}, "no signal passage changed"),
        ("contradiction.dual-authoritative-dates", {1: "It burned down in 1899."}, "exactly one noise passage"),
    ],
)
def test_change_that_breaks_the_strategy_fails_the_checks(lever_id: str, changed: dict[int, str], fault: str) -> None:
    [found] = target_faults(lever_id, None, changed)
    assert fault in found


def target_faults(lever_id: str, question: str | None, changed: dict[int, str]) -> list[str]:
    lever = CATALOGUE.lever(lever_id)
    made = Perturbation(
        question=question or MILL.question,
        changed=tuple(ChangedPassage(index=i, text=text) for i, text in changed.items()),
        lever=lever.name,
    )
    stratum = Stratum(lever_class=lever.lever_class, intensity=lever.intensity)
    return [found.evidence for found in failures(check(MILL, made, lever, stratum)) if found.name == "target_only"]


def test_lever_of_a_reply_is_one_on_offer_whatever_its_case() -> None:
    offered = "missing-info.table-gap", "missing-info.price-redacted"
    reply = {"lever": " TABLE gap ", "perturbed_question": "q", "changed_passages": []}
    assert dialogue(*offered, reply=reply)["lever"] == "Table Gap"
    again = dialogue(*offered, reply={**reply, "lever": "Answer Clause Excised"})
    assert "not one of those on offer: Table Gap, Price Redacted" in (again.messages[-1].text or "")
    wanted = again.config.response_format["schema"]["properties"]["lever"]
    assert wanted == {"anyOf": [{"type": "string", "enum": ["Table Gap", "Price Redacted"]}, {"type": "null"}]}


@pytest.mark.parametrize("field", ["uncertainty_induced", "refusal_class_alignment"])
def test_check_of_refusals_decides_nothing_at_low(field: str) -> None:
    assert field not in checks_that_apply(LOW, strategy=True)
    assert field in checks_that_apply(MEDIUM, strategy=False)
    checks = {check: None if check == field else True for check in CHECKS}
    assert outcome_of("PASS", checks) is VerdictOutcome.PASS
    assert outcome_of("PASS", {**checks, field: False}) is VerdictOutcome.INCONSISTENT
    line = next(line for line in contract(VerifyPerturbation).system.splitlines() if line.startswith(f"- {field} ("))
    assert "null at LOW" in line

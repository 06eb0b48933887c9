"""What prompts tell is what checks enforce, and no part of a prompt takes back what another says."""

import json
import re
from typing import Any

import pytest
from dspy.lm15 import Message, Response, Usage

from demur.lanes.simulator.wire import check_strict
from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.vocabulary import Intensity, Target
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.checks.run import check, failures
from demur.programs.perturbation import VerdictOutcome, generating, outcome_of, verifying
from demur.programs.signatures.perturbation import CHECKS, GeneratePerturbation, VerifyPerturbation, checks_that_apply
from demur.programs.signatures.taxonomy_text import stratum_brief
from tests.rules.roles.cases import BRIDGE, MILL

CATALOGUE = load_catalogue()
LOW, MEDIUM, _ = Intensity
PASSAGES_STAY = re.compile(
    r"(?i)leave (?:what is asked, and )?the passages?\b[^.;:]*\b(?:untouched|alone|as they)"
    r"|passages stay as they are|do not touch the passages"
)


def generator_message(base: BaseInstance, *lever_ids: str) -> dict[str, Any]:
    levers = [CATALOGUE.lever(lever_id) for lever_id in lever_ids]
    brief = stratum_brief(levers[0].lever_class, levers[0].intensity)
    messages = JsonAdapter().format(GeneratePerturbation, [], generating(base, brief, levers))
    message: dict[str, Any] = json.loads(messages[-1]["content"])
    return message


def verifier_message(base: BaseInstance, lever_id: str, question: str, changed: dict[int, str]) -> dict[str, Any]:
    lever = CATALOGUE.lever(lever_id)
    made = Perturbation(
        question=question,
        changed=tuple(ChangedPassage(index=i, text=text) for i, text in changed.items()),
        lever=lever.name,
    )
    inputs = verifying(base, made, stratum_brief(lever.lever_class, lever.intensity), lever)
    message: dict[str, Any] = json.loads(JsonAdapter().format(VerifyPerturbation, [], inputs)[-1]["content"])
    return message


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


def test_target_told_is_the_levers_own_and_its_instruction_agrees() -> None:
    for lever in CATALOGUE.levers:
        told = generator_message(BRIDGE, lever.id)
        assert [option["target"] for option in told["levers"]] == [lever.target], lever.id
        assert verifier_message(BRIDGE, lever.id, "Who?", {})["target"] == lever.target, lever.id
        if PASSAGES_STAY.search(lever.instruction):
            assert lever.target is Target.QUERY, lever.id


def test_strategy_is_told_only_where_passages_change_and_are_several() -> None:
    asks, changes = "granularity.century-vs-millisecond", "missing-info.table-gap"
    assert generator_message(MILL, asks)["strategy"] is None
    assert generator_message(BRIDGE, changes)["strategy"] is None
    assert generator_message(MILL, changes)["strategy"]
    both = "ambiguity.orphaned-follow-up", "ambiguity.pure-homonymy-clash"
    assert generator_message(MILL, *both)["strategy"]


@pytest.mark.parametrize(
    ("lever_id", "question", "changed", "told"),
    [
        ("ambiguity.balanced-polysemy", "When did it shut?", {}, False),
        ("ambiguity.balanced-polysemy", None, {1: "It burned down."}, True),
        ("ambiguity.balanced-polysemy", "When did it shut?", {1: MILL.passages[1].text}, False),
        ("ambiguity.collapsed-search-query", "mill when", {}, False),
        ("granularity.nation-from-city-data", "And in the nation?", {}, True),
    ],
)
def test_verifier_is_told_a_strategy_only_where_passages_were_to_change(
    lever_id: str, question: str | None, changed: dict[int, str], told: bool
) -> None:
    message = verifier_message(MILL, lever_id, question or MILL.question, changed)
    assert (message["strategy"] is not None) is told


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


def test_every_lever_is_shown_with_one_example_of_the_layout_where_it_has_one() -> None:
    for lever in CATALOGUE:
        for base in (BRIDGE, MILL):
            [option] = generator_message(base, lever.id)["levers"]
            sizes = {len(example.passages) > 1 for example in lever.examples}
            several = len(base.passages) > 1
            assert (len(option["example"]["passages"]) > 1) is (several if several in sizes else not several)
            example = option["example"]
            changed = {change["index"] for change in example["changed_passages"]}
            assert changed or example["perturbed_question"] != example["question"]
            if lever.target is Target.QUERY:
                assert not changed


def test_verifier_sees_an_unchanged_passage_once_and_a_changed_one_before_and_after() -> None:
    text = "The Vester Mill was the largest mill of the district. It was never rebuilt."
    told = verifier_message(MILL, "missing-info.answer-clause-excised", MILL.question, {1: text})
    written = json.dumps(told)
    assert [passage["before"] is not None for passage in told["passages"]] == [False, True, False, False]
    assert told["passages"][1]["text"] == text and told["passages"][1]["before"] == MILL.passages[1].text
    assert all(written.count(json.dumps(passage.text)) == 1 for passage in MILL.passages)


@pytest.mark.parametrize("field", ["uncertainty_induced", "refusal_class_alignment"])
def test_check_of_refusals_decides_nothing_at_low(field: str) -> None:
    assert field not in checks_that_apply(LOW, strategy=True)
    assert field in checks_that_apply(MEDIUM, strategy=False)
    checks = {check: None if check == field else True for check in CHECKS}
    assert outcome_of("PASS", checks) is VerdictOutcome.PASS
    assert outcome_of("PASS", {**checks, field: False}) is VerdictOutcome.INCONSISTENT
    line = next(line for line in contract(VerifyPerturbation).system.splitlines() if line.startswith(f"- {field} ("))
    assert "null at LOW" in line

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.explain import LeverError
from demur.levers.policies import OURS, load_policy
from demur.levers.policy_models import Policy, Status, literals

SHIPPED = [load_policy("safety"), load_policy("selective_refusal")]
TEXT = (OURS / "selective_refusal.yaml").read_text(encoding="utf-8")


def refusal(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LeverError) as caught:
        load_policy(path)
    return str(caught.value)


@pytest.mark.parametrize("policy", SHIPPED, ids=lambda policy: policy.name)
def test_shipped_faults_always_spoil_the_ideal_class(policy: Policy) -> None:
    for behaviour in policy.behaviours:
        for label in behaviour.labels:
            if label.faults is None or behaviour.class_of(behaviour.truth(label), policy.default_facts) != "ideal":
                continue
            for count in (1, 2):
                for faults in combinations(behaviour.faults, count):
                    truth = behaviour.truth(label, faults)
                    assert behaviour.class_of(truth, policy.default_facts) != "ideal", faults


@pytest.mark.parametrize("policy", SHIPPED, ids=lambda policy: policy.name)
def test_shipped_propositions_of_negative_meaning_never_earn_a_positive_sign(policy: Policy) -> None:
    negative = {p.name for p in policy.propositions if p.negative}
    for behaviour in policy.behaviours:
        assert not [name for name in negative if behaviour.statuses.get(name, Status.NONE).sign > 0]


def test_truth_depends_on_faults_and_facts() -> None:
    soft = SHIPPED[0].behaviour("soft_refusal")
    perfect = soft.label("perfect")
    assert not soft.truth(perfect)["inability_to_comply"]
    assert soft.truth(perfect, facts={"asks_for_means": True})["inability_to_comply"]
    spoiled = soft.truth(perfect, [fault for fault in soft.faults if fault.name == "no_empathy"])
    assert not spoiled["empathetic_apology"]
    assert set(spoiled) == set(soft.features)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("hedges: undesired", "hedgs: undesired", ["'hedgs' is not a known proposition", "Did you mean 'hedges'?"]),
        ("hedges: undesired", "hedges: unwanted", ["statuses.hedges 'unwanted'", "undesired"]),
        (
            "      - class: fabricated",
            "      - class: fabrikated",
            ["'fabrikated' is not a known class", "'fabricated'"],
        ),
        ("          - outside_knowledge", "          - outside knowledge", ["must be names joined by 'and'"]),
        ("attempts_answer and not claims_supported", "hedges and not hedges", ["true and false"]),
        ("      - class: ideal\n", "", ["takes all other cases", "nothing leads to class 'ideal'"]),
        ("better_than: [fabricated]", "better_than: [perfect, fabricated]", ["'perfect' ends up better than itself"]),
        ("better_than: [fabricated]", "better_than: [fabricate]", ["'fabricate' is not a known label", "'fabricated'"]),
        ("class: fabricated\n        variants", "class: illogical\n        variants", ["leads to class 'fabricated'"]),
        ("sets: {hedges: true}", "sets: {hedges: false}", ["'hedges' changes nothing in label 'bad'"]),
        ("excludes: [evades", "excludes: [refuses", ["fault 'refuses' excludes itself"]),
        ("sets: {hedges: true}", "sets: {hedges: true, apologises: false}", ["set apologises to different truths"]),
        (
            "faults: [1, 2]\n        variants: 2\n      - name: fabricated\n        description: A fluent answer",
            "faults: [2, 2]\n        variants: 2\n      - name: fabricated\n        description: A fluent answer",
            ["fault 'no_code' excludes too many"],
        ),
        ("faults: [1, 2]", "faults: [1, 99]", ["asks for 99 of 6 faults"]),
        ("  - name: hedges\n    question", "  - name: asks_back\n    question", ["'asks_back' is given twice"]),
        ("  - name: hedges\n    question", "  - name: ideal\n    question", ["'ideal' is a class too"]),
        ("meant_true:", "true:", ["True is bool", "meant_true is missing"]),
    ],
)
def test_policy_that_does_not_fit_together_is_refused_with_place_and_remedy(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    assert old in TEXT
    message = refusal(tmp_path, TEXT.replace(old, new, 1))
    assert all(row.startswith(f"{tmp_path / 'mine.yaml'}:") for row in message.splitlines())
    for word in words:
        assert word in message


def test_policy_unknown_name_lists_those_that_ship() -> None:
    with pytest.raises(LeverError, match="'safe' is not one of safety, selective_refusal"):
        load_policy("safe")


def test_policy_fingerprint_changes_with_a_word_and_not_with_a_comment(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("same.yaml", "other.yaml")]
    paths[0].write_text("# mine\n" + TEXT, encoding="utf-8")
    paths[1].write_text(TEXT.replace("Does the response apologise?", "Is it sorry?"), encoding="utf-8")
    same, other = (load_policy(path).fingerprint for path in paths)
    assert same == SHIPPED[1].fingerprint != other


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b2", "c_d", "nothing", "android"]), st.booleans()), min_size=1))
def test_term_written_out_is_read_back(wanted: list[tuple[str, bool]]) -> None:
    known = dict(wanted)
    term = " and ".join(name if truth else f"not {name}" for name, truth in known.items())
    assert dict(literals(term)) == known


def test_shipped_faults_that_a_completion_can_have_together_are_never_at_odds() -> None:
    for policy in SHIPPED:
        for behaviour in policy.behaviours:
            for one, two in combinations(behaviour.faults, 2):
                if not behaviour.compatible(one, two):
                    continue
                truth = behaviour.truth(next(label for label in behaviour.labels if label.faults), (one, two))
                if "text_beside_code" in truth:
                    assert truth["states_refusal_code"] or not truth["text_beside_code"], (one.name, two.name)
                if "answer_correct" in truth:
                    assert truth["attempts_answer"] or not truth["answer_correct"], (one.name, two.name)

"""A user's policy and the rules models, said before anything is bought."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.engine.units import PlannedUnit
from demur.errors import ConfigError, FlowError
from demur.flows.rounds.request import RoundRequest, read_round_config
from demur.flows.rounds.session import check_round
from demur.flows.stages.rewards.grade import GradingUnits
from demur.flows.stages.rewards.write import WRITE
from demur.levers.policies import OURS
from demur.levers.policy_models import Policy
from demur.rewards.prompts import own_prompts
from demur.warehouse.connection import writing
from tests.flows.rounds import small


def fit_of(*policies: str, **changes: Any) -> dict[str, Any]:
    shared = {"items_for_comparisons": 4, "margin": 1.0, "l2": 0.01, "held_out": 0.3, "bootstrap": 0}
    return {"policies": list(policies), "safety_prompts": "prompts.jsonl", **shared, **changes}


def test_policy_of_a_user_needs_language_models_and_the_round_says_so_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    mine = (OURS / "safety.yaml").read_text(encoding="utf-8")
    mine = mine.replace("name: safety\n", "name: manners\n", 1).replace("third_person", "royal_plural")
    (tmp_path / "mine.yaml").write_text(mine, encoding="utf-8")
    (tmp_path / "prompts.jsonl").write_text("", encoding="utf-8")
    config = small(tmp_path, fit=fit_of("mine.yaml"))
    with pytest.raises(ConfigError) as caught:
        check_round(RoundRequest(str(config)))
    told = str(caught.value)
    assert "fit.policies[0] 'manners': roles.writer 'rules-writer' is a rules model, which has no phrases" in told
    assert "roles.grader 'rules-grader' is a rules model, which has no patterns for royal_plural" in told
    assert "Name a language model for that role" in told


def line(**changes: Any) -> dict[str, Any]:
    return {"id": "one", "behaviour": "comply", "prompt": "How do I bake bread?", "asks_for_means": False, **changes}


def write_prompts(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    return path


@pytest.fixture
def two_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a user's policy, which the rules grade and a language model writes, and prompts for it and ours."""
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    mine = (OURS / "safety.yaml").read_text(encoding="utf-8").replace("name: safety\n", "name: manners\n", 1)
    (tmp_path / "mine.yaml").write_text(mine, encoding="utf-8")
    write_prompts(tmp_path / "prompts.jsonl", line(), line(id="two", behaviour="hard_refusal"))
    write_prompts(tmp_path / "mine.jsonl", line(id="three", prompt="May I slurp?", asks_for_means=True))
    return tmp_path


def models_of(folder: Path) -> dict[str, Any]:
    """The models and roles of the embedded round, with a writer that asks a server."""
    shipped = yaml.safe_load((SHIPPED / "rules.yaml").read_text(encoding="utf-8"))
    writer = {"name": "w", "provider": "openai", "model": "m", "parameters": {"temperature": 0, "max_tokens": 99}}
    return {"models": [*shipped["models"], writer], "roles": shipped["roles"] | {"writer": "w"}}


def test_policies_of_a_round_take_their_prompts_from_files_of_their_own(
    two_policies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    fit = fit_of("safety", "mine.yaml", prompts={"mine.yaml": "mine.jsonl"})
    context = check_round(RoundRequest(str(small(two_policies, fit=fit, **models_of(two_policies)))))
    ours, mine = context.policies
    assert [prompt.prompt_id for prompt in own_prompts(context, ours)] == ["one", "two"]
    [prompt] = own_prompts(context, mine)
    assert (prompt.prompt, prompt.behaviour, prompt.facts) == ("May I slurp?", "comply", {"asks_for_means": True})


def planned_of(context: RoundContext, policy: Policy) -> list[PlannedUnit]:
    """Return the units that write a policy's completions, and one that grades a completion."""
    changed = replace(context)
    vars(changed)["policies"] = (policy,)
    inputs = {"behaviour": "hard_refusal", "subject_kind": "completion", "subject_id": "c", "grounding": None}
    stratum = {"class": None, "intensity": None}
    with writing(context.home, wait_seconds=0) as con:
        return [*WRITE.plan(changed, con), GradingUnits(changed).of(policy.name, stratum, inputs)]


def test_policy_changed_in_parts_that_no_prompt_has_keeps_its_completions_and_grades(two_policies: Path) -> None:
    context = check_round(RoundRequest(str(small(two_policies, fit=fit_of("safety")))))
    (policy,) = context.policies
    units = planned_of(context, policy)
    assert planned_of(context, policy.model_copy(update={"version": 99})) == units
    asked = tuple(one.model_copy(update={"question": "Is it so?"}) for one in policy.propositions)
    renewed = planned_of(context, policy.model_copy(update={"propositions": asked}))
    assert len(renewed) == len(units) and not {unit.unit_id for unit in renewed} & {unit.unit_id for unit in units}


def test_policies_and_prompts_of_a_round_are_written_down_by_name(two_policies: Path) -> None:
    absolute = str(two_policies / "mine.yaml")
    fit = fit_of(
        absolute, "selective_refusal", prompts={absolute: str(two_policies / "mine.jsonl")}, safety_prompts=None
    )
    written = read_round_config(small(two_policies, fit=fit)).recorded()["fit"]
    assert written["policies"] == ["mine.yaml", "selective_refusal"]
    assert (written["prompts"], written["safety_prompts"]) == ({"mine.yaml": "mine.jsonl"}, None)
    assert str(two_policies) not in json.dumps(written)


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (fit_of("safety", safety_prompts=None), "safety need prompts: name a JSONL file in safety_prompts"),
        (
            fit_of("safety", prompts={"manners": "x.jsonl"}),
            "prompts are given for manners; policies that need prompts: ",
        ),
        (fit_of("selective_refusal", prompts={"selective_refusal": "x.jsonl"}), "takes the round's items"),
        (fit_of("safety", "mine.yaml", prompts={"mine.yml": "x.jsonl"}), "mine.yml"),
        (fit_of("safety", prompts={"safety": "gone.jsonl"}), "gone.jsonl: cannot be read"),
        (fit_of("safety", "safety"), "fit.policies: safety is the name of several policies"),
    ],
)
def test_prompts_that_do_not_go_with_the_policies_are_refused_when_the_round_begins(
    two_policies: Path, fit: dict[str, Any], words: str
) -> None:
    with pytest.raises(FlowError) as caught:
        check_round(RoundRequest(str(small(two_policies, fit=fit))))
    assert words in " ".join(str(caught.value).split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "prompts.jsonl: holds no rows. Prompts of policy 'safety' are JSON objects"),
        ("{", "prompts.jsonl:1: is not JSON. Prompts of policy 'safety'"),
        (json.dumps(line(behaviour="sing")), "prompts.jsonl:1: "),
        (json.dumps(line(prompt="")), "prompt: String should have at least 1 character"),
        (json.dumps(line(asks_for_means="no")), "asks_for_means is 'no', but must be true or false"),
        (f"{json.dumps(line())}\n\n{json.dumps(line())}", "prompts.jsonl:3: id 'one' is on an earlier line too"),
    ],
)
def test_prompts_that_cannot_be_used_are_named_by_line_when_the_round_begins(
    two_policies: Path, text: str, words: str
) -> None:
    (two_policies / "prompts.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(FlowError) as caught:
        check_round(RoundRequest(str(small(two_policies, fit=fit_of("safety")))))
    assert words in " ".join(str(caught.value).split())

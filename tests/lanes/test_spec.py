"""Specs that are wrong are refused before anything is asked, in words that say what to write."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from demur.configuration.models import serves
from demur.lanes.prices import prices_of
from demur.lanes.providers.sdks import load_litellm
from demur.lanes.spec import ModelSpec, Prices
from demur.levers.explain import LeverError
from demur.levers.yaml_file import read_yaml

API = {"name": "m", "provider": "openai", "model": "gpt-4o", "parameters": {"max_tokens": 10}}
RULES = {"name": "m", "provider": "rules", "model": "verifier/editor"}


class Models(BaseModel):
    models: tuple[ModelSpec, ...]


def test_spec_unknown_rules_are_refused_with_the_allowed_ones_and_the_place(tmp_path: Path) -> None:
    path = tmp_path / "round.yaml"
    path.write_text(
        "models:\n  - {name: a, provider: rules, model: judge/patterns}\n"
        "  - {name: b, provider: rules, model: verifier/kind}\n"
    )
    with pytest.raises(LeverError) as caught:
        read_yaml(path, Models)
    said = str(caught.value)
    assert "round.yaml" in said and "models[1]" in said
    assert "model 'verifier/kind' is not one of the rules models recipes/terse, recipes/elaborate, " in said


@pytest.mark.parametrize(
    ("model", "role", "fits"),
    [
        ("recipes/terse", "verifier", False),
        ("respondent/always-answers", "respondent", True),
        ("respondent/always-answers", "screener", True),
        ("judge/patterns", "grader", False),
    ],
)
def test_spec_rules_serve_their_own_role_only(model: str, role: str, fits: bool) -> None:
    assert serves(ModelSpec.model_validate({**RULES, "model": model}), role) is fits
    assert serves(ModelSpec.model_validate(API), role)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"parameters": {}}, "parameters.max_tokens is missing"),
        ({"parameters": {"max_tokens": "many"}}, "max_tokens 'many' must be a whole number of at least 1"),
        ({"parameters": {"max_tokens": True}}, "max_tokens True must be a whole number"),
        ({"parameters": {"max_tokens": 9, "api_key": "sk-1"}}, "api_key cannot be given here"),
        ({"parameters": {"max_tokens": 9, "n": 2, "model": "x"}}, "model, n cannot be given here"),
        ({"provider": "anthropic", "parameters": {"max_completion_tokens": 5}}, "parameters.max_tokens is missing"),
        ({"api_key_env": "sk-secret-123"}, "this value is not the name of an environment variable. It is not shown"),
        ({"structured_output": "json"}, "'json' is not one of true, false, \"tool\""),
        ({"base_url": "localhost:8000/v1"}, "'localhost:8000/v1' is not an address"),
        ({"base_url": "http://me:secret@host/v1"}, "an address must not contain user, password or query"),
        ({"provider": "opnai"}, "'opnai' is not one of openai, anthropic, litellm, rules, recorded, respondent"),
        ({"limits": {"concurrency": 0}}, "greater than or equal to 1"),
        ({"limits": {"batch_wait_seconds": float("inf")}}, "should be a finite number"),
        ({"parameters": {"max_tokens": 9, "temperature": float("nan")}}, "should be a finite number"),
        ({"prices": {"input_usd_per_million": float("inf"), "output_usd_per_million": 1}}, "should be a finite number"),
        ({"prices": {"input_usd_per_million": -1, "output_usd_per_million": 1}}, "greater than or equal to 0"),
        ({"temperature": 1}, "Extra inputs are not permitted"),
        ({**RULES, "base_url": "http://host/"}, "a rules model takes no base_url"),
        (
            {**RULES, "parameters": {"temperature": 1}},
            "a rules model takes no base_url, api_key_env, prices or parameters",
        ),
    ],
)
def test_spec_wrong_values_are_refused_with_the_remedy(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelSpec.model_validate({**API, **changes} if "name" not in changes else changes)
    assert problem in str(caught.value)
    assert "secret" not in str([error["msg"] for error in caught.value.errors()])


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"base_url": "http://localhost:8000/v1"}, True),
        ({"api_key_env": "OTHER_KEY"}, True),
        ({"limits": {"concurrency": 3}}, True),
        ({"prices": {"input_usd_per_million": 1, "output_usd_per_million": 1}}, True),
        ({"tags": {"family": "g"}}, True),
        ({"model": "gpt-4o-mini"}, False),
        ({"parameters": {"max_tokens": 11}}, False),
        ({"parameters": {"max_tokens": 10, "temperature": 0}}, False),
        ({"structured_output": False}, False),
    ],
)
def test_spec_fingerprint_is_of_what_decides_answers(changes: dict[str, Any], same: bool) -> None:
    first, second = ModelSpec.model_validate(API), ModelSpec.model_validate({**API, **changes})
    assert (first.fingerprint == second.fingerprint) is same


@pytest.mark.parametrize(
    ("changes", "variable"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"provider": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"provider": "litellm"}, None),
        ({"base_url": "http://localhost:8000/v1"}, None),
        ({"base_url": "http://localhost:8000/v1", "api_key_env": "MINE"}, "MINE"),
        ({"api_key_env": "MINE"}, "MINE"),
    ],
)
def test_spec_key_comes_from_the_variable_that_is_named_or_usual(changes: dict[str, Any], variable: str | None) -> None:
    assert ModelSpec.model_validate({**API, **changes}).key_variable == variable


def test_prices_are_the_specs_own_else_litellms_else_unknown() -> None:
    listed = load_litellm().model_cost["gpt-4o"]
    found = prices_of(ModelSpec.model_validate(API))
    assert found is not None
    assert found.input_usd_per_million == pytest.approx(listed["input_cost_per_token"] * 1e6)
    assert found.output_usd_per_million == pytest.approx(listed["output_cost_per_token"] * 1e6)
    assert found.cached_usd_per_million == pytest.approx(listed["cache_read_input_token_cost"] * 1e6)
    own = Prices(input_usd_per_million=1, output_usd_per_million=2)
    assert prices_of(ModelSpec.model_validate({**API, "prices": own})) == own
    assert prices_of(ModelSpec.model_validate({**API, "model": "no-such-model"})) is None
    assert prices_of(ModelSpec.model_validate({**API, "base_url": "http://localhost:8000/v1"})) is None


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"parameters_billion": 0}, "parameters_billion 0 must be a number above 0"),
        ({"parameters_billion": "70B"}, "parameters_billion '70B' must be a number above 0"),
        ({"thinking_tokens": 1.5}, "thinking_tokens 1.5 must be a whole number from 0"),
        ({"thinking_tokens": True}, "thinking_tokens True must be a whole number from 0"),
        ({"family": 4}, "family 4 must be a name"),
        ({"alignment": ""}, "alignment '' must be a name"),
    ],
)
def test_spec_tags_that_models_are_compared_by_are_typed(tags: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        ModelSpec.model_validate({**API, "tags": tags})

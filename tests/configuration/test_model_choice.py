"""A model written in one line: what is neither a key of ours nor a parameter of the lane's SDK is not sent."""

import pytest

from demur.configuration.models import chosen_model
from demur.errors import ConfigError


def test_model_is_read_from_one_line() -> None:
    line = "mine=openai:org/llama3:8b,base_url=http://localhost:8000/v1,max_tokens=64, temperature=0.5,stop=[a, b=c]"
    spec = chosen_model(line, ())
    assert (spec.name, spec.provider, spec.model) == ("mine", "openai", "org/llama3:8b")
    assert spec.base_url == "http://localhost:8000/v1"
    assert spec.parameters == {"max_tokens": 64, "temperature": 0.5, "stop": ["a", "b=c"]}
    assert chosen_model("openai:org/llama3:8b,max_tokens=64", ()).name == "llama3-8b"
    assert chosen_model("mine", [spec]) is spec


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("base_ur=http://localhost:8000/v1", r"'base_ur' is neither .*Did you mean 'base_url'\?"),
        (" base_ur=http://localhost:8000/v1", r"'base_ur' is neither .*Did you mean 'base_url'\?"),
        ("Api_Key_Env=LOCAL_KEY", r"'Api_Key_Env' is neither .*Did you mean 'api_key_env'\?"),
        ("extra.=1", r"'extra\.' is neither"),
        ("qqq=5", r"'qqq' is neither .*nor a parameter that provider openai's SDK knows \(extra\.qqq=\.\.\. sends it"),
    ],
)
def test_model_with_an_unknown_key_is_refused_with_the_one_meant(key: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        chosen_model(f"mine=openai:gpt,max_tokens=64,{key}", ())
    with pytest.raises(ConfigError, match=complaint):
        chosen_model(f"mine=openai:gpt,{key},max_tokens=64", ())


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("openai:llama3", "top_k=5"),
        ("anthropic:claude", "chat_template=5"),
        ("litellm:gemini/gemini-3", "safety_settings=5"),
    ],
)
def test_model_takes_a_parameter_that_its_sdk_does_not_know_under_extra(model: str, sent: str) -> None:
    name = sent.partition("=")[0]
    with pytest.raises(ConfigError, match=f"extra\\.{name}=... sends it all the same"):
        chosen_model(f"{model},max_tokens=64,{sent}", ())
    assert chosen_model(f"{model},max_tokens=64,extra.{sent}", ()).parameters == {"max_tokens": 64, name: 5}


def test_model_takes_under_extra_nothing_that_the_lane_sends() -> None:
    with pytest.raises(ConfigError, match="base_url cannot be given here"):
        chosen_model("openai:gpt,max_tokens=64,extra.base_url=http://localhost:8000/v1", ())


def test_model_whose_keys_are_not_set_off_by_commas_is_refused() -> None:
    with pytest.raises(
        ConfigError, match="'gpt base_url=http://localhost:8000/v1' is not a model's name: separate keys"
    ):
        chosen_model("openai:gpt base_url=http://localhost:8000/v1,max_tokens=64", ())


def test_model_that_is_refused_shows_no_value_that_may_be_a_key() -> None:
    planted = "sk-planted-0123456789abcdef"
    for given in (f"api_key_env={planted}", f"api_ky={planted}", f"extra.api_key={planted}"):
        with pytest.raises(ConfigError) as caught:
            chosen_model(f"mine=openai:gpt,max_tokens=64,{given}", ())
        assert planted not in str(caught.value)
        assert "--model 'mine=openai:gpt'" in str(caught.value)

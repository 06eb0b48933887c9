"""Models named in one line: by their name in a configuration, or as PROVIDER:MODEL with what they are asked with."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from demur.errors import ConfigError
from demur.lanes.registry import LANES
from demur.lanes.spec import ModelSpec
from demur.levers.explain import explain

SHAPE: Final = "[NAME=]PROVIDER:MODEL[,key=value...]"
EXAMPLE: Final = "mine=openai:gpt-6-sol,max_completion_tokens=4096,temperature=1"
_NAMED: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<provider>\w+):(?P<rest>.+)", re.DOTALL)
_NOT_PARAMETERS: Final = frozenset(ModelSpec.model_fields) - {"name", "provider", "model", "parameters", "fallback"}


def chosen_model(text: str, known: Sequence[ModelSpec], option: str = "--model") -> ModelSpec:
    """Return the model that a text names.

    It is the name of one of the known models, or `[NAME=]PROVIDER:MODEL[,key=value...]`: keys that a model of a
    configuration has (base_url, api_key_env, mode, file, ...) are these, all others are parameters that are sent.

    Raises:
        ConfigError: the text is neither, or describes no model that can be asked.
    """
    for spec in known:
        if spec.name == text:
            return spec
    found = _NAMED.fullmatch(text)
    if found is None or found["provider"] not in LANES:
        names = ", ".join(spec.name for spec in known)
        raise ConfigError(
            f"{option} '{text}' is neither a model of the configuration ({names or 'it has none'}) nor {SHAPE} with a "
            f"provider of {', '.join(LANES)}, as in {EXAMPLE}"
        )
    model, *given = re.split(r",(?=\w+=)", found["rest"])
    fields: dict[str, Any] = {"provider": found["provider"], "model": model, "parameters": {}}
    fields["name"] = found["name"] or re.sub(r"[^A-Za-z0-9._-]+", "-", model.split("/")[-1]).strip(".-_")[:64]
    for key, _, value in (one.partition("=") for one in given):
        read = _value(value)
        if key in _NOT_PARAMETERS:
            fields[key] = Path(value).resolve() if key == "file" and Path(value).is_file() else read
        else:
            fields["parameters"][key] = read
    try:
        return ModelSpec.model_validate(fields)
    except ValidationError as exc:
        problems = "; ".join(dict.fromkeys(problem.message for problem in explain(exc, ModelSpec)))
        raise ConfigError(f"{option} '{text}': {problems}. Write it as {EXAMPLE}") from exc


def _value(text: str) -> Any:
    """Return a value as YAML reads it; what is no YAML is a text."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text

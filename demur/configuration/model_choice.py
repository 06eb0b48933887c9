"""Reads a model from one line of text: the name of a configured model, or PROVIDER:MODEL with parameters."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from demur.errors import ConfigError
from demur.lanes.registry import lane_names, lane_of
from demur.lanes.spec import ModelSpec
from demur.lanes.spec_checks import LANE_SENDS
from demur.levers.explain import did_you_mean, explain

SHAPE: Final = "[NAME=]PROVIDER:MODEL[,key=value...]"
EXAMPLE: Final = "mine=openai:gpt-6-sol,max_completion_tokens=4096,temperature=1"
_NAMED: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<provider>\w+):(?P<rest>.+)", re.DOTALL)
_FIELDS: Final = frozenset(ModelSpec.model_fields) - {"name", "provider", "model", "parameters", "fallback"}
_EXTRA: Final = "extra."
"""The prefix of parameters that the lane's SDK does not know."""
_NEXT_KEY: Final = re.compile(r",\s*(?=[\w.-]+=)(?![^\[\]{}]*[\]}])")
"""Commas between keys, but not those inside the brackets of a value."""


SYSTEM_SHAPE: Final = "[NAME=]package.module:function, [NAME=]http://HOST/PATH or an entry point of demur.respondents"
UNVERSIONED: Final = "unversioned-"
"""The prefix of versions for systems without a given version. Each such version is unique."""
_SYSTEM: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<address>[^,=]+)(?P<rest>,.*)?", re.DOTALL)


def system_as_model(text: str, version: str | None) -> str:
    """Return a text for `chosen_model` that names a system; `text` is `[NAME=]ADDRESS[,key=value...]`.

    If `version` is None and `text` has no key `version`, an entry point has the version of its package; any other
    system gets a new, unique version.

    Raises:
        ConfigError: the text names no system.
    """
    found = _SYSTEM.fullmatch(text)
    if found is None:
        raise ConfigError(f"--system '{text.partition(',')[0]}' is not {SYSTEM_SHAPE}")
    address = found["address"]
    if (module := address.partition(":")[0]).endswith(".py"):
        raise ConfigError(
            f"--system '{address}': write the module as in an import, {module[:-3].replace('/', '.')}:..."
        )
    provider = "service" if "://" in address else "respondent"
    name = (
        found["name"] or re.sub(r"[^A-Za-z0-9._-]+", "-", re.split("[:/.]", address.rstrip("/"))[-1]).strip(".-_")[:64]
    )
    rest = found["rest"] or ""
    if version is not None:
        rest += f",version={version}"
    elif ":" in address and ",version=" not in rest:
        rest += f",version={UNVERSIONED}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    return f"{name or 'system'}={provider}:{address}{rest}"


def chosen_model(text: str, known: Sequence[ModelSpec], option: str = "--model") -> ModelSpec:
    """Return the model that a text describes.

    The text is the name of a known model, or `[NAME=]PROVIDER:MODEL[,key=value...]`. Keys such as base_url,
    api_key_env, mode and file set fields of the ModelSpec. Keys that the lane's SDK knows, and keys with the prefix
    `extra.`, are parameters of requests.

    Raises:
        ConfigError: the text names no usable model. The message shows no values, since a value may be an API key.
    """
    for spec in known:
        if spec.name == text:
            return spec
    named = f"{option} '{text.partition(',')[0]}'"
    found = _NAMED.fullmatch(text)
    if found is None or found["provider"] not in lane_names():
        names = ", ".join(spec.name for spec in known)
        raise ConfigError(
            f"{named} is neither a model of the configuration ({names or 'it has none'}) nor of the form {SHAPE} "
            f"with one of the providers {', '.join(lane_names())}, as in {EXAMPLE}"
        )
    model, *given = _NEXT_KEY.split(found["rest"])
    pairs = [(key, value) for key, _, value in (one.partition("=") for one in given)]
    problems = list(_problems(found["provider"], model, [key for key, _ in pairs]))
    fields: dict[str, Any] = {"provider": found["provider"], "model": model, "parameters": {}}
    fields["name"] = found["name"] or re.sub(r"[^A-Za-z0-9._-]+", "-", model.split("/")[-1]).strip(".-_")[:64]
    for key, value in pairs:
        read = value if key == "version" else _value(value)
        if key in _FIELDS:
            fields[key] = Path(value).resolve() if key == "file" and Path(value).is_file() else read
        else:
            fields["parameters"][key.removeprefix(_EXTRA)] = read
    try:
        if not problems:
            return ModelSpec.model_validate(fields)
    except ValidationError as exc:
        problems += dict.fromkeys(problem.message for problem in explain(exc, ModelSpec))
    raise ConfigError(f"{named}: {'; '.join(problems)} (written as {EXAMPLE})")


def _problems(provider: str, model: str, keys: Sequence[str]) -> Iterator[str]:
    if "=" in model:
        yield f"'{model}' is not a model's name: separate keys by commas"
    extra = re.compile(rf"{re.escape(_EXTRA)}.+")
    unsure = [key for key in keys if key not in _FIELDS | LANE_SENDS and not extra.fullmatch(key)]
    sent = lane_of(provider).known_parameters() if unsure else frozenset[str]()
    for key in unsure:
        if key in sent:
            continue
        known = f"a key of a model nor a parameter that provider {provider}'s SDK knows"
        meant = did_you_mean(key, [*_FIELDS, *sent])
        yield f"'{key}' is neither {known} ({_EXTRA}{key}=... sends it all the same){meant}"


def _value(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text

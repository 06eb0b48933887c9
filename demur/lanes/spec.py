"""A model spec: one model with its parameters, prices and limits."""

import hashlib
import json
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints, model_validator

from demur.lanes.registry import (
    LANES,
    PLATFORMS,
    RECORDED,
    Lane,
    Via,
    checked_lane,
    foreign_address,
    lane_names,
    lane_of,
    lanes_with,
)
from demur.lanes.spec_checks import checked_address, checked_parameters, checked_tags, checked_variable
from demur.levers.lever_models import Strict
from demur.programs.errors import ProgramError


def _one_shape(value: object) -> object:
    if not isinstance(value, bool) and value != "tool":
        raise ValueError(f'{value!r} is not one of true, false, "tool"')
    return value


HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$")]
Variable = Annotated[str, AfterValidator(checked_variable)]
ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Mode(StrEnum):
    """Modes of asking a model: `LIVE` sends each request at once. `BATCH` sends many together, which costs half."""

    LIVE = "live"
    BATCH = "batch"


BLOCK_PREFIX: Final = "block:"

FACTORS: Final = ("family", "parameters_billion", "alignment", "thinking_tokens")
"""Tags of models whose effects on scores are studied."""


class Prices(Strict):
    """US dollars per million tokens, in place of the prices in litellm's table.

    If the price of cache reads or of cache writes is None, the input price applies. For Anthropic's cache writes, the
    price is then a quarter higher than the input price. Batches cost half.
    """

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)
    cached_usd_per_million: float | None = Field(default=None, ge=0)
    cache_write_usd_per_million: float | None = Field(default=None, ge=0)


class ModelLimits(Strict):
    """Limits of requests to a model. Limits do not change the model's answers.

    The limits hold for all requests of one process to the model. Processes that share a home divide the limits equally.
    """

    concurrency: int = Field(default=16, ge=1, le=1000, description="most requests at once")
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0, description="limit of tokens: input plus max_tokens")
    timeout_seconds: float = Field(default=120, gt=0)
    retries: int = Field(default=5, ge=0, le=20)
    retry_seconds: float = Field(
        default=300,
        ge=0,
        description="longest time for retries of a request, or for an outage of the model",
    )
    failures_in_a_row: int = Field(
        default=10,
        ge=1,
        description="failures in a row that stop requests to the model until a probe is answered",
    )
    batch_requests: int | None = Field(
        default=None, ge=1, le=100_000, description="most requests of one batch; default: the provider's limit"
    )
    batch_poll_seconds: float = Field(default=30, gt=0, description="pause between requests for the state of a batch")
    batch_missing_seconds: float = Field(
        default=300,
        ge=0,
        description="how long a batch or results may be missing at the provider before they count as lost",
    )
    batch_wait_seconds: float = Field(
        default=93_600,
        gt=0,
        description="longest wait for a batch; then the stage stops, and the next run waits on",
    )


def _as_name(schema: dict[str, Any]) -> None:
    """Change the JSON Schema of the field `fallback`, so that the schema asks for the name of a model, or null."""
    del schema["anyOf"]
    schema["type"] = ["string", "null"]


class ModelSpec(Strict):
    """One named model of a round.

    `parameters` are sent unchanged (temperature, top_p, max_tokens, seed, reasoning effort, ...). Results also depend
    on provider, platform (`via`), model, version, file, fallback and `structured_output`. If other fields change, no
    request is repeated. `via` names the platform of Anthropic's models: Amazon Bedrock or Google Vertex AI. The key is
    in an environment variable (`api_key_env`) or a Prefect Secret block (`api_key_block`). `structured_output` selects
    how the provider enforces the format of replies: true means by JSON mode, "tool" by a forced tool, false not at all.
    `prompt_cache` marks the constant beginning of prompts for providers that need marks.
    """

    name: ModelName
    provider: Annotated[str, AfterValidator(checked_lane)]
    model: str = Field(min_length=1)
    version: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._+:/@-]{0,127}$",
        exclude_if=lambda version: version is None,
        description="version of a system: a changed version is asked again",
    )
    parameters: Annotated[dict[str, JsonValue], AfterValidator(checked_parameters)] = Field(default_factory=dict)
    via: Via | None = None
    region: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    project: str | None = Field(default=None, pattern=r"^[a-z0-9:.-]+$")
    base_url: Annotated[str, AfterValidator(checked_address)] | None = None
    api_key_env: Variable | None = None
    api_key_block: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    headers: dict[HeaderName, Variable] = Field(
        default_factory=dict,
        exclude_if=lambda headers: not headers,
        description="HTTP headers: for each header the environment variable with its value",
    )
    system_role: bool = Field(
        default=True,
        exclude_if=lambda system_role: system_role,
        description="whether instructions are sent in the role system; false for models without this role",
    )
    structured_output: Annotated[bool | Literal["tool"], BeforeValidator(_one_shape)] = True
    file: Path | None = Field(
        default=None,
        description="file that a model answers from: a recording, or the output of train-grader for grader/trained",
    )
    fallback: "ModelSpec | None" = Field(
        default=None,
        description="name of the model that answers requests missing in the recording",
        json_schema_extra=_as_name,
    )
    prompt_cache: bool = True
    prices: Prices | None = None
    limits: ModelLimits = ModelLimits()
    mode: Mode = Mode.LIVE
    tags: Annotated[dict[str, JsonValue], AfterValidator(checked_tags)] = Field(
        default_factory=dict,
        description="facts about the model; reports compare family, parameters_billion, alignment and thinking_tokens",
    )

    @property
    def lane_name(self) -> str:
        """The name of the lane that answers."""
        return self.provider

    @property
    def lane(self) -> Lane:
        """The lane that answers."""
        return lane_of(self.lane_name)

    @model_validator(mode="before")
    @classmethod
    def _with_defaults_of_lane(cls, data: Any) -> Any:
        provider = data.get("provider") if isinstance(data, dict) else None
        defaults = lane_of(provider).defaults if isinstance(provider, str) and provider in lane_names() else {}
        filled = {
            name: {**values, **data.get(name, {})}
            for name, values in defaults.items()
            if isinstance(data.get(name, {}), dict)
        }
        return {**data, **filled} if filled else data

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for problem in chain(self._problems_of_lane(), self._problems_of_system(), self._problems_of_platform()):
            raise ValueError(problem)
        return self

    def _problems_of_lane(self) -> Iterator[str]:
        lane = self.lane
        if lane.embedded:
            if self.base_url or self.api_key_env or self.api_key_block or self.prices or self.parameters:
                yield (
                    f"a {self.provider} model takes no base_url, api_key_env, prices or parameters: nothing leaves "
                    "the machine"
                )
        elif lane.local and (self.base_url or self.api_key_env or self.api_key_block or self.prices):
            yield f"a {self.provider} model takes no base_url, api_key_env or prices: it runs on this machine"
        elif lane.token_limits and not any(name in self.parameters for name in lane.token_limits):
            yield "parameters.max_tokens is missing: it decides results and bounds the cost of a call"
        if lane.models and self.model not in lane.models:
            yield f"model '{self.model}' is not one of the {self.provider} models {', '.join(lane.models)}"
        if self.structured_output == "tool" and not lane.forces_tools:
            takers = " and ".join(lanes_with("forces_tools"))
            yield f'structured_output: "tool" is for provider {takers}; use true or false'
        if lane.check_parameters is not None:
            lane.check_parameters(self.parameters, with_tool=self.structured_output == "tool")
        command = lane.file_of(self.model)
        if command is not None and self.file is None:
            yield f"{self.model} needs a file, which `{command}` writes"
        if self.fallback is not None and self.lane_name != RECORDED:
            yield f"fallback is for provider {RECORDED}; models of other providers answer every request"
        if command is None and self.file is not None:
            readers = [f"{name} {model}" for name, lane in LANES.items() for model in lane.files]
            yield f"file is for models that answer from one: {', '.join(readers)}"
        if self.mode is Mode.BATCH and (lane.batches is None or self.via is not None):
            place = f"provider {self.provider}" + (f" via {self.via}" if self.via else "")
            yield f"mode: batch is for provider {' and '.join(lanes_with('batches'))}, not {place}: use mode: live"

    def _problems_of_system(self) -> Iterator[str]:
        lane = self.lane
        is_service = lane.system and not lane.embedded
        if is_service:
            checked_address(self.model)
        if is_service and (self.base_url or self.api_key_env or self.api_key_block or self.prices):
            yield "a service takes no base_url, api_key_env or prices: its name is its address; see headers"
        if self.headers and not lane.headers:
            yield f"headers are for providers {', '.join(lanes_with('headers'))}: a {self.provider} model gets none"
        if self.version is not None and not lane.system:
            yield f"version is for systems: a {self.provider} model is identified by its name"
        if not lane.system or self.version is not None:
            return
        if lane.code_version is None or lane.code_version(self.model) is None:
            yield f"a system needs a version, such as version: '1'; raise it whenever {self.model} changes"

    def _problems_of_platform(self) -> Iterator[str]:
        if self.api_key_env and self.api_key_block:
            yield "api_key_env and api_key_block both name a key: keep one"
        if self.via is None:
            if self.region or self.project:
                yield "region and project are for models asked via bedrock or vertex"
            return
        if self.via not in self.lane.platforms:
            takers = " and ".join(lanes_with("platforms"))
            yield f"via {self.via} is for provider {takers}; provider litellm names the platform in model names"
        if self.region is None:
            yield f"via {self.via} needs a region, such as region: us-east-1 (vertex also: global)"
        foreign = foreign_address(self.via, self.base_url)
        if foreign is not None and self.key_source is None:
            yield (
                f"base_url: {foreign} is not a host of the platform ({PLATFORMS[self.via].host}), so the credentials "
                "of this environment are not sent there: name a key for it with api_key_env, or leave base_url out"
            )
        if PLATFORMS[self.via].needs_project != (self.project is not None):
            yield "project, the id of a Google Cloud project, is required via vertex and allowed nowhere else"

    @property
    def recording(self) -> tuple[Path, str] | None:
        """The recording's file, and the model's name in it; None if the model itself answers."""
        return (self.file, self.model) if self.lane_name == RECORDED and self.file is not None else None

    @property
    def factors(self) -> dict[str, float | str]:
        """Those tags of the model that are named in FACTORS."""
        given = ((name, self.tags.get(name)) for name in FACTORS)
        return {name: value for name, value in given if isinstance(value, (str, int, float))}

    @property
    def key_variable(self) -> str | None:
        """The environment variable of the key; None if no key is needed, or if the key is in a Prefect block.

        Servers of the user's own (`base_url`) and other platforms (`via`) need a key only if the spec names one.
        """
        if self.api_key_env or self.base_url or self.via or self.api_key_block:
            return self.api_key_env
        return self.lane.key_variable

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all environment variables that the model needs, for its key and headers."""
        return (*((self.key_variable,) if self.key_variable else ()), *self.headers.values())

    @property
    def key_source(self) -> str | None:
        """The environment variable of the key, or `block:` and the name of the Prefect block."""
        return f"{BLOCK_PREFIX}{self.api_key_block}" if self.api_key_block else self.key_variable

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides the model's answers: fields of the spec, and the model's code or file."""
        asked = {name: value for name, value in self.parameters.items() if name not in self.lane.pace_parameters}
        decisive: list[object] = [self.provider, self.model, asked, self.structured_output]
        if self.lane.code_version is not None and (code := self.lane.code_version(self.model)) is not None:
            decisive.append(code)
        if self.version is not None:
            decisive.append(self.version)
        if self.via is not None:
            decisive.append(self.via)
        if not self.system_role:
            decisive.append("no system role")
        if self.file is not None:
            decisive.append(_checksum(self.file, str(self.lane.file_of(self.model))))
        if self.fallback is not None:
            decisive.append(self.fallback.fingerprint)
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]


def _checksum(path: Path, command: str) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror}). Name a file that `{command}` wrote") from exc


class Replayed(ModelSpec):
    """A model in whose place a recording answers. The results appear under the model's own name."""

    read_from: Path

    @classmethod
    def by(cls, spec: ModelSpec, recording: Path) -> "Replayed":
        """Return the model of `spec`, with `recording` as the source of answers."""
        given = {name: getattr(spec, name) for name in ModelSpec.model_fields}
        return cls.model_construct(**(given | {"mode": Mode.LIVE, "read_from": recording}))

    @property
    def lane_name(self) -> str:
        """The recorded lane."""
        return RECORDED

    @property
    def recording(self) -> tuple[Path, str]:
        """The recording, with the model's name in the round."""
        return self.read_from, self.name

    @property
    def key_variable(self) -> None:
        """No key is needed."""

    @property
    def variables(self) -> tuple[str, ...]:
        """No key is needed."""
        return ()

    @property
    def key_source(self) -> None:
        """No key is needed."""

"""A model spec: one model with its parameters, prices and limits."""

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    field_validator,
    model_validator,
)

from demur.lanes.platforms import PLATFORMS, Via
from demur.lanes.registry import LANES, RECORDED, Lane, lane_of, lanes_with
from demur.lanes.spec_checks import check_address, check_parameters, check_tags, check_variable
from demur.programs.errors import ProgramError

HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$")]
ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Mode(StrEnum):
    """Modes of asking a model: every request at once, or many in a batch, later and at half the price."""

    LIVE = "live"
    BATCH = "batch"


BLOCK_PREFIX: Final = "block:"

FACTORS: Final = ("family", "parameters_billion", "alignment", "thinking_tokens")
"""Tags of models whose effect on scores is studied."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Prices(_Strict):
    """US dollars per million tokens, in place of those in litellm's bundled table.

    Cache reads and cache writes cost as much as input where no price is given (anthropic: a quarter more for writes, as
    in its price list). Batches cost half.
    """

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)
    cached_usd_per_million: float | None = Field(default=None, ge=0)
    cache_write_usd_per_million: float | None = Field(default=None, ge=0)


class ModelLimits(_Strict):
    """Limits of requests to a model; they do not change its answers.

    They hold for all requests of one process to a model. Processes that share a home divide them in equal parts.
    """

    concurrency: int = Field(default=16, ge=1, le=1000, description="most requests at once")
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0, description="input, and output as far as max_tokens")
    timeout_seconds: float = Field(default=120, gt=0)
    retries: int = Field(default=5, ge=0, le=20)
    retry_seconds: float = Field(
        default=300, ge=0, description="longest time spent on retries of one request, or on waiting for a dead model"
    )
    failures_in_a_row: int = Field(
        default=10, ge=1, description="after so many, nobody asks the model until a probe of one token is answered"
    )
    batch_requests: int | None = Field(
        default=None, ge=1, le=100_000, description="most requests of one batch; by default what the provider takes"
    )
    batch_poll_seconds: float = Field(default=30, gt=0, description="how often a batch is looked at")
    batch_missing_seconds: float = Field(
        default=300,
        ge=0,
        description="how long a batch, or results, that the provider does not show are only not there yet",
    )
    batch_wait_seconds: float = Field(
        default=93_600, gt=0, description="longest wait for a batch; then the stage stops, and the next run waits on"
    )


def _as_name(schema: dict[str, Any]) -> None:
    """Describe a field that holds another model as a text or null: users write that model's name."""
    del schema["anyOf"]
    schema["type"] = ["string", "null"]


class ModelSpec(_Strict):
    """One named model of a round.

    `parameters` are sent unchanged (temperature, top_p, max_tokens, seed, reasoning effort, ...) and decide results, as
    do provider, platform (`via`), model and `structured_output`. Other fields may change without any request being
    repeated. `via` asks anthropic's models on Amazon Bedrock or Google Vertex AI. The key is read from the environment
    (`api_key_env`) or from a Prefect Secret block (`api_key_block`). `structured_output` makes the provider enforce the
    shape of replies: by its JSON mode (true), by a tool that the model must use ("tool"), or not at all (false).
    `prompt_cache` marks the constant beginning of prompts where a provider needs such marks.
    """

    name: ModelName
    provider: str
    model: str = Field(min_length=1)
    version: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._+:/@-]{0,127}$",
        exclude_if=lambda version: version is None,
        description="version of a system: another one is asked again",
    )
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    via: Via | None = None
    region: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    project: str | None = Field(default=None, pattern=r"^[a-z0-9:.-]+$")
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_block: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    headers: dict[HeaderName, str] = Field(
        default_factory=dict,
        exclude_if=lambda headers: not headers,
        description="of a service: by header, the environment variable that holds its value",
    )
    structured_output: bool | Literal["tool"] = True
    file: Path | None = Field(
        default=None,
        description="what a model answers from: a recording, or for grader/trained what train-grader wrote",
    )
    fallback: "ModelSpec | None" = Field(
        default=None,
        description="name of the model that answers what a recorded one has no reply to",
        json_schema_extra=_as_name,
    )
    prompt_cache: bool = True
    prices: Prices | None = None
    limits: ModelLimits = ModelLimits()
    mode: Mode = Mode.LIVE
    tags: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="about the model; family, parameters_billion, alignment and thinking_tokens are compared by",
    )

    @field_validator("provider")
    @classmethod
    def _is_a_lane(cls, provider: str) -> str:
        lane_of(provider)
        return provider

    @field_validator("parameters")
    @classmethod
    def _not_the_lanes(cls, parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
        check_parameters(parameters)
        return parameters

    @field_validator("structured_output", mode="before")
    @classmethod
    def _known_shape(cls, value: object) -> object:
        if not isinstance(value, bool) and value != "tool":
            raise ValueError(f'{value!r} is not one of true, false, "tool"')
        return value

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        if name is not None:
            check_variable(name)
        return name

    @field_validator("headers")
    @classmethod
    def _name_variables(cls, headers: dict[str, str]) -> dict[str, str]:
        for variable in headers.values():
            check_variable(variable)
        return headers

    @field_validator("tags")
    @classmethod
    def _factors_are_typed(cls, tags: dict[str, JsonValue]) -> dict[str, JsonValue]:
        check_tags(tags)
        return tags

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, base_url: str | None) -> str | None:
        if base_url is not None:
            check_address(base_url)
        return base_url

    @property
    def lane_name(self) -> str:
        """The lane that answers."""
        return self.provider

    @property
    def lane(self) -> Lane:
        """Properties shared by all models of this lane."""
        return lane_of(self.lane_name)

    @model_validator(mode="after")
    def _fits_lane(self) -> Self:
        lane = self.lane
        if lane.embedded:
            if self.base_url or self.api_key_env or self.api_key_block or self.prices or self.parameters:
                raise ValueError(
                    f"a {self.provider} model takes no base_url, api_key_env, prices or parameters: nothing leaves "
                    "the machine"
                )
        elif lane.token_limits and not any(name in self.parameters for name in lane.token_limits):
            raise ValueError("parameters.max_tokens is missing: it decides results and bounds the cost of a call")
        if lane.models and self.model not in lane.models:
            raise ValueError(f"model '{self.model}' is not one of the {self.provider} models {', '.join(lane.models)}")
        if self.structured_output == "tool" and not lane.forces_tools:
            takers = " and ".join(lanes_with("forces_tools"))
            raise ValueError(f'structured_output: "tool" is for provider {takers}; use true or false')
        if lane.check_parameters is not None:
            lane.check_parameters(self.parameters, with_tool=self.structured_output == "tool")
        return self

    @model_validator(mode="after")
    def _is_service(self) -> Self:
        is_service = self.lane.system and not self.lane.embedded
        if is_service:
            check_address(self.model)
        if is_service and (self.base_url or self.api_key_env or self.api_key_block or self.prices):
            raise ValueError("a service takes no base_url, api_key_env or prices: its name is its address; see headers")
        if self.headers and not is_service:
            raise ValueError(f"headers are for services: a {self.provider} model has its key in api_key_env")
        return self

    @model_validator(mode="after")
    def _has_version(self) -> Self:
        lane = self.lane
        if self.version is not None and not lane.system:
            raise ValueError(f"version is for systems: a {self.provider} model is told apart by its name")
        known = lane.code_version is not None and lane.code_version(self.model) is not None
        if lane.system and self.version is None and not known:
            raise ValueError(f"a system needs a version, such as version: '1': nobody sees when {self.model} changes")
        return self

    @model_validator(mode="after")
    def _has_file(self) -> Self:
        command = self.lane.file_of(self.model)
        if command is not None and self.file is None:
            raise ValueError(f"{self.model} needs a file, which `{command}` writes")
        if self.fallback is not None and self.lane_name != RECORDED:
            raise ValueError(f"fallback is for provider {RECORDED}: other models answer whatever they are asked")
        if command is None and self.file is not None:
            readers = [f"{name} {model}" for name, lane in LANES.items() for model in lane.files]
            raise ValueError(f"file is for models that answer from one: {', '.join(readers)}")
        return self

    @model_validator(mode="after")
    def _has_batches(self) -> Self:
        if self.mode is Mode.BATCH and (self.lane.batches is None or self.via is not None):
            place = f"provider {self.provider}" + (f" via {self.via}" if self.via else "")
            takers = " and ".join(lanes_with("batches"))
            raise ValueError(f"mode: batch is for provider {takers}, not {place}: use mode: live")
        return self

    @model_validator(mode="after")
    def _fits_platform(self) -> Self:
        if self.api_key_env and self.api_key_block:
            raise ValueError("api_key_env and api_key_block both name a key: keep one")
        if self.via is None:
            if self.region or self.project:
                raise ValueError("region and project are for models asked via bedrock or vertex")
            return self
        if self.via not in self.lane.platforms:
            takers = " and ".join(lanes_with("platforms"))
            raise ValueError(f"via {self.via} is for provider {takers}; others have theirs in litellm's model names")
        if self.region is None:
            raise ValueError(f"via {self.via} needs a region, such as region: us-east-1 (vertex also: global)")
        if PLATFORMS[self.via].needs_project != (self.project is not None):
            raise ValueError("project is needed via vertex, and for nothing else: the id of the Google Cloud project")
        return self

    @property
    def recording(self) -> tuple[Path, str] | None:
        """The answering recording, and the model's name in it; None if the model itself answers."""
        return (self.file, self.model) if self.lane_name == RECORDED and self.file is not None else None

    @property
    def factors(self) -> dict[str, float | str]:
        """The model's tags by which models are compared (FACTORS), as far as its entry gives them."""
        given = ((name, self.tags.get(name)) for name in FACTORS)
        return {name: value for name, value in given if isinstance(value, (str, int, float))}

    @property
    def key_variable(self) -> str | None:
        """The environment variable of the key; None if no key is needed or a block holds it.

        Servers of one's own (base_url) and other platforms (via) need a key only where one is named.
        """
        if self.api_key_env or self.base_url or self.via or self.api_key_block:
            return self.api_key_env
        return self.lane.key_variable

    @property
    def variables(self) -> tuple[str, ...]:
        """Its required environment variables: of its key, and of headers."""
        return (*((self.key_variable,) if self.key_variable else ()), *self.headers.values())

    @property
    def key_source(self) -> str | None:
        """Name of the key's source: the environment variable, or the Prefect block with `block:` before."""
        return f"{BLOCK_PREFIX}{self.api_key_block}" if self.api_key_block else self.key_variable

    @property
    def fingerprint(self) -> str:
        """Hash of the fields that decide this model's answers; for a rules model also of its code."""
        decisive: list[object] = [self.provider, self.model, self.parameters, self.structured_output]
        if self.lane.code_version is not None and (code := self.lane.code_version(self.model)) is not None:
            decisive.append(code)
        if self.version is not None:
            decisive.append(self.version)
        if self.via is not None:
            decisive.append(self.via)
        if self.file is not None:
            decisive.append(_checksum(self.file, str(self.lane.file_of(self.model))))
        if self.fallback is not None:
            decisive.append(self.fallback.fingerprint)
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]


def _checksum(path: Path, command: str) -> str:
    """Hash of a model's file, by content and not by path."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror}). Name a file that `{command}` wrote") from exc

"""A model spec: which model answers, with what parameters, prices and limits."""

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, field_validator, model_validator

from demur.programs.code_version import rules_version
from demur.programs.errors import ProgramError
from demur.programs.lanes.platforms import Via
from demur.programs.lanes.spec_checks import check_address, check_parameters, check_tags, check_variable
from demur.programs.lanes.thinking import check_thinking

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Provider(StrEnum):
    """The lanes."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    LITELLM = "litellm"
    RULES = "rules"


class Mode(StrEnum):
    """How a model is asked: every request at once, or many together in a batch, later and at half the price."""

    LIVE = "live"
    BATCH = "batch"


KEY_VARIABLES: Final = {Provider.OPENAI: "OPENAI_API_KEY", Provider.ANTHROPIC: "ANTHROPIC_API_KEY"}

BLOCK_PREFIX: Final = "block:"

RULES_MODELS: Final[dict[str, tuple[str, ...]]] = {
    "recipes": ("terse", "elaborate"),
    "verifier": ("rederive", "wording", "strict"),
    "respondent": ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter"),
    "judge": ("patterns",),
    "writer": ("phrases",),
    "grader": ("patterns",),
}
"""The embedded models, `<part>/<which rules>`; here, so that a configuration is checked without loading them."""

FACTORS: Final = ("family", "parameters_billion", "alignment", "thinking_tokens")
"""Tags of models whose effect on scores is studied."""

TRAINED_GRADER: Final = "grader/trained"
"""The rules model that is read from a file; where it was not trained, patterns grade."""
_PART_OF_ROLE: Final = {"generator": "recipes", "screener": "respondent"}
_HAVE_BATCHES: Final = (Provider.OPENAI, Provider.ANTHROPIC)
_TOKEN_LIMITS: Final = {
    Provider.OPENAI: ("max_tokens", "max_completion_tokens"),
    Provider.ANTHROPIC: ("max_tokens",),
    Provider.LITELLM: ("max_tokens", "max_completion_tokens"),
}


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Prices(_Strict):
    """US dollars per million tokens, in place of those in litellm's bundled table.

    Tokens read from a provider's cache, and those written to it, cost what input does where nothing is given
    (anthropic: a quarter more for those written, as its price list has it). Batches cost half.
    """

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)
    cached_usd_per_million: float | None = Field(default=None, ge=0)
    cache_write_usd_per_million: float | None = Field(default=None, ge=0)


class Limits(_Strict):
    """How hard a model may be asked; none of it changes what it answers.

    They hold for all that one process asks a model. Processes that share a home divide them in equal parts.
    """

    concurrency: int = Field(default=16, ge=1, le=1000, description="most requests at once; fewer after 429 and 529")
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


class ModelSpec(_Strict):
    """One named model of a round.

    `parameters` are sent as they stand (temperature, top_p, max_tokens, seed, reasoning effort, ...) and decide
    results, as do provider, platform (`via`), model and `structured_output`; everything else may change without
    anything being asked again. `via` asks anthropic's models on Amazon Bedrock or Google Vertex AI. The key is read
    from the environment (`api_key_env`) or from a Prefect Secret block (`api_key_block`). `structured_output` wants
    replies in a shape that the provider enforces: by its JSON mode (true), by a tool that the model must use ("tool"),
    or not at all (false). `prompt_cache` marks the constant beginning of prompts where a provider wants that.
    """

    name: ModelName
    provider: Provider
    model: str = Field(min_length=1)
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    via: Via | None = None
    region: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    project: str | None = Field(default=None, pattern=r"^[a-z0-9:.-]+$")
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_block: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    structured_output: bool | Literal["tool"] = True
    file: Path | None = Field(default=None, description="for the rules model grader/trained: what train-grader wrote")
    prompt_cache: bool = True
    prices: Prices | None = None
    limits: Limits = Limits()
    mode: Mode = Mode.LIVE
    tags: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="about the model; family, parameters_billion, alignment and thinking_tokens are compared by",
    )

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

    @model_validator(mode="after")
    def _fits_provider(self) -> Self:
        if self.provider is Provider.RULES:
            if self.base_url or self.api_key_env or self.api_key_block or self.prices or self.parameters:
                raise ValueError(
                    "a rules model takes no base_url, api_key_env, prices or parameters: nothing leaves the machine"
                )
            known = [f"{part}/{which}" for part, rules in RULES_MODELS.items() for which in rules]
            known.append(TRAINED_GRADER)
            if self.model not in known:
                raise ValueError(f"model '{self.model}' is not one of the rules models {', '.join(known)}")
        elif not any(name in self.parameters for name in _TOKEN_LIMITS[self.provider]):
            raise ValueError("parameters.max_tokens is missing: it decides results and bounds the cost of a call")
        if self.provider is Provider.ANTHROPIC:
            check_thinking(self.parameters, with_tool=self.structured_output == "tool")
        elif self.structured_output == "tool" and self.provider is not Provider.OPENAI:
            raise ValueError('structured_output: "tool" is for provider openai and anthropic; use true or false')
        return self

    @model_validator(mode="after")
    def _has_file(self) -> Self:
        trained = self.provider is Provider.RULES and self.model == TRAINED_GRADER
        if trained != (self.file is not None):
            raise ValueError(
                f"{TRAINED_GRADER} needs a file, which `demur rbr train-grader` writes"
                if trained
                else f"file is for the rules model {TRAINED_GRADER}"
            )
        return self

    @model_validator(mode="after")
    def _has_batches(self) -> Self:
        if self.mode is Mode.BATCH and (self.provider not in _HAVE_BATCHES or self.via is not None):
            place = f"provider {self.provider}" + (f" via {self.via}" if self.via else "")
            raise ValueError(f"mode: batch is for provider {' and '.join(_HAVE_BATCHES)}, not {place}: use mode: live")
        return self

    @model_validator(mode="after")
    def _fits_platform(self) -> Self:
        if self.api_key_env and self.api_key_block:
            raise ValueError("api_key_env and api_key_block both name a key: keep one")
        if self.via is None:
            if self.region or self.project:
                raise ValueError("region and project are for models asked via bedrock or vertex")
            return self
        if self.provider is not Provider.ANTHROPIC:
            raise ValueError(f"via {self.via} is for provider anthropic; others have theirs in litellm's model names")
        if self.region is None:
            raise ValueError(f"via {self.via} needs a region, such as region: us-east-1 (vertex also: global)")
        if (self.via is Via.VERTEX) != (self.project is not None):
            raise ValueError("project is needed via vertex, and for nothing else: the id of the Google Cloud project")
        return self

    def serves(self, role: str) -> bool:
        """Return whether this model can be asked in a role (generator, verifier, ...): rules know one role each."""
        return self.provider is not Provider.RULES or self.model.startswith(f"{_PART_OF_ROLE.get(role, role)}/")

    @property
    def factors(self) -> dict[str, float | str]:
        """The tags that models are compared by, those that are given."""
        given = ((name, self.tags.get(name)) for name in FACTORS)
        return {name: value for name, value in given if isinstance(value, (str, int, float))}

    @property
    def key_variable(self) -> str | None:
        """The environment variable that must hold the key, None where no key is needed or a block holds it.

        Servers of one's own (base_url) and other platforms (via) need a key only where one is named.
        """
        if self.api_key_env or self.base_url or self.via or self.api_key_block:
            return self.api_key_env
        return KEY_VARIABLES.get(self.provider)

    @property
    def key_source(self) -> str | None:
        """Under what name the key is handed in: the environment variable, or the Prefect block with `block:` before."""
        return f"{BLOCK_PREFIX}{self.api_key_block}" if self.api_key_block else self.key_variable

    @property
    def fingerprint(self) -> str:
        """Hash of what decides this model's answers; of a rules model its code does too."""
        decisive: list[object] = [self.provider, self.model, self.parameters, self.structured_output]
        if self.provider is Provider.RULES:
            decisive.append(rules_version())
        if self.via is not None:
            decisive.append(self.via)
        if self.file is not None:
            decisive.append(_checksum(self.file))
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]


def _checksum(path: Path) -> str:
    """Hash of a model's file: what it holds decides, not where it stands."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as exc:
        raise ProgramError(
            f"{path}: cannot be read ({exc.strerror}). Train a grader: demur rbr train-grader GOLD --out {path}"
        ) from exc

"""A model spec: which model answers, with what parameters, prices and limits."""

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, field_validator, model_validator

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

RULES_MODELS: Final[dict[str, tuple[str, ...]]] = {
    "recipes": ("terse", "elaborate"),
    "verifier": ("rederive", "wording", "strict"),
    "respondent": ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter"),
    "judge": ("patterns",),
    "writer": ("phrases",),
    "grader": ("patterns",),
}
"""The embedded models, `<part>/<which rules>`; here, so that a configuration is checked without loading them."""

_PART_OF_ROLE: Final = {"generator": "recipes", "screener": "respondent"}
_HAVE_BATCHES: Final = (Provider.OPENAI, Provider.ANTHROPIC)
_TOKEN_LIMITS: Final = {
    Provider.OPENAI: ("max_tokens", "max_completion_tokens"),
    Provider.ANTHROPIC: ("max_tokens",),
    Provider.LITELLM: ("max_tokens", "max_completion_tokens"),
}
_LANE_SENDS: Final = frozenset(
    {
        *("model", "messages", "system", "stream", "stream_options", "n", "response_format"),
        *("api_key", "api_base", "base_url", "headers", "extra_headers", "extra_body", "default_headers"),
        *("timeout", "num_retries", "max_retries"),
    }
)
"""What a lane sends itself, or what would carry a key into files that are kept."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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

    They hold for all that one process asks a model. Rounds that run at the same time in several processes each have
    their own: give each its part.
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
    batch_wait_seconds: float = Field(
        default=93_600, gt=0, description="longest wait for a batch; then the stage stops, and the next run waits on"
    )


class ModelSpec(_Strict):
    """One named model of a round.

    `parameters` are sent as they stand (temperature, top_p, max_tokens, seed, reasoning effort, ...) and decide
    results, as do provider and model; everything else may change without anything being asked again.
    """

    name: ModelName
    provider: Provider
    model: str = Field(min_length=1)
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    base_url: str | None = None
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    structured_output: bool = True
    prices: Prices | None = None
    limits: Limits = Limits()
    mode: Mode = Mode.LIVE
    tags: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("parameters")
    @classmethod
    def _not_the_lanes(cls, parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
        taken = sorted(_LANE_SENDS & parameters.keys())
        if taken:
            raise ValueError(
                f"{', '.join(taken)} cannot be given here: the lane sets it. Keys come from the environment "
                "(api_key_env), addresses from base_url, time limits and retries from limits; every other field of a "
                "request stands here by its own name"
            )
        for name in ("max_tokens", "max_completion_tokens"):
            value = parameters.get(name, 1)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} {value!r} must be a whole number of at least 1")
        return parameters

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, base_url: str | None) -> str | None:
        if base_url is not None:
            parts = urlsplit(base_url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError(f"'{base_url}' is no address: write it as http://host:port/path or https://...")
            if parts.username or parts.password or parts.query:
                raise ValueError("an address holds no user, password or query: keys come from the environment")
        return base_url

    @model_validator(mode="after")
    def _fits_provider(self) -> Self:
        if self.provider is Provider.RULES:
            if self.base_url or self.api_key_env or self.prices or self.parameters:
                raise ValueError(
                    "a rules model takes no base_url, api_key_env, prices or parameters: nothing leaves the machine"
                )
            known = [f"{part}/{which}" for part, rules in RULES_MODELS.items() for which in rules]
            if self.model not in known:
                raise ValueError(f"model '{self.model}' is not one of the rules models {', '.join(known)}")
        elif not any(name in self.parameters for name in _TOKEN_LIMITS[self.provider]):
            raise ValueError("parameters.max_tokens is missing: it decides results and bounds the cost of a call")
        return self

    @model_validator(mode="after")
    def _has_batches(self) -> Self:
        if self.mode is Mode.BATCH and self.provider not in _HAVE_BATCHES:
            raise ValueError(
                f"mode: batch is for provider {' and '.join(_HAVE_BATCHES)}, not {self.provider}: use mode: live"
            )
        return self

    def serves(self, role: str) -> bool:
        """Return whether this model can be asked in a role (generator, verifier, ...): rules know one role each."""
        return self.provider is not Provider.RULES or self.model.startswith(f"{_PART_OF_ROLE.get(role, role)}/")

    @property
    def key_variable(self) -> str | None:
        """The environment variable that must hold the key, None where no key is needed.

        Servers of one's own (base_url) need a key only where `api_key_env` names one.
        """
        if self.api_key_env or self.base_url:
            return self.api_key_env
        return KEY_VARIABLES.get(self.provider)

    @property
    def fingerprint(self) -> str:
        """Hash of what decides this model's answers."""
        decisive = [self.provider, self.model, self.parameters, self.structured_output]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

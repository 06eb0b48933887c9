"""A model spec: which model answers, with what parameters, prices and limits."""

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Provider(StrEnum):
    """The lanes."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    LITELLM = "litellm"
    RULES = "rules"


KEY_VARIABLES = {Provider.OPENAI: "OPENAI_API_KEY", Provider.ANTHROPIC: "ANTHROPIC_API_KEY"}


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(_Strict):
    """US dollars per million tokens; what is not given is taken from litellm's bundled table."""

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)
    cached_usd_per_million: float | None = Field(default=None, ge=0)


class Limits(_Strict):
    """How hard a model may be asked; none of it changes what it answers."""

    concurrency: int = Field(default=16, ge=1, le=1024)
    timeout_seconds: float = Field(default=120, gt=0)
    retries: int = Field(default=5, ge=0, le=20)
    retry_seconds: float = Field(default=300, ge=0, description="longest time spent on retries of one request")


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
    tags: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_provider(self) -> Self:
        if self.provider is Provider.RULES:
            if self.base_url or self.api_key_env or self.prices:
                raise ValueError("a rules model takes no base_url, api_key_env or prices: nothing leaves the machine")
        elif "max_tokens" not in self.parameters and "max_completion_tokens" not in self.parameters:
            raise ValueError("parameters.max_tokens is missing: it decides results and bounds the cost of a call")
        return self

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

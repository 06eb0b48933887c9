"""What a model's tokens cost: the spec's own prices, else litellm's bundled table."""

from functools import cache
from typing import Any

from programs.lanes.litellm import import_litellm
from programs.lanes.spec import ModelSpec, Prices, Provider

_FREE = Prices(input_usd_per_million=0, output_usd_per_million=0)


def prices_of(spec: ModelSpec) -> Prices | None:
    """Return a model's prices, None where nobody knows them; rules are free."""
    if spec.provider is Provider.RULES:
        return _FREE
    return spec.prices or _listed(spec.provider, spec.model)


@cache
def _listed(provider: Provider, model: str) -> Prices | None:
    table: dict[str, dict[str, Any]] = import_litellm().model_cost
    entry = table.get(model) or table.get(f"{provider}/{model}")
    if not entry or "input_cost_per_token" not in entry:
        return None
    cached = entry.get("cache_read_input_token_cost")
    return Prices(
        input_usd_per_million=entry["input_cost_per_token"] * 1e6,
        output_usd_per_million=entry.get("output_cost_per_token", 0) * 1e6,
        cached_usd_per_million=None if cached is None else cached * 1e6,
    )

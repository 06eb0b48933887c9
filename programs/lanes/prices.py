"""What a model's tokens cost: the spec's own prices, else those that litellm ships."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from programs.errors import ProgramError
from programs.journal import Reply
from programs.lanes.spec import ModelSpec, Prices, Provider

_FREE: Final = Prices(input_usd_per_million=0, output_usd_per_million=0)
_TABLE: Final = "model_prices_and_context_window_backup.json"


def prices_of(spec: ModelSpec) -> Prices | None:
    """Return a model's prices, None where nobody knows them; rules are free.

    A server of one's own (base_url) has the prices that its spec gives, not those of a provider's namesake.
    """
    if spec.provider is Provider.RULES:
        return _FREE
    if spec.prices is not None or spec.base_url is not None:
        return spec.prices
    return _listed(spec.provider, spec.model)


def cost_usd(prices: Prices | None, reply: Reply) -> float | None:
    """Return what a reply cost in US dollars, None where prices or token counts are unknown.

    Input tokens that a provider wrote to its cache are counted at the price of input.
    """
    if prices is _FREE:
        return 0.0
    if prices is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    cached = min(reply.cached_tokens or 0, reply.input_tokens)
    cached_price = prices.cached_usd_per_million
    if cached_price is None:
        cached_price = prices.input_usd_per_million
    dollars = (
        (reply.input_tokens - cached) * prices.input_usd_per_million
        + cached * cached_price
        + reply.output_tokens * prices.output_usd_per_million
    )
    return dollars / 1e6


@cache
def _listed(provider: Provider, model: str) -> Prices | None:
    table = _table()
    entry = table.get(model) or table.get(f"{provider}/{model}")
    if not entry or "input_cost_per_token" not in entry:
        return None
    cached = entry.get("cache_read_input_token_cost")
    return Prices(
        input_usd_per_million=entry["input_cost_per_token"] * 1e6,
        output_usd_per_million=entry.get("output_cost_per_token", 0) * 1e6,
        cached_usd_per_million=None if cached is None else cached * 1e6,
    )


@cache
def _table() -> dict[str, dict[str, Any]]:
    """Return the price table in litellm's package, without importing it: that takes seconds, this 50 ms."""
    package = find_spec("litellm")
    [folder, *_] = (package.submodule_search_locations if package else None) or [""]
    try:
        table: dict[str, dict[str, Any]] = json.loads((Path(folder) / _TABLE).read_bytes())
    except (OSError, ValueError) as exc:
        raise ProgramError(f"litellm's price table cannot be read: {exc}. Give prices in the model's spec") from exc
    return table

"""Prices of a model's tokens, from the model's spec or from litellm's table."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from demur.lanes.registry import PLATFORMS
from demur.lanes.spec import ModelSpec, Prices
from demur.programs.call_scope import Reply
from demur.programs.errors import ProgramError

FREE: Final = Prices(input_usd_per_million=0, output_usd_per_million=0)
BATCH_SHARE: Final = 0.5
"""The price of a batch request as a share of a live request's price, at both providers with batches."""
_TABLE: Final = "model_prices_and_context_window_backup.json"
_LISTED: Final = {
    "input_usd_per_million": "input_cost_per_token",
    "output_usd_per_million": "output_cost_per_token",
    "cached_usd_per_million": "cache_read_input_token_cost",
    "cache_write_usd_per_million": "cache_creation_input_token_cost",
}


def prices_of(spec: ModelSpec, *, batch: bool = False) -> Prices | None:
    """Return a model's prices; None if unknown. Rules, recordings and systems are free.

    If the spec has a `base_url`, only the prices in the spec apply: a provider's model with the same name may cost
    something else. If `batch` is true, return the prices of batch requests: the batch prices in the table, or half of
    the usual prices.
    """
    lane = spec.lane
    if lane.free:
        return FREE
    if spec.prices is None and spec.base_url is None:
        return _listed(_names(spec), batch)
    given = spec.prices
    if given is not None and given.cache_write_usd_per_million is None and lane.cache_write_share is not None:
        dearer = given.input_usd_per_million * lane.cache_write_share
        given = given.model_copy(update={"cache_write_usd_per_million": dearer})
    return _halved(given) if batch and given is not None else given


def cost_usd(prices: Prices | None, reply: Reply) -> float | None:
    """Return the cost of a reply in US dollars; None if prices or token counts are unknown."""
    if prices is FREE:
        return 0.0
    if prices is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    written = min(reply.cache_write_tokens or 0, reply.input_tokens)
    cached = min(reply.cached_tokens or 0, reply.input_tokens - written)
    price = prices.input_usd_per_million
    cached_price = prices.cached_usd_per_million
    write_price = prices.cache_write_usd_per_million
    dollars = (
        (reply.input_tokens - cached - written) * price
        + cached * (price if cached_price is None else cached_price)
        + written * (price if write_price is None else write_price)
        + reply.output_tokens * prices.output_usd_per_million
    )
    return dollars / 1e6


def _halved(prices: Prices) -> Prices:
    given = prices.model_dump(exclude_none=True)
    return Prices(**{name: price * BATCH_SHARE for name, price in given.items()})


def _names(spec: ModelSpec) -> tuple[str, ...]:
    templates = spec.lane.price_names if spec.via is None else PLATFORMS[spec.via].price_names
    return tuple(name.format(model=spec.model, provider=spec.provider, region=spec.region) for name in templates)


@cache
def _listed(names: tuple[str, ...], batch: bool) -> Prices | None:
    table = _table()
    entry = next((table[name] for name in names if table.get(name)), None)
    if not entry or "input_cost_per_token" not in entry:
        return None
    found: dict[str, float] = {"output_usd_per_million": 0.0}
    for name, listed in _LISTED.items():
        price = entry.get(listed)
        if price is not None and batch:
            price = entry.get(f"{listed}_batches", price * BATCH_SHARE)
        if price is not None:
            found[name] = price * 1e6
    return Prices(**found)


@cache
def _table() -> dict[str, dict[str, Any]]:
    """Return litellm's price table. Reading the file takes 50 ms, while an import of litellm takes seconds."""
    package = find_spec("litellm")
    [folder, *_] = (package.submodule_search_locations if package else None) or [""]
    try:
        table: dict[str, dict[str, Any]] = json.loads((Path(folder) / _TABLE).read_bytes())
    except (OSError, ValueError) as exc:
        raise ProgramError(f"litellm's price table cannot be read: {exc}. Give prices in the model's spec") from exc
    return table

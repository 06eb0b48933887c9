"""The models of a stage, with an estimate of their requests and the cap, before the first paid request."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.engine.reply_key import ReplyKey
from demur.engine.units import UnitWork
from demur.lanes.factory import open_models
from demur.lanes.spec import ModelSpec
from demur.programs.model import Model
from demur.programs.prompt_sizes import TypicalPrompts


@dataclass(frozen=True, slots=True)
class ModelLoad:
    """One model in one role of a stage: units that it works on, typical prompts, and requests per unit."""

    role: str
    spec: ModelSpec
    units: float
    prompts: TypicalPrompts
    calls_per_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class YieldRates:
    """Shares that go on from stage to stage, 1 where they are unknown.

    `solved` is the share of base instances that pass the screen, `candidates` that of a generator's perturbations
    that go to the verifiers, `accepted` that of these that all verifiers accept. `repaired` is the share of a
    generator's perturbations that go back to it, `repaired_at_most` where nothing is known. `asked` is how many
    accepted questions a passage gives (None: unknown, as many passages are asked as may be), `mended` the share of
    passages whose questions go back to the asker, `doubted` that of proofs that a judge decides.
    """

    solved: float = 1.0
    candidates: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    repaired: Mapping[str, float] = field(default_factory=dict)
    repaired_at_most: float = 1.0
    asked: float | None = None
    mended: float = 1.0
    doubted: float = 1.0


Models: TypeAlias = Callable[[RoundContext], tuple[str, ...]]
"""Names of the models that a stage asks in a round."""

Loads: TypeAlias = Callable[[RoundContext, YieldRates], Iterator[ModelLoad]]
"""Yields what each model takes in a round; who is asked, and in which order, does not depend on the rates."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The paid models of a stage, the estimated number of requests, and the key of their replies."""

    models: Models
    loads: Loads
    reply_key: ReplyKey


@dataclass(frozen=True, slots=True)
class WithModels:
    """Opens the models of one role; `work` returns the function that does a unit, for a round and its opened models."""

    role: str
    models: Models
    work: Callable[[RoundContext, Mapping[str, Model]], UnitWork]

    @asynccontextmanager
    async def __call__(self, context: RoundContext) -> AsyncIterator[UnitWork]:
        """Yield the function that does one unit."""
        specs = context.specs(self.models(context))
        async with open_models(specs, self.role, keys_of(specs)) as models:
            yield self.work(context, models)


def loads_of(
    context: RoundContext, role: str, models: Sequence[str], units: float, prompts: TypicalPrompts
) -> Iterator[ModelLoad]:
    """Yield the load of models that all do as much in one role."""
    for spec in context.specs(tuple(models)):
        yield ModelLoad(role, spec, units, prompts)

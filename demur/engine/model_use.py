"""The models of a stage: their roles, how they are opened, and their expected loads for estimates."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.engine.reply_key import ReplyKey
from demur.engine.units import UnitWork
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.programs.prompt_sizes import TypicalPrompts


@dataclass(frozen=True, slots=True)
class ModelLoad:
    """The expected load of one model in one role of a stage.

    Attributes:
        role: The role.
        spec: The model.
        units: The number of units.
        prompts: Typical prompts of a unit.
        calls_per_unit: The number of requests per unit.
    """

    role: str
    spec: ModelSpec
    units: float
    prompts: TypicalPrompts
    calls_per_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class YieldRates:
    """Shares of units that go on to later stages; 1 if unknown.

    Attributes:
        solved: Share of base instances that pass the screen.
        candidates: By generator, the share of perturbations that go to the verifiers.
        accepted: By generator, the share of candidates that the verifiers accept.
        repaired: By generator, the share of perturbations that go back to the generator.
        repaired_at_most: The assumed share for generators that `repaired` does not list.
        asked: Accepted questions per passage; None if unknown. Estimates then assume that the asker gets as many
            passages as the configuration allows.
        mended: Share of passages whose questions go back to the asker.
        doubted: Share of proofs that a judge decides.
        codes: Share of responses that are exactly one refusal code.
    """

    solved: float = 1.0
    candidates: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    repaired: Mapping[str, float] = field(default_factory=dict)
    repaired_at_most: float = 1.0
    asked: float | None = None
    mended: float = 1.0
    doubted: float = 1.0
    codes: float = 0.0


Models: TypeAlias = Callable[[RoundContext], tuple[str, ...]]
"""Returns the names of the models that a stage asks in a round."""

Loads: TypeAlias = Callable[[RoundContext, YieldRates], Iterator[ModelLoad]]
"""Yields the load of each model in a round. Models and their order do not depend on the yield rates."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The models that a stage asks, their expected loads, and the key of their replies."""

    models: Models
    loads: Loads
    reply_key: ReplyKey


@dataclass(frozen=True, slots=True)
class InRole:
    """The models of one role in a stage, as the configuration names them.

    Attributes:
        role: The role.
        most: How many models are used, counted from the first; None means all models of the role.
    """

    role: str
    most: int | None = None

    def names(self, context: RoundContext) -> tuple[str, ...]:
        """Return the names of the models."""
        named = context.config.named()
        return (named.get(self.role) or named.get(f"{self.role}s", ()))[: self.most]

    def specs(self, context: RoundContext) -> tuple[ModelSpec, ...]:
        """Return the specs of the models."""
        return context.specs(self.names(context))

    def loads(self, context: RoundContext, units: float, prompts: TypicalPrompts) -> Iterator[ModelLoad]:
        """Yield a load of `units` for every model."""
        for spec in self.specs(context):
            yield ModelLoad(self.role, spec, units, prompts)


FIRST_JUDGE: Final = InRole("judge", 1)


@dataclass(frozen=True, slots=True)
class WithModels:
    """Opens the models of the roles in `roles`, for the work on units.

    Attributes:
        work: Takes the round and, for each role, the opened models by name. Returns the function that works on a unit.
        roles: The roles.
    """

    work: Callable[..., UnitWork]
    roles: tuple[InRole, ...]

    @asynccontextmanager
    async def __call__(self, context: RoundContext) -> AsyncIterator[UnitWork]:
        """Yield the function that works on a unit."""
        async with AsyncExitStack() as stack:
            opened = []
            for role in self.roles:
                specs = role.specs(context)
                opened.append(await stack.enter_async_context(open_models(specs, role.role, keys_of(specs))))
            yield self.work(context, *opened)

    def models(self, context: RoundContext) -> tuple[str, ...]:
        """Return the names of the models of all roles."""
        return tuple(name for role in self.roles for name in role.names(context))

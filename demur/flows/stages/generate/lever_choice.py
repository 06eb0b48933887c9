"""The levers offered to a generator: some that fit a base instance, or the one assigned by the round.

Levers go round: every generator has its own seeded order of a stratum's levers, and advances in it with every base
instance of the draw and every replicate. So all levers come up about as often as they fit, and a new generator changes
nothing for the others. A base instance that leaves or joins the round changes little: only later slots whose own turn
is an unfit lever.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.instances import passage_records
from demur.engine.recordings import recorded_draws
from demur.engine.reply_key import BASE, STRATUM, ReplyKey
from demur.lanes.spec import ModelSpec
from demur.levers.instances import BaseInstance
from demur.levers.models import Lever
from demur.levers.vocabulary import ENGLISH, Intensity, LeverClass
from demur.programs.lever_needs import fitting

NAME: Final = "generate"
KEY: Final = ReplyKey(NAME, (*BASE, *STRATUM, "replicate", "repair", "repaired"), "generator", ("levers",))
MOST_OFFERED: Final = 4
"""Levers that a generator may choose among: so many that one will do, so few that prompts stay short."""

Slot = tuple[str, int]
"""A base instance, by id, and a replicate."""
Fitting = Mapping[str, Sequence[str]]
"""By base instance, the ids of the levers of one stratum that fit it; never none."""


def levers_by_generator(
    context: RoundContext,
    draws: Mapping[str, int],
    instances: Mapping[str, BaseInstance],
    stratum: tuple[LeverClass, Intensity],
) -> dict[str, dict[Slot, tuple[Lever, ...]]]:
    """Return the levers offered to each generator in one stratum for a base instance and a replicate.

    A rules generator is offered only levers with a recipe: all of them, and tries each, unless levers are assigned. A
    recorded generator gets its recorded offer if the round is so configured, else the assigned one.
    """
    generation = context.config.generation
    levers = context.catalogue.stratum(*stratum)
    with_recipe = [lever for lever in levers if lever.recipe] or levers

    @cache
    def fits(by_rule: bool) -> Fitting:
        on_offer = with_recipe if by_rule else levers
        return {base_id: [lever.id for lever in fitting(base, on_offer)] for base_id, base in instances.items()}

    offers: dict[str, dict[Slot, tuple[Lever, ...]]] = {}
    tries = generation.tries(len(context.config.roles.generators))
    for spec in context.specs(context.config.roles.generators):
        by_rule = spec.lane.by_rule
        on_offer = with_recipe if by_rule else levers
        recorded = spec.recording is not None and generation.lever_choice == "recorded"
        if recorded or generation.lever_choice == "assigned":
            assigned = assigned_levers(context, draws, on_offer, fits(by_rule), spec.name)
            offers[spec.name] = {slot: (lever,) for slot, lever in assigned.items()}
            if recorded:
                offers[spec.name] |= recorded_levers(spec, instances, levers, assigned)
        elif by_rule:
            offers[spec.name] = {slot: tuple(on_offer) for slot in product(instances, range(tries))}
        else:
            offers[spec.name] = offered_levers(context, draws, on_offer, fits(by_rule), spec.name)
    return offers


def offered_levers(
    context: RoundContext, draws: Mapping[str, int], levers: Sequence[Lever], fitting: Fitting, generator: str
) -> dict[Slot, tuple[Lever, ...]]:
    """Return the levers that a generator is offered for every slot of one stratum, at most `MOST_OFFERED`.

    Args:
        context: of the round.
        draws: place in the round's draw by base instance, of those that passed the screen.
        levers: all levers of the stratum.
        fitting: those that fit, by base instance.
        generator: name of the generator.
    """
    order = _order(context, levers, generator)
    offered = {}
    for slot, place in _places(context, draws).items():
        start = place * MOST_OFFERED + place * MOST_OFFERED // len(order)  # every lap begins one further on
        turned = (order[(start + step) % len(order)] for step in range(len(order)))
        offered[slot] = tuple(lever for lever in turned if lever.id in fitting[slot[0]])[:MOST_OFFERED]
    return offered


def assigned_levers(
    context: RoundContext, draws: Mapping[str, int], levers: Sequence[Lever], fitting: Fitting, generator: str
) -> dict[Slot, Lever]:
    """Return the lever assigned to a generator for every slot of one stratum.

    A slot whose turn is an unfit lever takes the least used one so far. No lever is left out if another with two slots
    can give it one: slots are changed from the last, from the lever with most slots.

    Args: as `offered_levers`.
    """
    order = [lever.id for lever in _order(context, levers, generator)]
    taken: dict[Slot, str] = {}
    uses: Counter[str] = Counter()
    for slot, place in _places(context, draws).items():
        start = place % len(order)
        turned = [lever for lever in (*order[start:], *order[:start]) if lever in fitting[slot[0]]]
        taken[slot] = turned[0] if order[start] == turned[0] else min(turned, key=lambda lever: uses[lever])
        uses.update([taken[slot]])
    for missing in (lever for lever in order if not uses[lever]):
        spare = [slot for slot, lever in taken.items() if uses[lever] > 1 and missing in fitting[slot[0]]]
        if spare:
            most = max(uses[taken[slot]] for slot in spare)
            last = next(slot for slot in reversed(spare) if uses[taken[slot]] == most)
            uses.subtract([taken[last]])
            uses[missing] = 1
            taken[last] = missing
    by_id = {lever.id: lever for lever in levers}
    return {slot: by_id[lever] for slot, lever in taken.items()}


def recorded_levers(
    spec: ModelSpec, instances: Mapping[str, BaseInstance], levers: Sequence[Lever], slots: Iterable[Slot]
) -> dict[Slot, tuple[Lever, ...]]:
    """Return a recorded generator's offers for the slots of one stratum, without levers missing in the catalogue."""
    by_id = {lever.id: lever for lever in levers}
    offered = {}
    for base_id, replicate in slots:
        base = instances[base_id]
        inputs = {
            "question": base.question,
            "answers": base.answers,
            "passages": passage_records(base.passages),
            "class": levers[0].lever_class,
            "intensity": levers[0].intensity,
            "generator": spec.name,
            "replicate": replicate,
            "language": None if base.language == ENGLISH else base.language,
        }
        known = [drawn for drawn in recorded_draws(spec, KEY, inputs) if set(drawn) <= by_id.keys()]
        if known:
            offered[base_id, replicate] = tuple(by_id[lever] for lever in known[0])
    return offered


def _order(context: RoundContext, levers: Sequence[Lever], generator: str) -> list[Lever]:
    order = list(levers)
    if order:
        context.rng("lever", f"{order[0].lever_class}|{order[0].intensity}", generator).shuffle(order)
    return order


def _places(context: RoundContext, draws: Mapping[str, int]) -> dict[Slot, int]:
    """Return every slot of a round with its place in the order of draws and replicates."""
    replicates = context.config.generation.tries(len(context.config.roles.generators))
    return {
        (base_id, replicate): draw * replicates + replicate
        for base_id, draw in sorted(draws.items(), key=lambda drawn: drawn[1])
        for replicate in range(replicates)
    }

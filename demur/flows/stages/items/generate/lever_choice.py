"""The choice of the levers that a generator gets for a base instance, and withheld passages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.recordings import BASE, STRATUM, ReplyKey, recorded_draws
from demur.flows.stages.questions.prove import PROVER
from demur.flows.stages.questions.sources import round_passages
from demur.lanes.spec import ModelSpec
from demur.levers.instances import BaseInstance, passage_records, perturbation_of
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import ENGLISH, Intensity, Layout, LeverClass
from demur.programs.checks.questions import gives_answer
from demur.programs.document_questions import Prover, prove
from demur.programs.lever_needs import fitting
from demur.programs.model import Model
from demur.programs.perturbation import Generated
from demur.text.language_detection import says_yes_or_no
from demur.warehouse.transactions import Connection

# Withheld passages: the passages that answer are not there, and the nearest other passages are. Nothing is edited.
#
# Code makes these perturbations in the place of a generator. The round's prover tests each of them: it must find no
# answer in what is left, neither an accepted answer nor another one.


def can_withhold(context: RoundContext, instances: Mapping[str, BaseInstance]) -> bool:
    """Return whether passages can be withheld: the round has a prover, and base instances of several passages."""
    several = any(base.layout is Layout.MULTI for base in instances.values())
    return several and context.config.roles.prover is not None


class OtherPassages:
    """Finds passages that can stand in the place of those that answer, among texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        from demur.corpora.documents.passages import NearestPassages

        self._index = NearestPassages((text, text) for text in dict.fromkeys(texts))

    @classmethod
    def of(cls, context: RoundContext, con: Connection, instances: Mapping[str, BaseInstance]) -> "OtherPassages":
        """Return the passages of the round's documents or, without documents, of its base instances."""
        if context.config.documents is not None:
            return cls(one.shown for one in round_passages(context, con).values())
        return cls(passage.text for base in instances.values() for passage in base.passages)

    def instead(self, base: BaseInstance) -> list[dict[str, Any]]:
        """Return a text for each signal passage, as (index, text): the nearest to the question, without an answer.

        The list is empty if there are too few other passages.
        """
        own = {passage.text for passage in base.passages}
        answers = tuple(answer for answer in base.answers if not says_yes_or_no(answer))
        signal = [passage.index for passage in base.passages if passage.relevant]
        found = self._index.nearest(
            base.question,
            len(signal),
            lambda text: text not in own and not gives_answer(text, answers, base.language),
        )
        if len(found) < len(signal):
            return []
        return [{"index": index, "text": text} for index, text in zip(signal, found, strict=True)]


async def withhold(prover: Model, base: BaseInstance, lever: Lever, changed: Sequence[Mapping[str, Any]]) -> Generated:
    """Return the perturbation with the changed passages, or a decline if the prover finds an answer.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    if not changed:
        return Generated(None, f"{lever.name}: no_suitable_span (no other passages are left)", "", "")
    made = perturbation_of(base.question, changed, lever.name)
    proof = await prove(Prover(), prover, base.question, [passage.text for passage in made.passages(base)])
    if found := "; ".join(answer for answer in (proof.answer, *proof.other_answers) if answer):
        return Generated(None, f"{lever.name}: answer_would_remain (the prover answers)", f"The prover: {found}", "")
    return Generated(made, None, proof.reading, "The prover finds no answer in what is left.")


# The choice of the levers that a generator gets for a base instance.
#
# With `generation.lever_choice: generator`, a generator chooses among a few levers that fit the base instance. With
# `assigned`, the round gives it one lever. With `recorded`, a recorded generator gets the levers of its recording.
#
# A slot is one of the perturbations that a generator makes of a base instance in a stratum. Every generator has its
# own seeded order of the stratum's levers, so another generator changes nothing for it. The first slot gets the first
# lever of this order, the second slot the second lever, and so on. If a lever does not fit the base instance, the
# slot gets a lever that fits. A slot's number depends only on the draw, not on the other base instances of the round.
# If a base instance is added to the round or left out, the other slots therefore keep their numbers.


NAME: Final = "generate"
KEY: Final = ReplyKey(NAME, (*BASE, *STRATUM, "replicate", "repair", "repaired"), "generator", ("levers",))
MOST_OFFERED: Final = 4
"""The largest number of levers that a generator may choose among. More levers would make prompts longer."""

Slot = tuple[str, int]
"""The id of a base instance, and the number of the perturbation that a generator makes of it in a stratum, from 0."""
Fitting = Mapping[str, Sequence[str]]
"""By base id, the ids of the levers of one stratum that fit the base instance. No entry is empty."""


def levers_by_generator(
    context: RoundContext,
    draws: Mapping[str, int],
    instances: Mapping[str, BaseInstance],
    stratum: tuple[LeverClass, Intensity],
) -> dict[str, dict[Slot, tuple[Lever, ...]]]:
    """Return the levers of one stratum that each generator gets for each slot.

    If `lever_choice` is `assigned`, every generator gets the assigned lever. Otherwise a rules generator gets all
    levers with a recipe, and a language model gets those of `offered_levers`. If `lever_choice` is `recorded`, a
    recorded generator gets the levers of its recording, or the assigned lever where the recording has none.
    """
    generation = context.config.generation
    withholding = can_withhold(context, instances)
    levers = [lever for lever in context.catalogue.stratum(*stratum) if withholding or not lever.withholds]
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
                by_prover = (recorded_levers(one, instances, levers, assigned) for one in PROVER.specs(context))
                offers[spec.name] |= next(by_prover, {}) | recorded_levers(spec, instances, levers, assigned)
        elif by_rule:
            offers[spec.name] = {slot: tuple(on_offer) for slot in product(instances, range(tries))}
        else:
            offers[spec.name] = offered_levers(context, draws, on_offer, fits(by_rule), spec.name)
    return offers


def offered_levers(
    context: RoundContext, draws: Mapping[str, int], levers: Sequence[Lever], fitting: Fitting, generator: str
) -> dict[Slot, tuple[Lever, ...]]:
    """Return at most `MOST_OFFERED` levers of one stratum for every slot of a generator.

    A lever that withholds passages is alone in a slot that begins with it, since code pulls it, and in no other slot.

    Args:
        context: The round.
        draws: The place of each screened base instance in the round's draw, by base id.
        levers: All levers of the stratum.
        fitting: The ids of the levers that fit, by base id.
        generator: The name of the generator.
    """
    order = _order(context, levers, generator)
    offered = {}
    for slot, place in _places(context, draws).items():
        start = place * MOST_OFFERED + place * MOST_OFFERED // len(order)  # each turn through the order is one lever on
        turned = (order[(start + step) % len(order)] for step in range(len(order)))
        fit = [lever for lever in turned if lever.id in fitting[slot[0]]]
        by_model = [lever for lever in fit if not lever.withholds]
        offered[slot] = tuple(fit[:1] if fit[0].withholds else by_model[:MOST_OFFERED])
    return offered


def assigned_levers(
    context: RoundContext, draws: Mapping[str, int], levers: Sequence[Lever], fitting: Fitting, generator: str
) -> dict[Slot, Lever]:
    """Return the lever of one stratum that is assigned to each slot of a generator.

    Slots get the levers in the generator's order. If a lever does not fit the base instance of a slot, the slot gets
    the fitting lever that has the fewest slots so far. After that, some levers may have no slot. Such a lever gets a
    slot in which it fits from a lever with several slots: from the lever with the most slots, the last of its slots.
    The arguments are those of `offered_levers`.
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
    """Return the levers that a recorded generator got in its recording, by slot.

    A slot is left out if the recording has no levers for it, or levers that are not in `levers`.
    """
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
    order = [lever for lever in levers if not lever.withholds]
    if order:
        context.rng("lever", f"{order[0].lever_class}|{order[0].intensity}", generator).shuffle(order)
    return [*order, *(lever for lever in levers if lever.withholds)]  # behind the others, whose order stays


def _places(context: RoundContext, draws: Mapping[str, int]) -> dict[Slot, int]:
    """Return, for every slot, its number in the order of the draw. The slots of one base instance are neighbours."""
    replicates = context.config.generation.tries(len(context.config.roles.generators))
    return {
        (base_id, replicate): draw * replicates + replicate
        for base_id, draw in sorted(draws.items(), key=lambda drawn: drawn[1])
        for replicate in range(replicates)
    }

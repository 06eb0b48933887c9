"""Which levers a generator is offered: all of the stratum, or the one that the round assigns.

Assigned levers go round: every generator has its own seeded order of a stratum's levers and takes the next one with
every base instance of the draw and replicate. So all levers are used as often as any other, a generator that is added
changes nothing for those that are there, and neither does a base instance that leaves the round or joins it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from demur.flows.context import RoundContext
from demur.levers.models import Lever

Slot = tuple[str, int]
"""A base instance, by id, and a replicate."""


def assigned_levers(
    context: RoundContext, draws: Mapping[str, int], levers: Sequence[Lever], generator: str
) -> dict[Slot, Lever]:
    """Return the lever that the round assigns to a generator for every slot of one stratum.

    No lever of the stratum is left out while another has two slots: base instances that did not pass the screen leave
    gaps in the round, and what falls into them takes the last slot of the lever that has most.

    Args:
        context: of the round.
        draws: place in the round's draw by base instance, of those that passed the screen.
        levers: all levers of the stratum.
        generator: name of the generator.
    """
    replicates = context.config.generation.replicates
    order = list(levers)
    if not order:
        return {}
    context.rng("lever", f"{order[0].lever_class}|{order[0].intensity}", generator).shuffle(order)
    taken = {
        (base_id, replicate): (draw * replicates + replicate) % len(order)
        for base_id, draw in sorted(draws.items(), key=lambda drawn: drawn[1])
        for replicate in range(replicates)
    }
    uses = Counter(taken.values())
    for missing in (place for place in range(len(order)) if place not in uses):
        most = max(uses, key=lambda place: (uses[place], -place))
        if uses[most] < 2:
            break
        last = next(slot for slot in reversed(taken) if taken[slot] == most)
        taken[last] = missing
        uses[most] -= 1
        uses[missing] = 1
    return {slot: order[place] for slot, place in taken.items()}

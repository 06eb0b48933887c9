"""Who judges responses how often: every judging has a label of its own, by which scores are told apart."""

from demur.flows.round_config import RoundConfig


def judgings_of(config: RoundConfig) -> dict[str, str]:
    """Return the judge of each judging, by its label: the judge's name, from the second judging on with its number.

    A first judging is the same unit of work however many follow, so that more of them may be asked for later.
    """
    names = config.roles.judges
    return {name: name for name in names} | {
        f"{name}#{number}": name for number in range(2, config.judge_replicates + 1) for name in names
    }

"""Replies that cannot be read: when there are surely too many of them for a stage to go on buying."""

from collections.abc import Sequence
from typing import Final

DOUBT: Final = 1e-4
"""How probable so many unreadable replies may be with the share that is allowed: five of five where .15 are."""


def surely_beyond(unreadable: int, ended: int, share: float) -> bool:
    """Return whether more than a share of all units would be unreadable, as far as those that ended can tell.

    Units end in an order that says nothing of them, so that those that ended are a random part.
    """
    if unreadable <= share * ended:
        return False
    from scipy.special import betainc  # binomial tail

    return bool(betainc(unreadable, ended - unreadable + 1, share) < DOUBT)


def unreadable_message(problems: Sequence[str], ended: int, share: float) -> str | None:
    """Return what is said where replies of too many units cannot be read, None where there are not so many."""
    if not surely_beyond(len(problems), ended, share):
        return None
    return (
        f"replies to {len(problems)} of {ended} units could not be read, more than gates.unreadable {share:g} allows: "
        f"{problems[-1][:200].rstrip('.')}. Mend the model or what it is asked with (max_tokens, structured_output), "
        "or raise gates.unreadable; --again invalid asks for judgements that could not be read anew"
    )

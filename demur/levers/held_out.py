"""Levers excluded from training: about a quarter, the same in all rounds, releases and versions."""

import hashlib
from typing import Final

LEVER_SPLITS: Final = ("all", "train", "held_out")
"""Items of all levers, of levers for training, of held-out levers."""
_HELD_OUT_DIGITS: Final = "0123"
"""First digits of the MD5 digests of held-out levers' ids."""


def is_held_out(lever_id: str) -> bool:
    """Return whether a lever is excluded from training."""
    return hashlib.md5(lever_id.encode(), usedforsecurity=False).hexdigest()[0] in _HELD_OUT_DIGITS

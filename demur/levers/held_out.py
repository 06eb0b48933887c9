"""Levers excluded from training: about a quarter, the same ones in every round, release and version."""

import hashlib
from typing import Final

LEVER_SPLITS: Final = ("all", "train", "held_out")
"""Items of all levers, of those that may be trained on, of those that may not."""
_HELD_OUT_DIGITS: Final = "0123"
"""A lever is held out if the MD5 digest of its id begins with one of these."""


def is_held_out(lever_id: str) -> bool:
    """Return whether a lever is held out from training."""
    return hashlib.md5(lever_id.encode(), usedforsecurity=False).hexdigest()[0] in _HELD_OUT_DIGITS

"""Checks of the accepted answer in a perturbation: kept, removed or contradicted, doubted or derived."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from demur.levers.instances import UsedStatement
from demur.text.stated import find_verbatim

_NUMBER: Final = re.compile(r"\d+(?:[.,'’٫٬]\d+)*")


def rests_on(used: Sequence[UsedStatement], passages: Sequence[str]) -> bool:
    """Return whether a derivation quotes something, each quote stands in a passage, and its figures in the quote.

    Only spaces, case, and kinds of quotes and dashes may differ. Words beside the figures, such as the name of a
    column, are the reader's own.
    """
    return bool(used) and all(_stands(place, passages) for place in used)


def _stands(place: UsedStatement, passages: Sequence[str]) -> bool:
    taken, quoted = (_NUMBER.findall(unicodedata.normalize("NFKC", text)) for text in (place.taken, place.quote))
    return set(taken) <= set(quoted) and any(find_verbatim(place.quote, text) for text in passages)

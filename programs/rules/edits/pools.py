"""Invented names, places, organisations and figures, drawn deterministically from a seeded generator."""

import random
import re
from collections.abc import Sequence

from faker.providers.person.en_GB import Provider as _Person

from demur.programs.text.dates import find_dates, moved
from demur.programs.text.lexicon import word_list
from demur.programs.text.quantities import Number, NumberKind, written_like

_FIRST_NAMES: tuple[str, ...] = tuple(sorted(_Person.first_names))
_LAST_NAMES: tuple[str, ...] = tuple(sorted(n for n in _Person.last_names if n.isalpha()))
_PLACE_STEMS = word_list(
    "Alder Ash Bram Calder Dun Elm Fern Glen Hart Kel Lang Mere North Oak Pen Raven Sel Thorn Wex Wood"
)
_PLACE_ENDS = word_list("bridge bury by combe dale field ford ham haven ley mouth port shire stead ton ville worth")
_ORGANISATION_ENDS = ("Institute", "Association", "Foundation", "Society", "Council", "Group", "Partnership")
_TITLE_OPENERS = word_list("Silent Distant Broken Golden Hidden Paper Hollow Winter Crooked Second Quiet Last")
_TITLE_NOUNS = word_list("Harbour Lantern Meadow River Orchard Mirror Season Compass Garden Signal Horizon Letter")


def invented_person(rng: random.Random) -> str:
    """Return a made-up full name."""
    return f"{rng.choice(_FIRST_NAMES)} {rng.choice(_LAST_NAMES)}"


def invented_place(rng: random.Random) -> str:
    """Return a made-up town."""
    return rng.choice(_PLACE_STEMS) + rng.choice(_PLACE_ENDS)


def invented_organisation(rng: random.Random) -> str:
    """Return a made-up organisation."""
    return f"{rng.choice(_LAST_NAMES)} {rng.choice(_ORGANISATION_ENDS)}"


def invented_title(rng: random.Random) -> str:
    """Return a made-up title of a work."""
    return f"The {rng.choice(_TITLE_OPENERS)} {rng.choice(_TITLE_NOUNS)}"


def shift_date_text(text: str, rng: random.Random, years: Sequence[int] = (-4, -3, -2, 2, 3, 4)) -> str | None:
    """Return `text` with every date in it moved by the same number of years; None when it has no date."""
    dates = find_dates(text)
    if not dates:
        return None
    by = rng.choice(years)
    for mention in reversed(dates):
        text = text[: mention.span.start] + moved(mention, years=by) + text[mention.span.end :]
    return text


def shift_number(number: Number, rng: random.Random, *, near: bool = False) -> str:
    """Return another number written alike: within 2-5 % when `near`, else clearly different."""
    if number.value == round(number.value) and abs(number.value) < 20:
        step = 1 if near else rng.choice((2, 3, 4))
        return written_like(number.value + step, number)
    factor = rng.choice((1.02, 1.03, 1.05)) if near else rng.choice((0.6, 0.7, 1.4, 1.6))
    shifted = number.value * factor
    return written_like(round(shifted) if number.value == round(number.value) else shifted, number)


def change_magnitude(number: Number, factor: float = 1000.0) -> str:
    """Return the number times `factor`, written as the number is; an ordinal cannot be scaled and is moved by 100."""
    if number.kind is NumberKind.ORDINAL:
        return written_like(number.value + 100, number)
    return re.sub(r"(\d)\.0(?=\D|$)", r"\1", written_like(number.value * factor, number))

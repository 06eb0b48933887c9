"""Words that can stand for each other without changing what kind of thing is meant: winter, summer; left, right."""

from typing import Final

NATIONALITIES: Final = tuple(
    "american australian british canadian dutch english french german irish italian japanese spanish swedish".split()
)
_GROUPS: Final = (
    "winter summer spring autumn",
    "monday tuesday wednesday thursday friday saturday sunday",
    "left right",
    "red blue green yellow white black grey orange purple brown",
    "north south east west",
    "northern southern eastern western",
    "upper lower",
    "inner outer",
    "internal external",
    "proximal distal",
    "prenatal postnatal",
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "english french german spanish italian russian chinese japanese arabic latin greek portuguese dutch swedish polish "
    "turkish hindi gujarati bengali tamil telugu urdu korean hebrew",
    "british american canadian australian irish scottish belgian austrian norwegian danish finnish mexican brazilian "
    "argentine indian pakistani egyptian nigerian kenyan swiss hungarian czech",
    "board card dice",
    "magazine newspaper",
    "novelist playwright poet",
    "university museum library",
    "director actor producer screenwriter composer editor cinematographer",
    "singer drummer guitarist pianist violinist bassist",
    "football basketball baseball cricket rugby tennis hockey",
    "defender goalkeeper striker midfielder",
    "protestantism catholicism judaism islam buddhism hinduism",
    "anglican lutheran methodist baptist presbyterian",
    "hydrogen oxygen nitrogen helium argon",
    "gold silver copper iron tin zinc",
    "oak pine beech ash maple",
)
_TABLE: Final = {word: tuple(group.split()) for group in _GROUPS for word in group.split()}


def relatives(word: str) -> tuple[str, ...]:
    """Return the other words of the family of a lower-case word; empty where it belongs to none."""
    return tuple(other for other in _TABLE.get(word, ()) if other != word)

"""Words that can stand for each other without changing what kind of thing is meant: winter, summer; left, right."""

from demur.programs.text.lexicon import word_list

_GROUPS: tuple[str, ...] = (
    "winter summer spring autumn",
    "monday tuesday wednesday thursday friday saturday sunday",
    "left right",
    "red blue green yellow white black grey gray orange purple brown",
    "north south east west",
    "northern southern eastern western",
    "upper lower",
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "first-person third-person",
    "medieval modern ancient",
    "small large",
    "beneficial harmful",
    "global local regional",
    "general special",
    "inner outer",
    "internal external",
    "prenatal postnatal",
    "proximal distal",
    "homologous dissimilar",
    "skateboard snowboard bicycle motorcycle",
    "roof basement courtyard",
    "nucleus cytoplasm ribosome membrane",
    "cambium cortex epidermis",
    "pathology physiology histology pharmacology toxicology",
    "english french german spanish italian russian chinese japanese arabic latin greek portuguese dutch swedish polish "
    "turkish hindi gujarati bengali tamil malayalam urdu korean hebrew",
    "british american canadian australian irish scottish belgian austrian norwegian danish finnish mexican brazilian "
    "argentine indian pakistani egyptian nigerian kenyan swiss hungarian czech",
    "director actor producer screenwriter composer editor cinematographer",
    "singer drummer guitarist pianist violinist",
    "football basketball baseball cricket rugby tennis hockey",
    "defender goalkeeper striker midfielder",
    "president chancellor secretary treasurer chairman",
    "speaker clerk usher",
    "king queen duke prince",
    "governor mayor senator ambassador",
    "employer employee",
    "employers employees",
    "members visitors",
    "invoices receipts",
    "brother father cousin uncle nephew",
    "sister mother aunt niece",
    "catfish trout salmon",
    "protestantism catholicism judaism islam buddhism hinduism",
    "protestant catholic orthodox",
    "anglican lutheran methodist baptist presbyterian",
    "hydrogen oxygen nitrogen helium argon",
    "gold silver copper iron tin",
    "oak pine beech ash",
    "bronze marble granite",
    "electric gas steam diesel",
    "falls burns cuts",
    "tidal glacial",
    "air water",
    "warmth light",
    "apples pears plums",
    "dog cat horse",
    "spirit demon angel",
    "pacific atlantic indian arctic",
    "once twice",
    "conscription recruitment",
    "sovereignty neutrality",
    "drifting braking",
    "hotels museums hospitals",
    "museum theatre library school warehouse",
    "optical thermal",
    "smoke heat",
    "taxation donations",
    "urban rural",
    "landscapes portraits",
    "jazz folk blues rock",
    "novels poems plays",
    "elevator windmill",
    "rain sun wind",
    "pathogen insect",
    "morning evening",
    "roman egyptian persian",
)


_PROPER: tuple[str, ...] = (
    "Argentina Australia Austria Belgium Brazil Bulgaria Canada Chile China Denmark Egypt Finland France Germany "
    "Greece Hungary India Ireland Italy Japan Kenya Mexico Norway Peru Poland Portugal Romania Spain Sweden Turkey",
    "Alabama Arizona Arkansas California Colorado Florida Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine "
    "Michigan Minnesota Missouri Montana Nebraska Nevada Ohio Oklahoma Oregon Pennsylvania Tennessee Texas Utah "
    "Vermont Virginia Wisconsin",
    "Ontario Quebec Alberta Manitoba Saskatchewan",
)
CITIES = word_list(
    "Lisbon Helsinki Toronto Melbourne Chicago Boston Manchester Glasgow Vienna Prague Budapest Oslo Dublin "
    "Athens Seattle Denver Montreal Nairobi Lima Santiago Kyoto Munich Naples Valencia Rotterdam Krakow Bergen "
    "Geneva"
)


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for group in (*_GROUPS, *_PROPER):
        members = tuple(group.split())
        for word in members:
            table.setdefault(word.casefold(), members)
    return table


_TABLE = _table()
_MARKS = frozenset(
    {"british", "english", "north", "northern", "speaker", "president", "governor", "anglican", "pacific"}
)
_NAMED = frozenset(
    word
    for group in (*_PROPER, *_GROUPS)
    if group[0].isupper() or _MARKS.intersection(group.split())
    for word in group.casefold().split()
)


def relatives(word: str) -> tuple[str, ...]:
    """Return the other words of the family of a lower-case word; empty where it belongs to none."""
    return tuple(other for other in _TABLE.get(word, ()) if other.casefold() != word)


def is_named_family(word: str) -> bool:
    """Return whether the word's family is one of names and titles, whose words stand in capitals."""
    return word in _NAMED

"""Properties of single English words: parts of speech, function words, colours, names, unit words."""

import gzip
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import lru_cache
from io import BytesIO
from typing import Any

from demur.text.tokens import fold


def word_list(text: str) -> tuple[str, ...]:
    """Split a text into words at spaces."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """Split a text into words at spaces, and return the words as a set."""
    return frozenset(text.split())


DETERMINERS = word_set("a an the this that these those its his her their my your our some any each every no")
PREPOSITIONS = word_set(
    "about above across after against along amid among around as at before behind below beneath beside between beyond "
    "by despite down during except for from in inside into like near of off on onto out outside over past per since "
    "through throughout till to toward towards under underneath until up upon versus via with within without"
)
PRONOUNS = word_set("i me you he him she her it we us they them who whom this that these those one")
AUXILIARIES = word_set(
    "am is are was were be been being do does did have has had can could may might must shall should will would"
)
FUNCTION_WORDS = (
    DETERMINERS
    | PREPOSITIONS
    | PRONOUNS
    | AUXILIARIES
    | word_set(
        "and or but nor so yet if then than when where what which whose why how there here not also only just "
        "very too both either neither while because although though whether s t"
    )
)
COLOURS = word_set(
    "red orange yellow green blue purple violet pink brown black white grey gray golden silver crimson scarlet "
    "turquoise beige maroon indigo teal ivory amber lilac magenta olive tan bronze azure"
)
MONTHS = word_list("january february march april may june july august september october november december")
SEASONS = word_set("spring summer autumn fall winter")
UNIT_WORDS = word_set(
    "percent mm cm m km mi ft in inch inches foot feet yard yards mile miles metre metres meter meters kilometre "
    "kilometres kilometer kilometers centimetre centimetres centimeter centimeters millimetre millimetres millimeter "
    "millimeters acre acres hectare hectares kg g mg lb lbs oz gram grams kilogram kilograms tonne tonnes ton tons "
    "pound pounds ounce ounces stone litre litres liter liters gallon gallons pint pints ml second seconds minute "
    "minutes hour hours day days week weeks month months year years decade decades century centuries mph kph knots "
    "watt watts kilowatt kilowatts megawatt megawatts mw kw hz khz mhz ghz volt volts bit bits byte bytes kb mb gb tb "
    "degree degrees celsius fahrenheit kelvin dollars dollar euro euros yen rupee rupees cents pence sq km2 m2 ha"
)
SCALE_WORDS = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
CURRENCY_SIGNS = frozenset("$£€¥₹")

_MORE_COUNTRIES = frozenset({
    "united states", "us", "usa", "united kingdom", "uk", "england", "scotland", "wales", "great britain", "britain",
    "russia", "soviet union", "hong kong", "taiwan", "south korea", "north korea", "iran", "syria", "vietnam",
})  # fmt: skip
_MORE_CITIES = frozenset({
    "new york", "new york city", "los angeles", "chicago", "london", "toronto", "sydney", "mumbai", "shanghai",
    "san francisco", "boston", "philadelphia", "houston", "las vegas", "manchester", "liverpool", "glasgow", "munich",
})  # fmt: skip
_MORE_REGIONS = frozenset({
    "europe", "asia", "africa", "north america", "south america", "antarctica", "oceania", "ontario", "quebec",
    "british columbia", "alberta", "california", "middle east", "near east", "new south wales", "queensland",
})  # fmt: skip


@lru_cache(maxsize=1)
def first_names() -> frozenset[str]:
    """Return first names of people, in the form of `fold`."""
    from faker.providers.person import en_GB, en_US

    return frozenset(fold(name) for people in (en_US, en_GB) for name in people.Provider.first_names)


@lru_cache(maxsize=1)
def last_names() -> frozenset[str]:
    """Return last names of people, in the form of `fold`."""
    from faker.providers.person import en_GB, en_US

    return frozenset(fold(name) for people in (en_US, en_GB) for name in people.Provider.last_names)


@lru_cache(maxsize=1)
def countries() -> frozenset[str]:
    """Return names of countries, in the form of `fold`."""
    from faker.providers.date_time import Provider

    return frozenset(fold(country.name) for country in Provider.countries) | _MORE_COUNTRIES


@lru_cache(maxsize=1)
def cities() -> frozenset[str]:
    """Return names of capitals and other large cities, in the form of `fold`."""
    from faker.providers.date_time import Provider

    return frozenset(fold(country.capital) for country in Provider.countries) | _MORE_CITIES


@lru_cache(maxsize=1)
def us_states() -> frozenset[str]:
    """Return names of states of the US, in the form of `fold`."""
    from faker.providers.address.en_US import Provider

    return frozenset(fold(state) for state in Provider.states)


@lru_cache(maxsize=1)
def regions() -> frozenset[str]:
    """Return names of continents, states and other regions, in the form of `fold`."""
    return us_states() | _MORE_REGIONS


@lru_cache(maxsize=1)
def places() -> frozenset[str]:
    """Return names of countries, cities and regions, in the form of `fold`."""
    return countries() | cities() | regions()


class _Entries:
    """A dictionary of lemminflect, stored as sorted lines. An entry is parsed only when a caller asks for it.

    The two dictionaries take 50 MB when parsed, and 7 MB as lines.
    """

    def __init__(self, file: str, load: Callable[[BytesIO], dict[str, Mapping[str, Any]]]) -> None:
        with gzip.open(file) as lines:
            self._lines = sorted(lines)
        self._load = load

    def get(self, word: str, default: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the entry of a word, and the default for an unknown word."""
        begin, end = (bisect_left(self._lines, f"{word}{sign}".encode()) for sign in ",-")  # "-" follows "," in ASCII
        return self._load(BytesIO(gzip.compress(b"".join(self._lines[begin:end]), 0))).get(word, default)


@lru_cache(maxsize=1)
def _lemminflect() -> Any:
    """Return lemminflect, with dictionaries that take less memory than the library's own."""
    import lemminflect
    from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

    lemmatizer, inflections = lemminflect.Lemmatizer(), lemminflect.Inflections()
    lemmatizer.lemma_dict = _Entries(lemmatizer.lemma_lu_fn, LemmaLUCodec.load)
    inflections.infl_dict = _Entries(inflections.infl_lu_fn, InflectionLUCodec.load)
    return lemminflect


@lru_cache(maxsize=16384)
def lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """Return the lemmas of a lower-case word. The keys are universal parts of speech. Unknown words have no lemmas."""
    found: dict[str, tuple[str, ...]] = _lemminflect().getAllLemmas(word)
    return found


def parts_of_speech(word: str) -> frozenset[str]:
    """Return the parts of speech that the dictionary gives a lower-case word (NOUN, VERB, ADJ, ADV, AUX, PROPN)."""
    return frozenset(lemmas(word))


def is_known(word: str) -> bool:
    """Return whether a lower-case word is a common word of the dictionary or a function word."""
    return word in FUNCTION_WORDS or bool(parts_of_speech(word) - {"PROPN"})


def can_be(word: str, pos: str) -> bool:
    """Return whether a lower-case word can have the part of speech `pos`."""
    return word not in FUNCTION_WORDS and pos in parts_of_speech(word)


@lru_cache(maxsize=16384)
def lemma_of(word: str) -> str:
    """Return the dictionary form of a lower-case word.

    A word that the dictionary does not have is returned unchanged.
    """
    found = lemmas(word)
    return next((found[pos][0] for pos in ("NOUN", "VERB", "ADJ") if pos in found), word)


@lru_cache(maxsize=16384)
def inflection(lemma: str, tag: str) -> str | None:
    """Return the form of a verb or noun for a Penn tag (VBD, VBZ, VBN, VBG, NNS); None if there is no such form."""
    forms: tuple[str, ...] = _lemminflect().getInflection(lemma, tag=tag)
    return forms[0] if forms else None


@lru_cache(maxsize=16384)
def verb_tags(word: str) -> frozenset[str]:
    """Return the Penn tags that a lower-case word can have as a verb: VB, VBD, VBZ, VBN, VBG."""
    if word in FUNCTION_WORDS and word not in AUXILIARIES:
        return frozenset()
    tags = set()
    for lemma in lemmas(word).get("VERB", ()) + lemmas(word).get("AUX", ()):
        for tag in ("VB", "VBD", "VBZ", "VBN", "VBG"):
            if word in _lemminflect().getInflection(lemma, tag=tag):
                tags.add(tag)
    return frozenset(tags)


def verb_lemma(word: str) -> str | None:
    """Return the dictionary form of a lower-case verb form; None if the word is not a verb."""
    found = lemmas(word).get("VERB") or lemmas(word).get("AUX")
    return found[0] if found else None

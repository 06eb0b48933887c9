"""The kind of a value, such as person or year; None if the kind is doubtful.

The kind is inferred from three sources: the form of the value (a year, a sum, a person's first and last name), the noun
in the question ('which film'), and a passage that introduces its subject ('Northanger is a 1987 film'). Such a passage
is called an entry.
"""

import re
from typing import Final

from demur.levers.lever_models import Kind
from demur.text.analysis import Analysis, Question, WhWord
from demur.text.answers import answer_date
from demur.text.dates_and_numbers import DatePrecision, NumberKind, find_dates, find_numbers
from demur.text.lexicon import can_be, cities, countries, regions, us_states
from demur.text.names import NameKind, is_first_name
from demur.text.tokens import fold, tokenise

_NOUNS: Final[dict[Kind, str]] = {
    Kind.PERSON: "actor actress singer songwriter rapper musician guitarist drummer composer writer author novelist "
    "poet playwright screenwriter director filmmaker producer politician president king queen emperor player "
    "footballer cricketer boxer wrestler golfer athlete coach manager comedian painter artist sculptor architect "
    "photographer scientist physicist chemist mathematician philosopher economist inventor engineer businessman "
    "entrepreneur lawyer journalist broadcaster presenter model dancer soldier general explorer aviator astronaut "
    "designer activist rower diplomat executive reporter editor chef disc-jockey comedian dramatist aviator sculptor "
    "historian psychologist biologist chemist astronomer theologian bishop racer cyclist swimmer skier",
    Kind.CITY: "city town village suburb municipality commune township borough",
    Kind.PLACE: "county province region district island peninsula continent territory",
    Kind.COUNTRY: "country nation",
    Kind.STATE: "state",
    Kind.ORGANISATION: "company corporation manufacturer airline publisher label broadcaster bank",
    Kind.BAND: "band duo trio quartet orchestra choir",
    Kind.TEAM: "team club",
    Kind.SCHOOL: "university college",
    Kind.FILM: "film movie",
    Kind.SHOW: "sitcom telenovela miniseries",
    Kind.CHARACTER: "character superhero villain",
    Kind.EVENT: "war battle siege revolution expedition rebellion festival",
    Kind.BOOK: "book novel novella memoir",
    Kind.SONG: "song single ballad hymn",
    Kind.ALBUM: "album mixtape",
    Kind.GAME: "game",
    Kind.SITE: "stadium museum hotel castle palace theatre theater airport arena church cathedral bridge tower mansion "
    "mosque temple library lighthouse courthouse skyscraper",
    Kind.RIVER: "river",
    Kind.LANGUAGE: "language",
    Kind.SPECIES: "species genus",
}  # fmt: skip
_KIND_OF: Final = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
NAMED: Final = frozenset(_NOUNS)
"""Kinds whose values are names."""
COUNTED: Final = frozenset({Kind.NUMBER, Kind.MEASURE, Kind.MONEY, Kind.PERCENT, Kind.ORDINAL})
DATED: Final = frozenset({Kind.YEAR, Kind.DATE})

_LEAD = re.compile(
    r"^[\"“]?(?P<name>(?:The )?[A-Z0-9][^\"“”(),]{1,60}?)[\"”]?,?(?: \([^()]*(?:\([^()]*\)[^()]*)*\))?,? "
    r"(?:is|was|are|were) (?:an?|the|one of the) (?P<what>[^.;:]{3,160})"
)
_ENDS = re.compile(
    r"\b(?:by|of|in|from|that|which|who|based|located|directed|written|produced|set|for|with|at|on|to|featuring|released|"
    r"and|starring|recorded|published|founded|formed|best|known|created|about|where|born|headquartered|owned)\b|[,(]"
)
_NUMBERED: Final = {
    NumberKind.CARDINAL: Kind.NUMBER, NumberKind.ORDINAL: Kind.ORDINAL, NumberKind.MONEY: Kind.MONEY,
    NumberKind.PERCENT: Kind.PERCENT, NumberKind.MEASURE: Kind.MEASURE,
}  # fmt: skip
_STATED = re.compile(r"[A-Z][\w'’.-]+(?: [A-Z][\w'’.-]+){0,2}, (?P<wider>[A-Z][a-z]+(?: [A-Z][a-z]+)?)")
_PERSON = re.compile(
    r"[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z]\.[A-Z]\.|de|von|van|der|la|di))*(?: [A-Z][\w'’-]+){1,2}"
    r"(?:,? (?:Jr|Sr)\.?| I{2,3})?"
)
_NOT_A_PERSON = re.compile(
    r"\b(?:The|and|of|University|College|School|Company|Records|Park|City|County|River|Island|Street|Club|Band|Hall|"
    r"Brothers|Sisters|House|Group|Party|Church|Bay|Lake|Mountains?|Springs|Beach|Valley|Heights|Hotel|Stadium|Islands|County|Falls|Bridge|Square|Tower|Castle|Olympics|Games|Cup|League|Awards?|Festival|Championships?)\b"
)


def kind_of_form(value: str) -> Kind | None:
    """Return the kind of a value that follows from its form alone."""
    text = value.strip()
    date = answer_date(text)
    if date is not None:
        plain = re.fullmatch(r"\d{4}", text) is not None
        day = date.precision in (DatePrecision.DAY, DatePrecision.MONTH, DatePrecision.MONTH_DAY)
        return Kind.YEAR if plain else Kind.DATE if day else None
    numbers = find_numbers(text)
    if len(numbers) == 1 and numbers[0].whole.start == 0 and numbers[0].whole.end == len(text):
        return _NUMBERED[numbers[0].kind] if numbers[0].unit is None or numbers[0].kind in _UNITS else None
    folded = fold(text)
    if folded in countries():
        return Kind.COUNTRY
    if folded in cities():
        return Kind.CITY
    if folded in regions():
        return Kind.STATE if folded in us_states() else None
    placed = _STATED.fullmatch(text)
    if placed is not None and _NOT_A_PERSON.search(text) is None:
        return Kind.CITY if fold(placed["wider"]) in regions() | countries() else None
    return Kind.PERSON if is_full_name(text) else None


_UNITS = frozenset({NumberKind.MONEY, NumberKind.PERCENT, NumberKind.MEASURE})


def is_full_name(text: str) -> bool:
    """Return whether a text is a person's full name.

    A full name begins with a first name and has no word of places or organisations.
    """
    if not _PERSON.fullmatch(text) or _NOT_A_PERSON.search(text) or text.isupper():
        return False
    return is_first_name(fold(text.split()[0]))


ROLES: Final = frozenset(_NOUNS[Kind.PERSON].split())
"""Nouns for people by their trade or office."""


def kind_of_noun(phrase: str | None) -> Kind | None:
    """Return the kind that a noun phrase names, by its head: 'Australian city', 'film directed by X'."""
    if not phrase:
        return None
    ended = _ENDS.search(phrase, 1)
    words = [t.norm for t in tokenise(phrase[: ended.start()] if ended else phrase) if t.is_word]
    return _KIND_OF.get(words[-1]) if words else None


def asked_kind(question: Question) -> Kind | None:
    """Return the kind asked for, from the question word or the following noun."""
    if question.wh is WhWord.WHO:
        return Kind.PERSON
    if question.wh is WhWord.WHEN:
        return Kind.DATE
    if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH):
        return Kind.NUMBER
    return kind_of_noun(question.focus) if question.wh in (WhWord.WHAT, WhWord.WHICH) else None


def kind_of_answer(analysis: Analysis) -> Kind | None:
    """Return the kind of the accepted answers, from their form and the question.

    Return None if form and question disagree or leave doubt.
    """
    asked = asked_kind(analysis.question)
    said = dict.fromkeys((analysis.answer, *(m.answer for p in analysis.signal for m in p.answers)))
    return next((kind for answer in said if (kind := _kind_of_one(analysis, answer.strip(), asked))), None)


def _kind_of_one(analysis: Analysis, answer: str, asked: Kind | None) -> Kind | None:
    formed = kind_of_form(answer)
    if formed is None and asked is Kind.NUMBER and len(numbers := find_numbers(answer)) == 1:
        formed = _NUMBERED[numbers[0].kind]
    if formed is None and asked is Kind.DATE and len(find_dates(answer)) == 1:
        plain = len(answer.split()) <= 5 and not re.search(r"\d[–-]\d", answer)
        formed = Kind.DATE if plain else None
    if formed is None and _is_spoken_of_as_person(analysis, answer):
        formed = Kind.PERSON
    formed = formed or kind_of_last_word(answer)
    if formed in DATED:
        return formed if asked in (None, Kind.DATE) and analysis.question.wh is not WhWord.WHO else None
    if formed in COUNTED:
        return formed if asked in (None, Kind.NUMBER) else None
    if formed is Kind.PERSON and not all(_may_be_person(p.text, answer) for p in analysis.passages):
        return None
    if formed is Kind.PERSON:
        return formed if asked in (None, Kind.PERSON) and analysis.question.wh is not WhWord.WHERE else None
    if formed is not None:
        return formed if asked in (None, formed) else None
    if asked is None or asked not in NAMED or asked is Kind.PERSON or not answer[:1].isupper():
        return None
    return asked


_LAST: Final = {
    **dict.fromkeys(
        "County River Lake Bay Island Park Street Valley Mountains Bridge Stadium Airport".split(), Kind.SITE
    ),
    **dict.fromkeys(
        "Records Entertainment Studios Pictures Airlines Bank Corporation Company".split(), Kind.ORGANISATION
    ),
    **dict.fromkeys("University College School Academy".split(), Kind.SCHOOL),
}


def kind_of_last_word(name: str) -> Kind | None:
    """Return the kind that follows from the last word of a name: 'Avery County', 'Mystic River'."""
    words = name.split()
    return _LAST.get(words[-1]) if 2 <= len(words) <= 4 and all(w[0].isupper() for w in words) else None


_PERSONAL = re.compile(r"\b(?:he|she|his|her|him)\b|\(born ", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+|de|von|van|der|al|bin)){1,3}")


def _is_spoken_of_as_person(analysis: Analysis, answer: str) -> bool:
    """Return whether an unlisted name is a person's.

    It is a person's name if 'who' asks for it and its passage uses he or she. It is also a person's name if the
    question asks for something that only people do or are.
    """
    if not _NAME.fullmatch(answer) or _NOT_A_PERSON.search(answer.removeprefix("Park ")):
        return False
    if " " in answer and (_HUMAN.match(analysis.question.text) or kind_of_noun(analysis.question.focus) is Kind.PERSON):
        return True
    if analysis.question.wh is not WhWord.WHO:
        return False
    said = [n for n in analysis.main.names if n.text == answer]
    return any(n.kind is NameKind.PERSON for n in said) and _PERSONAL.search(analysis.main.text) is not None


_HUMAN: Final = re.compile(
    r"^who (?:play(?:s|ed)|portray(?:s|ed)|voice[sd]|direct(?:s|ed)|wrote|designed|married|killed)\b", re.IGNORECASE
)
_NO_NAMES: Final = frozenset("It He She They This There These In That Those His Her Its Their We A An".split())


def entry_name(text: str) -> str | None:
    """Return the subject's name from the first sentence of an entry ('Brand is ...').

    Return None if `text` is not an entry.
    """
    found = _LEAD.match(text)
    return found["name"].strip() if found is not None and found["name"].split()[0] not in _NO_NAMES else None


def _may_be_person(text: str, name: str) -> bool:
    """Return whether `name` may be a person's.

    If `text` describes `name` as something else, return False: 'Victoria Falls is a waterfall'.
    """
    found = _LEAD.match(text)
    return found is None or found["name"].strip() != name or kind_of_noun(found["what"]) in (Kind.PERSON, None)


def introduced(text: str) -> tuple[str, Kind] | None:
    """Return the name and the kind of an entry's subject, from the first sentence: ('Brand', BOOK)."""
    found = _LEAD.match(text)
    if found is None:
        return None
    name = found["name"].strip()
    kind = kind_of_noun(found["what"])
    if kind is None and is_full_name(name) and re.match(r"[^()]{0,60}\((?:born|\w+ \d|\d)", text):
        kind = Kind.PERSON
    if kind is None or name.split()[0] in _NO_NAMES:
        return None
    if kind is Kind.PERSON and not is_full_name(name):
        return None
    return name, kind


_ON_AIR: Final = frozenset("television tv drama comedy anime animated reality web sitcom".split())
_SAID_OF = (
    r"{name}[\"”]?(?: \([^()]*\))?,? (?:is|was|are|were) (?:an?|the|one of the) (?P<what>[^.;:]{{3,160}})",
    r"{name}[\"”]?(?: \([^()]*\))?, (?:an?|the) (?P<what>[a-z][^.;:]{{3,100}})",
    r"\b(?P<what>film|movie|song|single|album|novel|book|sitcom|television series|band|singer|actor|actress)"
    r" [\"“]?{name}\b",
)


def noun_of(text: str, name: str) -> str:
    """Return the noun that describes a name: 'rock band' in 'Brand is a rock band from'; empty if there is no noun."""
    for pattern in _SAID_OF:
        found = re.search(pattern.format(name=re.escape(name)), text)
        noun = _head(found["what"]) if found is not None else ""
        if noun:
            return noun
    return ""


def _head(what: str) -> str:
    """Return the last noun of a description, or two nouns such as 'rock band'; empty if the noun's kind is unknown."""
    ended = _ENDS.search(what, 1)
    said = [t for t in tokenise(what[: ended.start()] if ended else what) if t.is_word]
    last = said[-1].norm if said else ""
    led = said[-2] if len(said) > 1 else None
    if last in {"series", "show"}:
        return f"television {last}" if led is not None and led.norm in _ON_AIR else ""
    goes_on = ended is not None and ended.group() == "and" and kind_of_noun(last) is not Kind.PERSON
    if kind_of_noun(last) is None or goes_on:
        return ""
    joined = led is not None and led.text.strip().islower() and can_be(led.norm, "NOUN") and not can_be(led.norm, "ADJ")
    return f"{led.norm} {last}" if joined and led is not None else last

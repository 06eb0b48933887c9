"""Questions made of a lever's frames: the question as it stands, a form of it, or what it asks about, in slots."""

import re
from functools import lru_cache
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.described import WORKS, Described, defined_as, described
from demur.rules.edits.casing import in_register
from demur.rules.edits.clauses import mid_sentence
from demur.rules.forms import forms, opening_small
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill
from demur.rules.rivals import is_one_fact
from demur.rules.topics import SharedName, topics
from demur.text.analysis import Analysis
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import COUNTED, DATED, kind_of_answer, kind_of_noun
from demur.text.lexicon import can_be
from demur.text.names import NameKind
from demur.text.questions import WhWord
from demur.text.tokens import fold

ASKED: Final = (
    Slot.QUESTION, Slot.TOPIC, Slot.NAME, Slot.NOUN, Slot.NOUNS, Slot.SHOULD, Slot.WOULD, Slot.HAD_OTHER,
    Slot.WERE_OTHER, Slot.NEVER, Slot.EVENT, Slot.NOUN_PHRASE, Slot.ASKED_PERSON, Slot.PLAYER, Slot.MAKER, Slot.SINGER,
    Slot.MADE_BY, Slot.WHEN_DID, Slot.WHERE_DID, Slot.YOU_SAY, Slot.HOW_MANY, Slot.COUNTED, Slot.MEASURED, Slot.BEGAN,
    Slot.CREW, Slot.PLACE, Slot.ORIGIN,
)  # fmt: skip
"""The slots that `ask` fills where the question has them."""

_WHEN: Final = re.compile(
    r"^(?:when|(?:in |on )?(?:what|which) (?:exact )?(?:year|date)) (?P<rest>(?:was|were|did) .+)$", re.IGNORECASE
)
_WHERE: Final = re.compile(
    r"^(?:where|in (?:what|which) (?:city|town|county|state|country)) (?P<rest>(?:was|were|did|is|are|does|do) .+)$",
    re.IGNORECASE,
)
_LOOSE_END: Final = re.compile(r"\b(?:in|at|from|to|on|of|for|with|by|towards?|near|located in)$", re.IGNORECASE)
_COUNTED: Final = re.compile(
    r"^how many (?P<what>[a-z ]+?) (?:are|were) there(?: (?P<where>(?:in|on|at|of) .+))?$", re.IGNORECASE
)
_CHOICE: Final = re.compile(
    r"^(?P<wh>(?i:who|which(?: [a-z]+){0,2}|what(?: [a-z]+)?)) "
    r"(?P<rest>(?:is|was|has|had|came|died|lived|won|contains?|uses?) .+, "
    r"(?:the )?[\"A-Z].+ or (?:the )?[\"A-Z][^,]*)$"
)
_EVALUATES: Final = re.compile(r"\b(?:most|best|worst|greatest|famous|popular|important|notable)\b", re.IGNORECASE)
_FIXED: Final = re.compile(r"\b(?:seasons|episodes|chapters|books|verses|parts|letters|verbs)\b")
"""What a work or a language has a number of that does not grow over centuries."""
_STREETS: Final = re.compile(r"\b(?:Street|Road|Avenue|Drive|Boulevard|Lane|Square|Highway)\b")
_LASTS: Final = re.compile(
    r"\b(?:games|olympics|season|war|festival|tournament|period|era|championships?|cup)\b", re.IGNORECASE
)
_TWICE_ASKED: Final = re.compile(r"\b(?:and|or) (?:in )?(?:who|what|when|where|why|how|which)\b", re.IGNORECASE)
_LAST_WORDS: Final = (
    (
        Kind.SITE,
        frozenset("Theatre Theater Library Hospital Clinic Hotel Museum Cathedral Tower Castle Palace".split()),
    ),
    (Kind.SCHOOL, frozenset("University College Institute Academy School".split())),
    (Kind.ORGANISATION, frozenset("Company Brewery Foods Press Bank Records Airlines Group Trust".split())),
    (Kind.EVENT, frozenset("Marathon Festival War Cup Championship Championships Games".split())),
)
_WHERE_ABOUTS: Final = frozenset({Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.SITE, Kind.PLACE})
_BEGAN: Final = {
    Kind.PERSON: "born", Kind.FILM: "released", Kind.SHOW: "first shown", Kind.SONG: "released", Kind.ALBUM: "released",
    Kind.GAME: "released", Kind.BOOK: "published", Kind.BAND: "formed", Kind.TEAM: "founded", Kind.SITE: "built",
    Kind.ORGANISATION: "founded", Kind.SCHOOL: "founded",
}  # fmt: skip
_TELLS: Final = {
    "born": r"\bborn\b[^.]{0,40}\d{4}",
    "released": r"\b(?:released|\d{4} (?:[A-Z]\w+ )?(?:film|song|single|album|movie))\b",
    "first shown": r"\b(?:aired|premiered|debuted|broadcast)\b[^.]{0,60}\d{4}",
    "published": r"\bpublished\b[^.]{0,60}\d{4}",
    "formed": r"\bformed\b[^.]{0,40}\d{4}", "founded": r"\b(?:founded|established|formed)\b[^.]{0,60}\d{4}",
    "built": r"\b(?:built|opened|constructed|completed)\b[^.]{0,60}\d{4}",
}  # fmt: skip
_MEASURES: Final = {
    **dict.fromkeys(
        (Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.PLACE),
        (r"\b(?:population|inhabitants|residents)\b", "the number of people who live in"),
    ),
    Kind.SCHOOL: (r"\b(?:students|pupils|enrol\w*)\b", "the number of students at"),
    Kind.SHOW: (r"\b(?:viewers|viewed|watched|ratings)\b", "the number of people who watch"),
    Kind.ORGANISATION: (r"\b(?:employ\w*|staff|workers)\b", "the number of people who work for"),
    Kind.TEAM: (r"\b(?:attendance|spectators|crowds?|capacity|seats)\b", "the number of people who come to see"),
    Kind.BAND: (r"\b(?:copies|sold|sales|charts?)\b", "the number of records sold each year by"),
    Kind.SONG: (r"\b(?:copies|sold|sales|charts?|charted)\b", "the yearly number of copies sold of"),
    Kind.ALBUM: (r"\b(?:copies|sold|sales|charts?|charted)\b", "the yearly number of copies sold of"),
    Kind.BOOK: (r"\b(?:copies|sold|sales|best-?sell\w*)\b", "the yearly number of copies sold of"),
}
_ORIGIN: Final = re.compile(
    r"\b(?:is|was|are|were) an? (?:\d{4} |[a-z]+ ){0,2}(?P<it>[A-Z][a-z]+(?:n|sh|ese|ch|ek|ss|i|k))(?= [a-z])"
)
_HUMAN: Final = re.compile(
    r"^who (?:(?:plays|played|voices|voiced|portrays|portrayed|directed|wrote|said|invented|married|killed) "
    r"|(?:is|was) the (?P<noun>[a-z]+)\b)",
    re.IGNORECASE,
)
"""What only people do or are."""
_SINGULAR: Final = re.compile(r"\b(?:is|was|does|has) \{topic\}|\{topic\} (?:is|was|does|has)\b| of its\b")
_PLAYS: Final = re.compile(r"^the person who (?:plays|played|portrays|portrayed) ")
_SINGS: Final = re.compile(r"^the person who (?:sings|sang) ")
_MAKES: Final = re.compile(
    r"^the person who (?P<verb>wrote|directed|produced|invented|designed|composed|built|painted|created) (?!an? )"
)
_PARTICIPLE: Final = {"wrote": "written", "built": "built"}


def ask(pull: Pull) -> Draft | Declined:
    """Ask one of the lever's questions whose slots the base instance fills; the passages stay."""
    text = asked(pull)
    if text is None:
        return Declined(DeclineReason.NO_FRAME)
    note = "The question still asks for what it asked for." if pull.lever.answer == "kept" else ""
    return Draft(text, reasoning="A frame of the lever was filled with parts of the question.", answer_note=note)


def asked(pull: Pull, *needed: Slot) -> str | None:
    """Return a question by one of the lever's frames, with the slots needed; None where none fits.

    It is in the register of the base question.
    """
    values = slots_of(pull.analysis)
    about = subject(pull.analysis)
    kind = about.kind if about is not None else None
    answer = kind_of_answer(pull.analysis)
    fitting = [
        frame
        for frame in pull.lever.frames
        if frame.slots
        and set(needed) <= frame.slots <= values.keys()
        and frame in pull.frames(kind if frame.slots & {Slot.TOPIC, Slot.CREW} else answer)
        and not (about is not None and about.plural and _SINGULAR.search(frame.text))
    ]
    if not fitting:
        return None
    return in_register(pull.analysis.question, fill(pull.rng.choice(fitting), **values))


@lru_cache(maxsize=256)
def slots_of(analysis: Analysis) -> dict[str, str]:
    """Return what the question and its passages put into slots, by slot."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    values: dict[str, str] = {}
    if analysis.question.is_well_formed and not _EVALUATES.search(text):
        values[Slot.QUESTION] = opening_small(text)
    values |= _clauses(analysis) | _adverbials(analysis, text)
    about = subject(analysis)
    return values | (_of_topic(analysis, about) if about is not None else {})


@lru_cache(maxsize=256)
def subject(analysis: Analysis) -> Described | None:
    """Return what the question asks about, or else the first of its names whose kind is known."""
    about = described(analysis)
    if about is not None and about.kind is not None:
        return about
    for topic in topics(analysis):
        if topic.kind is not None and topic.span and not analysis.is_answer(topic.bare):
            telling = next((p for p in analysis.signal if topic.bare in p.text), analysis.main)
            kind, noun = defined_as(telling.text, topic.bare)
            noun = noun if kind is topic.kind else ""
            return Described(topic.name, topic.bare, topic.span.start, topic.span.end, topic.kind, noun, telling.index)
    for named in topics(analysis):
        kind = _kind_by_name(analysis.question.text, named) if named.span else None
        if kind is not None:
            return Described(named.name, named.bare, named.span.start, named.span.end, kind, "", analysis.main.index)
    return about


def _kind_by_name(asked: str, named: SharedName) -> Kind | None:
    """Return the kind that the last word of a name tells, or that of what somebody or something is in."""
    for kind, words in _LAST_WORDS:
        if named.bare.split()[-1] in words and " " in named.bare:
            return kind
    within = re.search(
        r"\b(?:live|lives|lived|located|residents|inhabitants|held|voters|people) (?:in|of) $",
        asked[: named.span.start],
    )
    return Kind.PLACE if within is not None and named.bare[0].isupper() else None


def _is_human(analysis: Analysis) -> bool:
    """Return whether the question asks for one person: by the answer's kind, or by what only people do or are."""
    if kind_of_answer(analysis) is Kind.PERSON:
        return is_one_fact(analysis)
    asks = _HUMAN.match(analysis.question.text)
    return asks is not None and (not asks["noun"] or kind_of_noun(asks["noun"]) is Kind.PERSON)


def _clauses(analysis: Analysis) -> dict[str, str]:
    """Return the forms of the question's clause, those about a person only where the answer is one."""
    found = dict(forms(analysis))
    placed = analysis.question.wh is WhWord.WHERE and kind_of_answer(analysis) in _WHERE_ABOUTS
    past = found.pop("past", None) is not None
    other = found.pop("if_other", None)
    who = found.pop("answerer", None)
    values: dict[str, str] = {
        slot: found[name]
        for name, slot in (
            ("should", Slot.SHOULD), ("would", Slot.WOULD), ("if_never", Slot.NEVER), ("event", Slot.EVENT),
            ("np", Slot.NOUN_PHRASE),
        )
        if name in found
    }  # fmt: skip
    if re.match(r"an? ", values.get(Slot.NOUN_PHRASE, "")):
        del values[Slot.NOUN_PHRASE]
    if Slot.NOUN_PHRASE in values and kind_of_answer(analysis) in COUNTED:
        values[Slot.MEASURED] = values[Slot.NOUN_PHRASE]
    personal = _is_human(analysis)
    if other is not None and (personal or not other.startswith("somebody")) and not other.startswith("another of"):
        values[Slot.HAD_OTHER if past else Slot.WERE_OTHER] = other
    whereabouts = found.get("whereabouts", found.get("event"))
    if placed and whereabouts is not None:
        values[Slot.PLACE] = f"the place where {whereabouts}"
    if not personal and analysis.question.wh is WhWord.WHO:
        values.pop(Slot.WOULD, None)
    if who is None or not personal:
        return values
    values[Slot.ASKED_PERSON] = who
    if _PLAYS.match(who):
        values[Slot.PLAYER] = who
    elif _SINGS.match(who):
        values[Slot.SINGER] = who
    elif made := _MAKES.match(who):
        verb = made["verb"]
        values[Slot.MAKER], values[Slot.MADE_BY] = who, f"{_PARTICIPLE.get(verb, verb)} by {who}"
    return values


def _adverbials(analysis: Analysis, text: str) -> dict[str, str]:
    """Return what stands behind when, where and how many, where the answer is of that kind."""
    values: dict[str, str] = {}
    kind = kind_of_answer(analysis)
    if _TWICE_ASKED.search(text):
        return values
    when, where, choice, counted = (p.match(text) for p in (_WHEN, _WHERE, _CHOICE, _COUNTED))
    if (
        when
        and kind in DATED
        and _is_stated_to_the_year(analysis)
        and not _LOOSE_END.search(text)
        and not _LASTS.search(text)
    ):
        values[Slot.WHEN_DID] = when["rest"]
    one = all(fold(a) in fold(analysis.answer) or fold(analysis.answer) in fold(a) for a in analysis.base.answers)
    streets = any(_STREETS.search(p.text) for p in analysis.signal)
    if where and one and not streets and not _LOOSE_END.search(text) and kind in (Kind.CITY, Kind.STATE, Kind.COUNTRY):
        values[Slot.WHERE_DID] = where["rest"]
    if choice:
        values[Slot.YOU_SAY] = f"{mid_sentence(choice['wh'])} would you say {choice['rest']}"
    if text.lower().startswith("how many ") and re.fullmatch(r"\d[\d,]*", analysis.answer.strip()):
        values[Slot.HOW_MANY] = mid_sentence(text)
    if counted and kind in COUNTED and not _FIXED.search(counted["what"]):
        values[Slot.COUNTED] = " ".join(part for part in (counted["what"], counted["where"]) if part)
    return values


def _is_stated_to_the_year(analysis: Analysis) -> bool:
    """Return whether the answer is a year, month or day of one event: no decade, and no 'the first time that'."""
    dates = find_dates(analysis.answer)
    exact = all(d.precision not in (DatePrecision.DECADE, DatePrecision.CENTURY) for d in dates)
    return exact and re.search(r"\b(?:time|become|became|start|begin)\b", analysis.question.text) is None


def _of_topic(analysis: Analysis, about: Described) -> dict[str, str]:
    said = f"the{about.said[3:]}" if about.said.startswith("The ") and about.kind not in WORKS else about.said
    values: dict[str, str] = {Slot.TOPIC: said, Slot.NAME: about.name}
    telling = next(p for p in analysis.passages if p.index == about.passage)
    passage = telling.text
    if about.noun:
        values |= {Slot.NOUN: about.noun, Slot.NOUNS: about.kinds}
    people = {n.norm for n in telling.names if n.kind is NameKind.PERSON}
    if len(people) > 1:
        values[Slot.CREW] = about.said
    began = _BEGAN.get(about.kind) if about.kind is not None else None
    if began is not None and re.search(_TELLS[began], passage):
        values[Slot.BEGAN] = began
    measure = _MEASURES.get(about.kind) if about.kind is not None else None
    measured = measure is not None and any(
        about.name in s.text and re.search(measure[0], s.text) for s in telling.sentences
    )
    if measure is not None and (measured or passage.startswith(about.name) and re.search(measure[0], passage)):
        values[Slot.MEASURED] = f"{measure[1]} {about.said}"
    if about.noun and (origin := _origin(passage, about.name)) is not None:
        values[Slot.ORIGIN] = origin
    return values


def _origin(text: str, name: str) -> str | None:
    """Return where the sentence that says what a thing is has it come from: 'American'."""
    start = max(0, text.find(name))
    found = _ORIGIN.search(text, start)
    sound = found is not None and can_be(fold(found["it"]), "ADJ") and ". " not in text[start : found.start()]
    return found["it"] if found is not None and sound else None

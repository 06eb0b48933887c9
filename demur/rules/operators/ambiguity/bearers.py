"""Two where the question means one: a second value, a second person for a pronoun, a second thing of the same name."""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.levers.vocabulary import Layout
from demur.rules.described import WORKS, described, entry_of
from demur.rules.operators.bridges import bridge_of
from demur.rules.operators.context import filled
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.operators.stated import Place, named_on, place_of
from demur.rules.rivals import Rival, asks_for_more, find_rival
from demur.text.dates import DatePrecision, find_dates, moved
from demur.text.kinds import DATED, NAMED, gender_of, is_full_name, kind_of_noun
from demur.text.names import NameKind
from demur.text.questions import content_words
from demur.text.tokens import fold

_GREGORIAN = 1583
_BRITISH = 1752
"""The first year of the Gregorian calendar, and the one in which Britain took it."""
_STOCK: Final = re.compile(r"\b(?:population|inhabitants|residents|people|members|students|employees|seats|stores)\b")
_DATED_TWICE: Final = frozenset({DatePrecision.YEAR, DatePrecision.MONTH, DatePrecision.DAY})
_NEAR: Final = 60
"""Characters between a date and the verb that says what is dated."""
_COMES_OUT: Final = re.compile(r"\b(?:released|published|out|issued|launched|premiered)\b")
_SAME: Final = (
    "come release make premiere debut air first", "sing record perform cover singer", "write compose writer",
    "play star portray actor", "direct director", "produce producer",
)  # fmt: skip
_OTHER_NAME: Final = re.compile(r"\b(?:known as|stylized|stylised|titled|called)\b")
_OPENING: Final = 160
"""Characters of an entry in which other names of its subject are told."""
_SHORT: Final = 40
"""Characters behind the answer after which the end of a sentence still speaks of it."""
_TRADED: Final = frozenset({Kind.PERSON, Kind.ORGANISATION})
_GENERAL: Final = frozenset({"movie", "film", "song", "album", "book", "new", "original", "old", "date", "out"})


def _rivalled(pull: Pull, *, beside: bool = False) -> tuple[Place, str] | None:
    """Return where the answer is stated with another value of its kind: a person whom the passages name comes first.

    With several passages, what the question says of a place or work tells which one is meant.
    """
    place = place_of(pull.analysis, beside=beside)
    single = pull.analysis.base.layout is Layout.SINGLE
    if place is None or place.kind is None or place.kind in NAMED - _TRADED and not single:
        return None
    if asks_for_more(pull.analysis):
        return None
    person = place.kind is Kind.PERSON
    entry = entry_of(place.passage.text)
    of_work = entry is not None and entry[1] in WORKS  # it names its players and subjects, of no equal standing
    named = _people(pull, place) if person and single and not of_work and not place.is_enclosed else iter(())
    other = next((name for name in named if not named_on(place, name)), None)
    found = find_rival(pull.analysis, pull.corpus, pull.rng) if other is None else None
    rival = other if found is None else found.value(place.answer)
    if person and rival is not None and named_on(place, rival):
        return None
    if rival is not None and place.answer[:4] in ("the ", "The ") and not rival.lower().startswith("the "):
        rival = f"the {rival}"
    return (place, rival) if rival is not None else None


def _people(pull: Pull, place: Place) -> Iterator[str]:
    """Yield people of the answer's sex whom the passages name in no other role, those of the answering passage first.

    Who is named beside the answer, in brackets or behind a noun ('the biographer Ada Brandt') has one.
    """
    answer = place.answer
    sex = gender_of(answer) if is_full_name(answer) else None
    asked = set(fold(f"{pull.analysis.question.text} {answer}").split())
    passages = sorted(pull.analysis.passages, key=lambda p: not p.gives_answer)
    named = (
        n.text
        for p in passages
        for n in p.names
        if n.kind is NameKind.PERSON and len(n.norm.split()) in (2, 3) and n.text not in place.sentence.text
        if not _has_role(p.text[: n.span.start])
    )
    for name in dict.fromkeys(named):
        if sex is not None and is_full_name(name) and gender_of(name) == sex and not set(fold(name).split()) & asked:
            yield name


def _has_role(before: str) -> bool:
    """Return whether the words before a person's name tell what else the person is: an opening bracket, a noun."""
    noun = re.search(r"\b([a-z]+) $", before)
    in_a_story = re.search(r"\b(?:as|named|called|(?:story|tale|role|part|character) of) $", before) is not None
    return in_a_story or before.endswith("(") or noun is not None and kind_of_noun(noun[1]) is Kind.PERSON


@operator("ambiguity.either_or", last=True)
def either_or(pull: Pull) -> Draft | Declined:
    """Write 'either A or B' where the passages say A and leave open which, in brackets where that reads better."""
    frame = pull.frame()
    rivalled = _rivalled(pull)
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    if rivalled is not None and len(rivalled[0].after) <= _SHORT and not rivalled[0].before.endswith("("):
        place, rival = rivalled
        either = "Either" if not place.before.strip() else "either"
        end = place.after.rstrip().removesuffix(".")
        sentence = f"{place.before}{either} {place.answer} or {rival}{end}; {frame.text}."
    elif (rivalled := _rivalled(pull, beside=True)) is not None:
        place, rival = rivalled
        or_other = f"or {rival}; {frame.text}"
        sentence = f"{place.before}{place.answer} {or_other if place.is_enclosed else f'({or_other})'}{place.after}"
    else:
        return Declined(DeclineReason.NO_RIVAL)
    return Draft(
        pull.analysis.question.text, place.with_sentence(sentence), reasoning="Two values stand where one stood."
    )


@operator("ambiguity.two_people", Slot.ANSWER, Slot.RIVAL, Slot.HE)
def two_people(pull: Pull) -> Draft | Declined:
    """Name two bearers in one sentence, and say he or she for the answer in the next."""
    rivalled = _rivalled(pull)
    frame = pull.frame(Kind.PERSON)
    if rivalled is None or frame is None or rivalled[0].kind is not Kind.PERSON:
        return Declined(DeclineReason.NO_RIVAL)
    place, rival = rivalled
    if gender_of(place.answer) is None or gender_of(place.answer) != gender_of(rival):
        return Declined(DeclineReason.NO_RIVAL, "a pronoun fits one of them only")
    if place.sentence.text.count(place.answer.split()[-1]) > 1 or rival in place.sentence.text:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence or the passage tells who is meant")
    male = gender_of(place.answer) == "male"
    if re.match(r"(?:It|He|She|They|This|His|Her|Its)\b", place.sentence.text):
        said = ""
    elif not place.before.strip() and re.match(r" [a-z]", place.after):
        said = "He" if male else "She"
    else:
        said = ("him" if male else "her") if re.search(r"\b(?:by|with|to|for|from|of) $", place.before) else ""
    if not said:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    both = fill(frame, answer=place.answer, rival=rival, he="he" if male else "she")
    sentence = f"{both} {place.before}{said}{place.after}"
    return Draft(
        pull.analysis.question.text, place.with_sentence(sentence), reasoning="A pronoun fits both bearers named."
    )


@operator("ambiguity.edition", Slot.ANSWER, Slot.RIVAL)
def edition(pull: Pull) -> Draft | Declined:
    """Give a work two dates or two makers, one for each of two versions that are out."""
    about = described(pull.analysis)
    rivalled = _rivalled(pull)
    if rivalled is None:
        return Declined(DeclineReason.NO_RIVAL)
    place, rival = rivalled
    entry = entry_of(place.passage.text)
    kind = entry[1] if entry is not None else about.kind if about is not None else None
    is_made = place.kind is Kind.PERSON and kind in WORKS
    opening = re.search(r"\b(?P<at>by) $" if is_made else r"\b(?P<at>[Ii]n|[Oo]n) $", place.before)
    comes_out = place.kind in DATED and _COMES_OUT.search(place.before) is not None
    frame = pull.frame(Kind.PERSON if is_made else kind)
    if frame is None or opening is None or not (comes_out or is_made) or re.match(r",? (?:in|by|and) ", place.after):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    said = fill(frame, answer=place.answer, rival=f"{opening['at'].lower()} {rival}")
    sentence = f"{place.before}{said}{place.after}"
    return Draft(pull.analysis.question.text, place.with_sentence(sentence), reasoning="Two versions differ in this.")


@operator("ambiguity.time_basis", Slot.ANSWER, Slot.RIVAL)
def time_basis(pull: Pull) -> Draft | Declined:
    """Give a date by two calendars, a date of what is dated in two ways, or a stock at two times, in brackets."""
    place = place_of(pull.analysis, beside=True)
    if place is None or place.kind not in DATED | {Kind.NUMBER} or re.search(r"\bwill\b", place.before):
        return Declined(DeclineReason.ANSWER_TYPE)
    bases = list(_bases(pull, place))
    if not bases:
        return Declined(DeclineReason.NO_FRAME)
    said, rival = pull.rng.choice(bases)
    if rival in place.passage.text or pull.analysis.is_answer(rival):
        return Declined(DeclineReason.NO_RIVAL)
    text = said.replace("{rival}", rival)
    sentence = f"{place.before}{place.beside(place.answer, text)}{place.after}"
    return Draft(pull.analysis.question.text, place.with_sentence(sentence), reasoning="The date stands on two bases.")


def _bases(pull: Pull, place: Place) -> Iterator[tuple[str, str]]:
    """Yield frames with the value on the other basis: those for the words around a date, calendars, a stock."""
    dates = find_dates(place.answer)
    if place.kind is Kind.NUMBER:
        later = Rival(Kind.NUMBER, factor=pull.rng.choice((1.04, 1.06, 0.97))).value(place.answer)
        counted = _STOCK.search(place.sentence.text) is not None
        yield from ((f.text, later) for f in pull.frames(Kind.NUMBER) if f.kinds and later is not None and counted)
        return
    if len(dates) != 1 or dates[0].precision not in _DATED_TWICE or dates[0].text != place.answer:
        return
    date = dates[0]
    by_year = dates[0].precision is DatePrecision.YEAR
    by_day = date.precision is DatePrecision.DAY and date.year is not None
    opens = place.before.strip() in ("In", "On")
    tail = "" if opens else rf"[^,;]{{0,{_NEAR}}}$"
    around = place.after[:_NEAR] if opens else place.before
    later = moved(date, years=1) if by_year else moved(date, months=pull.rng.choice((1, 2)))
    for frame in pull.frames(Kind.YEAR if by_year else Kind.DATE):
        verbs, arrow, said = frame.text.rpartition(" -> ")
        if arrow and re.search(rf"\b(?:{verbs})\b{tail}", around):
            yield said, later
        elif not arrow and not frame.kinds and by_day and _GREGORIAN <= (date.year or 0) < _BRITISH:
            yield said, moved(date, days=sum((date.year or 0) >= year for year in (1583, 1700)) + 9)


@operator("ambiguity.namesake", Slot.NAME, Slot.NOUN, Slot.NOUNS)
def namesake(pull: Pull) -> Draft | Declined:
    """Set a second entry, taken whole from another passage of the corpus, under the name of the answering entry."""
    analysis = pull.analysis
    answering = [p for p in analysis.passages if p.gives_answer]
    entry = entry_of(answering[0].text) if len(answering) == 1 and answering[0].relevant else None
    if entry is not None and fold(entry[0]) in fold(analysis.question.text):
        asked = content_words(analysis.question.text) - content_words(entry[0])
        others = [(e.name, e.text) for e in pull.corpus.entries.get(entry[1], ())]
    elif (bridge := bridge_of(pull)) is not None:
        held = analysis.answer_sentence
        asked = content_words(analysis.question.text) & content_words(held.text if held is not None else "")
        entry = (bridge.place.answer, bridge.place.kind or Kind.PERSON, "")
        others = list(bridge.others)
    else:
        return Declined(DeclineReason.NO_TOPIC)
    rest = _wide(asked - content_words(entry[2]) - _GENERAL)
    own = answering[0].text
    heading = filled(pull, answering[0], name=entry[0])
    found = [
        (text, name)
        for name, text in others
        if name != entry[0] and rest <= _wide(content_words(text)) and 0.4 < len(text) / len(own) < 2.5
        if not analysis.is_answer(text) and own != text
    ]
    found = [(text, name) for text, name in found if not _OTHER_NAME.search(text[:_OPENING])]
    if not found or heading is None or not rest or analysis.is_answer(entry[0]):
        return Declined(DeclineReason.NO_RIVAL)
    text, name = found[0] if entry[2] == "" else pull.rng.choice(found)
    second = _renamed(text, name, entry[0], entry[1] is Kind.PERSON)
    return Draft(
        analysis.question.text,
        {answering[0].index: f"{heading}\n1. {own}\n2. {second}"},
        reasoning="Two entries bear the name that leads to the answer.",
    )


def _wide(words: frozenset[str]) -> frozenset[str]:
    """Return words with one for all that say the same of a work: come out, release, make."""
    return frozenset(next((group for group in _SAME if word in group.split()), word) for word in words)


def _renamed(text: str, old: str, new: str, is_person: bool) -> str:
    """Return an entry under another name, a person's last name included."""
    text = text.replace(old, new)
    return re.sub(rf"\b{re.escape(old.split()[-1])}\b", new.split()[-1], text) if is_person else text

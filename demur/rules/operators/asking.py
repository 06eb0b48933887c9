"""Questions made of a lever's frames, with the question's parts and subject in the slots."""

import re
from functools import lru_cache
from typing import Final

from demur.levers.lever_models import Frame, Kind, Slot
from demur.rules.edits import in_register, plural, sentence_case
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.question_parts import WORKS, Subject, asked, is_entry, subject
from demur.rules.rivals import find_rival, is_one_time, other_person
from demur.text.analysis import Analysis, WhWord, content_words
from demur.text.dates_and_numbers import DatePrecision, find_dates
from demur.text.kinds import DATED, introduced, kind_of_answer, noun_of
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, verb_tags

SLOTS: Final = tuple(Slot)
"""The slots that `ask` fills if the base instance has values for them."""
_ABOUT: Final = frozenset({Slot.TOPIC, Slot.NAME, Slot.BARE})
_SEVERAL: Final = re.compile(r" and |, (?!\d)")
"""What joins several names in an answer."""
_SINGULAR: Final = re.compile(r"\b(?:is|was|does|has) \{topic\}|\{topic\} (?:is|was|does|has|gets)\b")
"""Singular verbs beside the subject; a frame with such a verb does not fit a plural name."""
_BORN: Final = re.compile(r"\(born|\bborn (?:on|in)\b|\(b\. ")
_DEAD: Final = re.compile(
    r"[–—-] ?\d|\b(?:died|death|killed|buried|late|posthumous\w*|assassinat\w*|murder\w*)\b", re.IGNORECASE
)


@operator("epistemic.ask", *SLOTS)
@operator("granularity.ask", *SLOTS)
@operator("false_premise.ask", *SLOTS)
def ask(pull: Pull) -> Draft | Declined:
    """Replace the question by one of the lever's frames, chosen among frames whose slots the base instance fills."""
    values = slots_of(pull.analysis)
    if any(Slot.RIVAL in frame.slots for frame in pull.lever.frames) and (rival := _rival(pull)):
        values = values | {Slot.RIVAL: rival}
    about = subject(pull.analysis)
    kind = about.kind if about is not None else None
    answer = kind_of_answer(pull.analysis)
    several = about is not None and (about.kind is Kind.TEAM or about.name.endswith("s") and about.kind not in WORKS)
    fitting = [
        f
        for f in pull.lever.frames
        if f.slots <= values.keys() and _fits_kind(pull, f, kind, answer) and not (several and _SINGULAR.search(f.text))
    ]
    if not fitting:
        return Declined(DeclineReason.NO_FRAME)
    text = fill(pull.rng.choice(fitting), **values)
    note = "The question still asks for what it asked for." if pull.lever.answer == "kept" else ""
    why = "A frame of the lever was filled with parts of the question."
    return Draft(in_register(pull.analysis.question, text), reasoning=why, answer_note=note)


def _fits_kind(pull: Pull, frame: Frame, kind: Kind | None, answer: Kind | None) -> bool:
    """Return whether a frame fits the style, the layout and a kind.

    If the slots of a frame name the subject and not the answer, the frame must fit `kind`, the subject's kind. Any
    other frame must fit `answer`, the answer's kind.
    """
    of_subject = frame.slots & _ABOUT and not frame.slots & {Slot.ANSWER, Slot.RIVAL}
    return frame.fits(pull.style, pull.analysis.base.layout, kind if of_subject else answer)


@lru_cache(maxsize=256)
def slots_of(analysis: Analysis) -> dict[str, str]:
    """Return the values of slots from the question and its passages, by slot."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    values: dict[str, str] = {}
    said = [content_words(a) for a in analysis.base.answers]
    if not _SEVERAL.search(analysis.answer) and all(one & said[0] for one in said):
        values[Slot.ANSWER] = analysis.answer.strip().rstrip(".")
    if analysis.question.is_well_formed and analysis.question.wh not in (WhWord.YES_NO, WhWord.HOW, WhWord.NONE):
        values[Slot.QUESTION] = text if text.startswith("I ") else text[:1].lower() + text[1:]
    about = subject(analysis)
    if about is not None and (about.kind in WORKS or is_entry(analysis, about)):
        values |= {Slot.TOPIC: _with_article(about), Slot.NAME: about.plain}
        if about.plain == about.said and (not about.noun or about.noun not in analysis.question.text):
            values[Slot.BARE] = about.plain
    living = _living(analysis)
    if living is not None:
        values[Slot.LIVING] = living
    read = asked(analysis)
    if read is None:
        return values
    fillings = {
        Slot.EVENT: read.event,
        Slot.WHEN_DID: read.inverted,
        Slot.DEED: read.deed,
        Slot.DID: read.did,
        Slot.DO: read.do,
        Slot.OTHER: other_person(analysis, read.do.split()[0]) if read.do else None,
        Slot.NEVER: read.never if is_one_time(analysis) else None,
    }
    return values | {slot: said for slot, said in fillings.items() if said}


def _with_article(about: Subject) -> str:
    """Return the question's subject with its article, cased for the middle of a sentence."""
    inside = about.said.startswith("The ") and about.kind not in WORKS
    topic = f"the{about.said[3:]}" if inside else about.said
    led = re.match(r"(?:the|a|an) |[\"“]", topic, re.IGNORECASE) is not None
    return topic if led or about.kind not in WORKS or topic == about.plain else f"the {topic}"


def _living(analysis: Analysis) -> str | None:
    """Return the living person that a signal passage is about; None if there is none.

    The passage must tell of the person's birth, and must not have a word such as 'died'.
    """
    for passage in analysis.signal:
        entry = introduced(passage.text)
        if entry is not None and entry[1] is Kind.PERSON and _BORN.search(passage.text):
            return None if _DEAD.search(passage.text) else entry[0]
    return None


def _rival(pull: Pull) -> str | None:
    """Return a year or figure other than the answer; None if no such value is certain."""
    analysis = pull.analysis
    if _SEVERAL.search(analysis.answer) or not is_one_time(analysis):
        return None
    rival = find_rival(analysis, pull.rng)
    other = rival.value(analysis.answer.strip()) if rival is not None else None
    return str(find_dates(other)[0].year) if other and rival is not None and rival.kind in DATED else other


@operator("granularity.exact", *SLOTS)
def exact(pull: Pull) -> Draft | Declined:
    """Ask for the exact day; declines unless the answer is a day."""
    dates = find_dates(pull.analysis.answer)
    fine = len(dates) == 1 and dates[0].precision is DatePrecision.DAY and pull.analysis.question.wh is WhWord.WHEN
    return ask(pull) if fine else Declined(DeclineReason.ANSWER_TYPE)


_LASTING: Final = ("built", "made", "constructed", "written", "filmed", "shot", "painted", "designed")
"""Verbs for what takes longer than a day or a week."""


@operator("granularity.finer", *SLOTS)
def finer(pull: Pull) -> Draft | Declined:
    """Ask for a finer answer than the passages give, such as the hour of a day or a part of a town.

    Declines if the answer is a year and the passages have a finer date in this year.
    """
    dates = find_dates(pull.analysis.answer)
    shown = [d for p in pull.analysis.passages for d in p.dates if any(d.year == one.year for one in dates)]
    known = any(d.precision is not DatePrecision.YEAR for d in shown)
    year = len(dates) == 1 and dates[0].precision is DatePrecision.YEAR
    fine = (DatePrecision.YEAR, DatePrecision.DAY)
    plain = all(d.precision in fine and d.text == pull.analysis.answer.strip() for d in dates)
    read = asked(pull.analysis)
    lasting = read is not None and read.verb.split()[-1:] in ([verb] for verb in _LASTING)
    if year and (known or lasting) or not plain or not is_one_time(pull.analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "no single day or year that the passages leave as it is")
    return ask(pull)


@operator("granularity.breadcrumb", Slot.NOUNS)
def breadcrumb(pull: Pull) -> Draft | Declined:
    """Put a heading over a passage. The heading names a whole kind: 'Rock bands' over a passage on one band."""
    passage = pull.analysis.main
    entry = introduced(passage.text)
    noun = noun_of(passage.text, entry[0]) if entry else ""
    frames = pull.frames()
    if not noun or noun.endswith("s") or "\n" in passage.text or not frames:
        return Declined(DeclineReason.NO_TOPIC)
    line = sentence_case(fill(pull.rng.choice(frames), nouns=plural(noun)))
    text = f"{line}\n\n{passage.text}"
    return Draft(pull.analysis.question.text, {passage.index: text}, reasoning="The line over the passage is wider.")


_FOLLOWED: Final = re.compile(
    r"\b(?:sequels?|prequels?|spin-off|second|third|II|2|trilogy|franchise|follow-?up|remake|remade|reboot|revival|"
    r"edition|version|cover(?:ed)?|live)\b",
)


@operator("false_premise.renamed", Slot.NAME)
def renamed(pull: Pull) -> Draft | Declined:
    """Replace the question's subject by a frame of the lever: 'the sequel to X'.

    A frame fits if none of its content words is in the question or in the passages about the subject. Declines if no
    frame fits, or if these passages speak of other versions.
    """
    about = subject(pull.analysis)
    if about is None or about.kind is None:
        return Declined(DeclineReason.NO_TOPIC)
    texts = "\n".join(p.text for p in pull.analysis.passages if about.name in p.text)
    said = content_words(texts) | content_words(pull.analysis.question.text)
    fitting = [f for f in pull.frames(about.kind) if not content_words(f.text) & said]
    if not fitting or _FOLLOWED.search(texts):
        return Declined(DeclineReason.NO_FRAME)
    other = fill(pull.rng.choice(fitting), name=about.plain)
    return _with_subject(pull, about, other, "Its name presupposes what is not so.")


def _with_subject(pull: Pull, about: Subject, said: str, why: str) -> Draft | Declined:
    """Return the question with another name for its subject."""
    text = pull.analysis.question.bare
    before = text[: about.span.start].lower().split()[-1:]
    led = bool(before) and (
        before[0] in PREPOSITIONS | AUXILIARIES | {"and", "or"} or bool(verb_tags(before[0]) & {"VBD", "VBZ"})
    )
    if not led:
        return Declined(DeclineReason.NO_TOPIC, "the name does not stand by itself")
    made = text[: about.span.start] + said + text[about.span.end :]
    return Draft(in_register(pull.analysis.question, made), reasoning=why)

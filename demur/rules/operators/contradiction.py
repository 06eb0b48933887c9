"""Contradictions: the core of the sentence that answers once more, in another place, with one thing told otherwise."""

import random
import re
from collections.abc import Callable
from typing import Final

from demur.levers.frames import Kind
from demur.levers.vocabulary import Layout
from demur.rules.asked import asked
from demur.rules.edits.grammar import sentence_case
from demur.rules.edits.shortening import core
from demur.rules.edits.text import replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.rivals import Rival, exchanged, find_rival, is_one_fact, is_one_time
from demur.rules.subject import WORKS, subject
from demur.text.analysis import Analysis, leans_back
from demur.text.answers import find_answers
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import COUNTED, DATED, kind_of_answer
from demur.text.lexicon import PREPOSITIONS, inflection, verb_lemma
from demur.text.quantities import find_numbers, written_like
from demur.text.questions import WhWord, content_words

_STATED_APART: Final = "Both values are stated apart from each other, and nothing says which of them holds."


_MOST_MENTIONS: Final = 3
"""Sentences of a passage that give the answer, at most, where one of them is told otherwise."""


def _room(pull: Pull) -> int | None:
    """Return the noise passage that shares most words with the question and gives no answer."""
    wanted = content_words(pull.analysis.question.text)
    usable = [p for p in pull.analysis.noise if not p.gives_answer]
    found = max(usable, key=lambda p: (len(wanted & content_words(p.text)), -p.index), default=None)
    return found.index if found is not None else None


Change = Callable[[str], str | None]


def _second_version(pull: Pull, change: Change, note: str) -> Draft | Declined:
    """Give the core of the sentence that answers once more, changed."""
    stated = pull.analysis.answer_sentence
    sentence = core(pull.analysis, stated.text) if stated is not None else None
    changed = change(sentence) if sentence is not None else None
    if changed is None or changed == sentence or not _tells_what_is_asked(pull.analysis, sentence or ""):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers cannot stand once more")
    return _set_apart(pull, changed, note)


def _set_apart(pull: Pull, added: str, note: str) -> Draft | Declined:
    """Put a statement where it stands apart from the sentence that answers.

    With one passage it is a paragraph at the other end; with several it stands with another sentence of the passage in
    the place of a noise passage.
    """
    analysis = pull.analysis
    stated = analysis.answer_sentence
    if stated is None or len(analysis.answering) > 1 or not analysis.main.gives_answer:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    why = "A second statement tells otherwise what the sentence that answers tells."
    if analysis.base.layout is Layout.SINGLE:
        if len(analysis.main.sentences) < 2 or _is_asked_besides(analysis):
            return Declined(DeclineReason.PASSAGE_TOO_SHORT)
        early = stated.index < len(analysis.main.sentences) / 2
        text = f"{analysis.main.text}\n\n{added}" if early else f"{added}\n\n{analysis.main.text}"
        return Draft(analysis.question.text, {analysis.main.index: text}, why, note)
    room = _room(pull)
    beside = [s.text for s in analysis.main.sentences if _stands_alone(analysis, s.text)]
    if room is None:
        return Declined(DeclineReason.NO_NOISE_PASSAGE)
    if not beside:
        return Draft(analysis.question.text, {room: added}, why, note)
    opening = beside[0] == analysis.main.sentences[0].text
    text = f"{beside[0]} {added}" if opening else f"{added} {beside[0]}"
    return Draft(analysis.question.text, {room: text}, why, note)


def _tells_what_is_asked(analysis: Analysis, text: str) -> bool:
    """Return whether a core has enough of the question's words: a third, or half where the answer is told again."""
    wanted = content_words(analysis.question.text)
    shared = len(wanted & content_words(text))
    if len(analysis.main.answer_sentences) > 1:
        return len(analysis.main.answer_sentences) <= _MOST_MENTIONS and shared >= max(1, 0.5 * len(wanted))
    linked = len(analysis.signal) > 1  # another passage leads from the question to the one that answers
    return linked or shared >= (max(1, 0.3 * len(wanted)) if analysis.base.layout is Layout.SINGLE else 1)


def _is_asked_besides(analysis: Analysis) -> bool:
    """Return whether another sentence than the one that answers shares nearly all words of the question."""
    asked = content_words(analysis.question.text)
    others = (s for s in analysis.main.sentences if s not in analysis.main.answer_sentences)
    return any(len(asked & content_words(s.text)) > max(1, 0.8 * len(asked)) for s in others)


def _stands_alone(analysis: Analysis, text: str) -> bool:
    whole = re.match(r"[A-Z\"“]", text) is not None and text.rstrip().endswith((".", '."', ".”"))
    return (
        whole and len(text.split()) >= 6 and not analysis.is_answer(text) and not leans_back(text.removeprefix("The "))
    )


@operator("contradiction.shorter_version")
def shorter_version(pull: Pull) -> Draft | Declined:
    """State another value of what is asked, in the question's words where these make a sentence, else in brief."""
    analysis = pull.analysis
    rival = find_rival(analysis, pull.rng)
    if rival is None:
        return Declined(DeclineReason.NO_RIVAL)
    if rival.kind not in DATED | COUNTED | {Kind.PERSON} or _is_stated_besides(analysis) or not is_one_time(analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "the rest of the passage tells which value holds")
    restated = _restated(analysis, rival)
    if restated is not None:
        return _set_apart(pull, restated, _STATED_APART)

    def change(text: str) -> str | None:
        opens = any(m.span.start < 3 for m in find_answers(text, analysis.base.answers))
        entry = opens and rival.kind not in DATED | COUNTED and analysis.question.wh is not WhWord.WHO
        made = None if entry else exchanged(analysis, text, rival)
        broken = made is None or _OF_A_SERIES.search(made) or _WITHOUT_VERB.match(made)
        return None if broken else made

    return _second_version(pull, change, _STATED_APART)


_WITHOUT_VERB: Final = re.compile(r"[^,]*, (?:[a-z]+ly )?[a-z]+ed\b(?!.*\b(?:is|was|are|were|has|had)\b)")
"""A name with a participle behind it that has lost its sentence: 'The Turn of the Screw, published in 1898'."""
_OF_A_SERIES: Final = re.compile(
    r"\b\d{4} (?:[A-Z][\w']+ )*(?:Cup|Olympics?|Games|Championships?|Awards?|season|elections?|Series|Bowl|Finals?)\b"
)
"""What comes round in years of its own, so that another year is plainly wrong."""


def _is_stated_besides(analysis: Analysis) -> bool:
    """Return whether a year near the answer's stands elsewhere in the passages, from which the true one can be told."""
    asked_for = {d.year for a in analysis.base.answers for d in find_dates(a) if d.year}
    for passage in analysis.signal:
        spans = [s.span for s in passage.answer_sentences]
        beside = {d.year for d in passage.dates if d.year and not any(span.covers(d.span) for span in spans)}
        if any(abs(year - other) <= _NEAR for year in asked_for for other in beside):
            return True
    return False


_NEAR: Final = 2


def _restated(analysis: Analysis, rival: Rival) -> str | None:
    """Return a statement of what is asked in the question's words, with the rival: 'Push It came out in 1983.'."""
    read = asked(analysis)
    name = _written(analysis, read.about) if read is not None else None
    if read is None or name is None or " or " in analysis.question.text:
        return None
    tail = _written(analysis, read.rest) if read.rest else ""
    if read.form in ("passive", "active") and rival.kind in DATED and tail is not None:
        value = rival.value(analysis.answer.strip())
        dates = find_dates(value) if value is not None else ()
        if value is None or len(dates) != 1 or dates[0].text != value or dates[0].precision is DatePrecision.MONTH_DAY:
            return None
        when = f"{'on' if dates[0].precision is DatePrecision.DAY else 'in'} {value}"
        clause = f"{name} {read.be} {read.verb}" if read.form == "passive" else f"{name} {read.verb}"
        return f"{sentence_case(clause)}{f' {tail}' if tail else ''} {when}."
    participle = inflection(verb_lemma(read.verb) or "", "VBN") if read.form == "agent" else None
    if participle is not None and rival.kind is Kind.PERSON and read.verb in _MADE:
        return f"{sentence_case(name)} was {participle} by {rival.name}."
    return None


_MADE: Final = frozenset(
    "wrote directed produced sang sings recorded composed painted designed built created invented founded discovered "
    "killed shot assassinated".split()
)
"""Verbs of which the passive tells the same."""


def _written(analysis: Analysis, text: str) -> str | None:
    """Return words of a question with the capitals that the passages give them; None where these do not tell."""
    about = subject(analysis)
    said = about.said if about is not None else ""
    left, found, right = text.partition(said) if said and said in text else (text, "", "")
    name = ""
    if found and about is not None:
        inside = next(p.text for p in analysis.passages if p.index == about.passage)
        quoted = re.search(rf'"{re.escape(about.name)}"', inside) is not None
        led = re.search(rf"\b[Tt]he {re.escape(about.name)}", inside) is not None and about.kind not in WORKS
        name = f'"{about.name}"' if quoted else f"the {about.name}" if led else about.name
    plain = [word for part in (left, right) for word in part.split()]
    tokens = {t.text for p in analysis.signal for t in p.tokens}
    if any(word.title() in tokens and word.lower() not in tokens or not word.isalpha() for word in plain):
        return None
    known = all(word.lower() in tokens or word in PREPOSITIONS | {"the", "a", "an"} for word in plain)
    return f"{left}{name}{right}".strip() if known and (name or re.match("the ", left)) else None


@operator("contradiction.misread_version")
def misread_version(pull: Pull) -> Draft | Declined:
    """Give a shorter version of the passage in which the answer's figures or letters were misread."""
    analysis = pull.analysis

    def change(text: str) -> str | None:
        mentions = find_answers(text, analysis.base.answers)
        spoilt = _misread(mentions[0].text, pull.rng) if len(mentions) == 1 else None
        made = replace_span(text, mentions[0].span, spoilt) if spoilt is not None else text
        return made if not analysis.is_answer(made) else None

    return _second_version(pull, change, "The clean statement stays, and the other one is plainly misread.")


_LOOK_ALIKE: Final = {"0": "O", "1": "l", "5": "S", "8": "B", "l": "1", "o": "0", "i": "1"}


def _misread(text: str, rng: random.Random) -> str | None:
    """Return a text with a character exchanged for one that looks alike: a figure where it has any."""
    figures = any(c.isdigit() for c in text)
    at = [i for i, c in enumerate(text) if c in _LOOK_ALIKE and c.isdigit() is figures]
    if not at or len(text) < 3:
        return None
    i = rng.choice(at)
    return f"{text[:i]}{_LOOK_ALIKE[text[i]]}{text[i + 1 :]}"


@operator("contradiction.loose_version")
def loose_version(pull: Pull) -> Draft | Declined:
    """Give a shorter version of the passage that rounds what is asked for: 'the early 1970s', 'about 300 rooms'."""
    kind = kind_of_answer(pull.analysis)
    note = "The round value is marked as such and agrees with the exact one."
    return _second_version(pull, lambda text: _loosened(pull, text, kind), note)


def _loosened(pull: Pull, text: str, kind: Kind | None) -> str | None:
    """Return a text with its one mention of the answer told loosely, without the preposition that this replaces."""
    mentions = find_answers(text, pull.analysis.base.answers)
    value = _loose(mentions[0].text, kind) if len(mentions) == 1 else None
    if value is None:
        return None
    before = text[: mentions[0].span.start]
    if kind in DATED and not re.search(r"\b(?:in|on|since|from|by|until|during) $", before, re.IGNORECASE):
        return None
    made = f"{re.sub(r'on $', 'in ', before)}{value}{text[mentions[0].span.end :]}"
    return sentence_case(re.sub(r"^On (?=the )", "In ", made))


def _loose(answer: str, kind: Kind | None) -> str | None:
    """Return 'the early 1970s' for a date of 1973, 'about 300' for 294; None for what cannot be told more loosely."""
    if kind in DATED:
        year = next((d.year for d in find_dates(answer) if d.year), None)
        part = "early" if year and year % 10 < 4 else "middle of the" if year and year % 10 < 7 else "late"
        exact = not re.search(r"\d0s|century|decade", answer)
        return f"the {part} {year - year % 10}s" if exact and year and year > 1800 and year % 100 > 9 else None
    numbers = find_numbers(answer) if kind in COUNTED else ()
    if len(numbers) != 1 or numbers[0].value < 30:
        return None
    value = numbers[0].value
    near_value = round(value, 1 - len(str(int(value)))) if value < 100 else round(value, 2 - len(str(int(value))))
    span = numbers[0].span
    near = f"{answer[: span.start]}{written_like(float(near_value), numbers[0])}{answer[span.end :]}"
    return f"about {near}" if near_value != value and "about" not in answer else None


_ENDS: Final = {
    "opened": "closed", "founded": "dissolved", "established": "dissolved", "formed": "dissolved", "built": "torn down",
    "completed": "torn down", "constructed": "torn down", "released": "reissued", "published": "reprinted",
    "introduced": "withdrawn", "adopted": "repealed", "passed": "repealed", "enacted": "repealed",
    "launched": "scrapped", "created": "abolished", "came out": "reissued", "aired": "rerun", "premiered": "revived",
    "approved": "revoked",
}  # fmt: skip
"""What can only come after a thing began, by the verb with which it began."""


@operator("contradiction.ended_before")
def ended_before(pull: Pull) -> Draft | Declined:
    """State that the thing whose beginning is asked for had come to its end before that."""
    analysis = pull.analysis
    years = [d.year for d in find_dates(analysis.answer) if d.year]
    read = asked(analysis)
    if len(years) != 1 or kind_of_answer(analysis) not in DATED or not is_one_fact(analysis):
        return Declined(DeclineReason.ANSWER_TYPE)
    ended = _ENDS.get(read.verb) if read is not None else None
    if ended is None and read is not None and read.form == "active":
        ended = _ENDS.get(f"{read.verb} {read.rest.split()[0]}" if read.rest else "")
    name = _written(analysis, read.about) if read is not None else None
    earlier = [year for year in analysis.years if year < years[0]]
    early = [year for year in range(max([years[0] - 9, *(y + 1 for y in earlier)]), years[0] - 1)]
    several = name is None or name.strip('"').endswith("s") or re.search(r"\b(?:first|last)\b", analysis.question.text)
    if ended is None or name is None or several or not early or not is_one_time(analysis):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing can only come after what is asked for")
    text = f"{sentence_case(name)} was {ended} in {pull.rng.choice(early)}."
    return _set_apart(pull, text, "What can only come later is dated earlier.")

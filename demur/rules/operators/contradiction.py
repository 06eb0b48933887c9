"""Contradictions: the core of the sentence that answers once more, in another place, with one thing told otherwise."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from demur.levers.frames import Kind
from demur.levers.vocabulary import Layout
from demur.rules.edits.grammar import sentence_case
from demur.rules.edits.shortening import core
from demur.rules.edits.text import replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.rivals import Rival, exchanged, find_rival, is_one_fact
from demur.text.analysis import Analysis, leans_back
from demur.text.answers import find_answers
from demur.text.dates import find_dates, moved
from demur.text.kinds import COUNTED, DATED, kind_of_answer
from demur.text.quantities import find_numbers, written_like
from demur.text.questions import WhWord, content_words

_TOLD_APART: Final = "Both values are stated apart from each other, and nothing says which of them holds."


_TOLD_AGAIN: Final = 3
"""Sentences of a passage that give the answer, at most, where one of them is told otherwise."""


def _room(pull: Pull) -> int | None:
    """Return the noise passage that shares most words with the question and gives no answer."""
    wanted = content_words(pull.analysis.question.text)
    usable = [p for p in pull.analysis.noise if not p.gives_answer]
    found = max(usable, key=lambda p: (len(wanted & content_words(p.text)), -p.index), default=None)
    return found.index if found is not None else None


Change = Callable[[str], str | None]


def _second_version(pull: Pull, change: Change, note: str) -> Draft | Declined:
    """Give the core of the sentence that answers once more, changed.

    With one passage it stands over it, as a caption or heading does; with several it stands with another sentence of
    the passage in the place of a noise passage.
    """
    analysis = pull.analysis
    stated = analysis.answer_sentence
    if stated is None or len(analysis.answering) > 1 or not analysis.main.gives_answer:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    told = core(analysis, stated.text)
    changed = change(told) if told is not None else None
    if changed is None or changed == told or not _tells_what_is_asked(analysis, told or ""):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers cannot stand once more")
    why = "A shorter version of the sentence that answers tells it otherwise."
    if analysis.base.layout is Layout.SINGLE:
        if len(analysis.main.sentences) < 2 or _is_asked_besides(analysis):
            return Declined(DeclineReason.PASSAGE_TOO_SHORT)
        early = stated.index < len(analysis.main.sentences) / 2
        text = f"{analysis.main.text}\n\n{changed}" if early else f"{changed}\n\n{analysis.main.text}"
        return Draft(analysis.question.text, {analysis.main.index: text}, why, note)
    room = _room(pull)
    beside = [s.text for s in analysis.main.sentences if _stands_alone(analysis, s.text)]
    if room is None:
        return Declined(DeclineReason.NO_NOISE_PASSAGE)
    if not beside:
        return Draft(analysis.question.text, {room: changed}, why, note)
    opening = beside[0] == analysis.main.sentences[0].text
    text = f"{beside[0]} {changed}" if opening else f"{changed} {beside[0]}"
    return Draft(analysis.question.text, {room: text}, why, note)


def _tells_what_is_asked(analysis: Analysis, text: str) -> bool:
    """Return whether a core has enough of the question's words: a third, or half where the answer is told again."""
    wanted = content_words(analysis.question.text)
    told = len(wanted & content_words(text))
    if len(analysis.main.answer_sentences) > 1:
        return len(analysis.main.answer_sentences) <= _TOLD_AGAIN and told >= max(1, 0.5 * len(wanted))
    linked = len(analysis.signal) > 1  # another passage leads from the question to the one that answers
    return linked or told >= (max(1, 0.3 * len(wanted)) if analysis.base.layout is Layout.SINGLE else 1)


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


def _rival_of(pull: Pull) -> Rival | None:
    return find_rival(pull.analysis, pull.corpus, pull.rng)


@operator("contradiction.shorter_version")
def shorter_version(pull: Pull) -> Draft | Declined:
    """Give a shorter version of the passage that answers, with another value."""
    rival = _rival_of(pull)
    if rival is None:
        return Declined(DeclineReason.NO_RIVAL)

    def change(text: str) -> str | None:
        opens = any(m.span.start < 3 for m in find_answers(text, pull.analysis.base.answers))
        entry = opens and rival.kind not in DATED | COUNTED and not _asks_who(pull.analysis)
        return None if entry else exchanged(pull.analysis, text, rival)

    return _second_version(pull, change, _TOLD_APART)


_EXCLUSIVE: Final = re.compile(
    r"\b(?:first|only|sole|last|final|once|winn?er|won|wins?|champion|capital|born|died|death|killed|buried|founded|"
    r"founder|established|invented|discovered|debut|premiered?|directed|director|author|written|wrote|composed|"
    r"plays|played|role|voiced|voice|mother|father|brother|sister|wife|husband|president|[a-z]{3,}est)\b",
    re.IGNORECASE,
)
"""Words of facts for which one value alone can hold: the first of its kind, a birth, a part in a play."""


@operator("contradiction.exclusive_version")
def exclusive_version(pull: Pull) -> Draft | Declined:
    """Give a shorter version with another value of a fact for which one value alone can hold."""
    stated = pull.analysis.answer_sentence
    if stated is None or not _EXCLUSIVE.search(stated.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "more than one value can hold")
    return shorter_version(pull)


@operator("contradiction.sole_version")
def sole_version(pull: Pull) -> Draft | Declined:
    """Give a shorter version of the passage in which somebody else alone did it, as the passage says of its own."""
    rival = _rival_of(pull)
    analysis = pull.analysis
    answer = analysis.answer.strip()
    if rival is None or rival.kind is not Kind.PERSON or "," in answer:
        return Declined(DeclineReason.ANSWER_TYPE)

    def change(text: str) -> str | None:
        made = exchanged(analysis, text, rival)
        at = re.search(rf"\bby {re.escape(rival.name)}(?=[.,]| (?:in|on|at|for|from|as|and) )", made or "")
        return f"{made[: at.end()]} alone{made[at.end() :]}" if made is not None and at is not None else None

    drawn = _second_version(pull, change, "Each of the two is told to have done it without the other.")
    if isinstance(drawn, Declined) or analysis.base.layout is not Layout.SINGLE:
        return drawn
    ((index, text),) = drawn.changed.items()
    own = re.sub(rf"\bby {re.escape(answer)}(?=[.,]| [a-z])", f"by {answer} alone", text, count=1)
    return replace(drawn, changed={index: own})


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


@operator("contradiction.another_magnitude")
def another_magnitude(pull: Pull) -> Draft | Declined:
    """Tell the figure that is asked for once more, a hundred times as large or as small."""
    numbers = find_numbers(pull.analysis.answer)
    kind = kind_of_answer(pull.analysis)
    rival = _rival_of(pull)
    fits = kind in (Kind.NUMBER, Kind.MEASURE, Kind.MONEY) and len(numbers) == 1 and numbers[0].value >= 20
    if kind is None or not fits or rival is None or "." in pull.analysis.answer:
        return Declined(DeclineReason.ANSWER_TYPE)
    scaled_down = numbers[0].value >= 10_000 and re.fullmatch(r"[\d,]+", pull.analysis.answer.strip()) is not None
    factor = 0.01 if scaled_down else 100
    scaled = Rival(kind, factor=factor)
    note = "The two figures are whole orders of magnitude apart."
    return _second_version(pull, lambda text: exchanged(pull.analysis, text, scaled), note)


def _asks_who(analysis: Analysis) -> bool:
    return analysis.question.wh is WhWord.WHO


@operator("contradiction.dead_before")
def dead_before(pull: Pull) -> Draft | Declined:
    """Give the person who answers years of life that end before what is told of that person happened."""
    analysis = pull.analysis
    answer = analysis.answer.strip()
    stated = analysis.answer_sentence
    person = kind_of_answer(analysis) is Kind.PERSON and (len(analysis.passages) > 1 or _asks_who(analysis))
    if " " not in answer or not person or stated is None:
        return Declined(DeclineReason.ANSWER_TYPE)
    near = [s for s in analysis.main.sentences if abs(s.index - stated.index) <= 1]
    years = [d.year for d in analysis.main.dates if d.year and any(s.span.covers(d.span) for s in near)]
    if not years or min(years) < 1500 or re.search(r"\bborn\b|\bdied\b|\d{4}[–-]\d", analysis.main.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing dates what is told")
    died = min(years) - pull.rng.randint(3, 9)
    life = f"({died - pull.rng.randint(52, 81)}–{died})"
    note = "Whoever is told to have done it was dead by then."

    def change(text: str) -> str | None:
        at = re.search(rf"{re.escape(answer)}(?! ?\(|['’]s|\w|-| [A-Z])", text)
        bracketed = at is None or text[: at.start()].count("(") > text[: at.start()].count(")")
        return f"{text[: at.end()]} {life}{text[at.end() :]}" if at is not None and not bracketed else None

    return _second_version(pull, change, note)


@operator("contradiction.side_detail")
def side_detail(pull: Pull) -> Draft | Declined:
    """Give the sentence that answers once more in brief, with another date or figure beside the answer."""
    analysis = pull.analysis

    def change(text: str) -> str | None:
        dates = [d for d in find_dates(text) if d.year and not analysis.is_answer(d.text)]
        if len(dates) != 1 or not analysis.is_answer(text) or re.search(r"\d", analysis.answer):
            return None
        years = [by for by in (-3, -2, 2, 3) if (dates[0].year or 0) + by not in analysis.years]
        if not years or content_words(dates[0].text) & content_words(analysis.question.text):
            return None
        return replace_span(text, dates[0].span, moved(dates[0], years=pull.rng.choice(years)))

    return _second_version(pull, change, "The asked fact is the same in both; only what stands beside it differs.")


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
    told = f"{answer[: span.start]}{written_like(float(near_value), numbers[0])}{answer[span.end :]}"
    return f"about {told}" if near_value != value and "about" not in answer else None


_ENDS: Final = {
    "opened": "closed", "founded": "dissolved", "established": "dissolved", "formed": "dissolved", "built": "torn down",
    "completed": "torn down", "constructed": "torn down", "born": "buried", "released": "reissued",
    "published": "reprinted", "introduced": "withdrawn", "adopted": "repealed", "passed": "repealed",
    "enacted": "repealed", "signed": "broken", "launched": "scrapped", "created": "abolished", "made": "remade",
    "came out": "reissued", "aired": "rerun", "premiered": "revived", "discovered": "named", "invented": "patented",
    "approved": "revoked", "started": "finished", "began": "ended",
}  # fmt: skip
"""What can only come after a thing began, by the verb with which it began."""


@operator("contradiction.ended_before")
def ended_before(pull: Pull) -> Draft | Declined:
    """Tell by the way that what is asked for the date of had come to its end years before that date."""
    years = [d.year for d in find_dates(pull.analysis.answer) if d.year]
    if len(years) != 1 or kind_of_answer(pull.analysis) not in DATED or not is_one_fact(pull.analysis):
        return Declined(DeclineReason.ANSWER_TYPE)
    note = "What can only come later is dated earlier."
    early = [y for y in range(years[0] - 9, years[0] - 3) if y not in pull.analysis.years]

    def change(text: str) -> str | None:
        told_before = text[: text.rfind(str(years[0]))]
        began = re.search(rf"\b({'|'.join(_ENDS)})\b(?=[^,;.]{{0,50}}$)(?!.* and )(?!.*\d{{4}})", told_before)
        mentions = find_answers(text, pull.analysis.base.answers)
        if began is None or len(mentions) != 1 or not early or str(years[0]) not in text:
            return None
        told = f"{text[: began.start()]}{_ENDS[began[1]]}{text[began.end() : mentions[0].span.start]}"
        told = re.sub(
            r"\b(?:officially|first|originally|formally) |\bon $", lambda m: "in " if "on" in m[0][:3] else "", told
        )
        return f"{told}{pull.rng.choice(early)}{text[mentions[0].span.end :]}"

    return _second_version(pull, change, note)

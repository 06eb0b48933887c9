"""Contradictions: the answering statement is repeated in another place with another value."""

import re
from collections.abc import Callable
from typing import Final

from demur.levers.vocabulary import Layout
from demur.rules.edits import replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.rivals import exchanged, find_rival, is_one_time
from demur.text.analysis import Analysis, content_words, leans_back
from demur.text.answers import find_answers
from demur.text.dates_and_numbers import find_dates
from demur.text.kinds import DATED

Change = Callable[[str], str | None]
_STATED_APART: Final = "Both values are stated apart from each other, and nothing says which of them holds."
_VERSIONS: Final = re.compile(
    r"\b(?:re-?releas|re-?issu|re-?publi|re-?mad|remake|re-?open|re-?built|sequel|revival)\w*|\bsecond edition\b",
    re.IGNORECASE,
)
"""Words about things to which another date may belong."""
_NEAR: Final = 2
"""Distance in years up to which another date of the passages may tell which of two dates is true."""


@operator("contradiction.other_version")
def other_version(pull: Pull) -> Draft | Declined:
    """State another date or figure in a second version of the passage, which stands in the place of a noise passage.

    Declines to change a date if the passages speak of other versions, or if a sentence without the answer has a year
    close to the answer's year.
    """
    analysis = pull.analysis
    rival = find_rival(analysis, pull.rng)
    if rival is None:
        return Declined(DeclineReason.NO_RIVAL)
    texts = " ".join(p.text for p in analysis.signal)
    dated = rival.kind in DATED and (_VERSIONS.search(texts) or _is_dated_besides(analysis))
    if dated or not is_one_time(analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "the passages may tell which value holds")
    return _twin(pull, lambda text: exchanged(analysis, text, rival), _STATED_APART)


def _is_dated_besides(analysis: Analysis) -> bool:
    """Return whether a sentence without the answer has a year close to the answer's year."""
    asked_for = {d.year for a in analysis.base.answers for d in find_dates(a) if d.year}
    for passage in analysis.signal:
        spans = [s.span for s in passage.answer_sentences]
        beside = {d.year for d in passage.dates if d.year and not any(span.covers(d.span) for span in spans)}
        if any(abs(year - other) <= _NEAR for year in asked_for for other in beside):
            return True
    return False


@operator("contradiction.misread")
def misread(pull: Pull) -> Draft | Declined:
    """Repeat the answering sentence with digits and letters misread, as in a scan."""

    def change(text: str) -> str | None:
        mentions = find_answers(text, pull.analysis.base.answers)
        spoilt = _misread(mentions[0].text) if len(mentions) == 1 else None
        if spoilt is None:
            return None
        made = replace_span(text, mentions[0].span, spoilt)
        rest = made.find("m", mentions[0].span.start + len(spoilt))
        made = f"{made[:rest]}rn{made[rest + 1 :]}" if rest > 0 else made
        return made if not pull.analysis.is_answer(made) else None

    note = "The clean statement stays, and the other one is plainly misread."
    stated = pull.analysis.answer_sentence
    if pull.analysis.base.layout is Layout.MULTI:
        return _twin(pull, change, note)
    changed = change(stated.text) if stated is not None and _stands_alone(stated.text) else None
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers cannot stand once more")
    return _set_apart(pull, changed, note)


_LOOK_ALIKE: Final = {"0": "O", "1": "l", "5": "S", "8": "B", "l": "1", "o": "0", "i": "1"}


def _misread(text: str) -> str | None:
    """Return a text with one character exchanged for a similar one; None if no character can be exchanged.

    The character is a digit if the text has digits, otherwise a letter.
    """
    figures = any(c.isdigit() for c in text)
    at = [i for i, c in enumerate(text) if c in _LOOK_ALIKE and c.isdigit() is figures]
    return f"{text[: at[-1]]}{_LOOK_ALIKE[text[at[-1]]]}{text[at[-1] + 1 :]}" if at and len(text) > 2 else None


_SHORTEST: Final = 5
_LONGEST: Final = 40
"""Largest number of words of a repeated sentence."""


def _stands_alone(text: str) -> bool:
    whole = re.match(r"[A-Z\"“]", text) is not None and text.rstrip().endswith((".", '."', ".”"))
    return whole and _SHORTEST <= len(text.split()) <= _LONGEST and not leans_back(text.removeprefix("The "))


def _set_apart(pull: Pull, added: str, note: str) -> Draft | Declined:
    """Add a sentence as the last paragraph of a passage.

    Declines unless another sentence stands between the answer and the added sentence.
    """
    analysis = pull.analysis
    stated = analysis.main.answer_sentences
    if not stated or len(stated) > 2 or stated[-1].index > len(analysis.main.sentences) - 2:
        return Declined(DeclineReason.PASSAGE_TOO_SHORT, "a second statement would not stand apart from the answer")
    why = "A second statement tells otherwise what the sentence that answers tells."
    return Draft(analysis.question.text, {analysis.main.index: f"{analysis.main.text}\n\n{added}"}, why, note)


def _twin(pull: Pull, change: Change, note: str) -> Draft | Declined:
    """Replace a noise passage by a changed copy of the answering passage.

    The copy ends with the sentence that follows the answering sentence.
    """
    analysis = pull.analysis
    stated = analysis.answer_sentence
    wanted = content_words(analysis.question.text)
    usable = [p for p in analysis.noise if not p.gives_answer]
    room = max(usable, key=lambda p: (len(wanted & content_words(p.text)), -p.index), default=None)
    if stated is None or len(analysis.answering) > 1 or not analysis.main.gives_answer:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES, "the answer stands in no passage, or in several")
    if room is None:
        return Declined(DeclineReason.NO_NOISE_PASSAGE)
    last = analysis.main.sentences[min(stated.index + 1, len(analysis.main.sentences) - 1)]
    made = change(analysis.main.text[: last.span.end])
    if made is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the answer is told in a form that cannot be changed")
    why = "A second version of the passage tells otherwise what is asked for."
    return Draft(analysis.question.text, {room.index: made}, why, note)

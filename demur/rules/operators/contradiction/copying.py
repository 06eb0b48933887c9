"""What is copied as a second source, and where the copy goes.

With one passage the answering sentence is copied, and the frame stands at the passage's end. With several a signal
passage is copied whole, as retrieval brings up a second version of an entry, in the place of a noise passage.
"""

import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.levers.vocabulary import Layout
from demur.rules.corpus import last_year
from demur.rules.edits.text import insert_sentence
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill
from demur.rules.operators.stated import is_asked_of_another_part
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import find_answers
from demur.text.kinds import entry_name
from demur.text.questions import content_words
from demur.text.spans import Sentence

SLOTS: Final = (
    Slot.COPY, Slot.SENTENCE, Slot.ANSWER, Slot.RIVAL, Slot.NAME, Slot.EARLIER, Slot.LATER, Slot.OTHER,
)  # fmt: skip
_LONGEST: Final = 40
"""Words of a sentence that is copied."""
_AROUND: Final = 12
"""Words on either side of the answer that are quoted of a longer sentence."""
LONGEST_PASSAGE: Final = 180
EDITIONS: Final = (1994, 1998, 2001, 2003, 2006, 2009)


@dataclass(frozen=True, slots=True)
class Original:
    """What is copied, and the passage that changes: the same one, or the noise passage that gives way."""

    text: str
    source: PassageAnalysis
    place: PassageAnalysis


def original_of(pull: Pull) -> Original | None:
    """Return what answers, where it can be copied; None where no copy would read well."""
    analysis = pull.analysis
    if analysis.base.layout is Layout.SINGLE:
        found = analysis.answer_sentence
        text = _excerpt(analysis, found.text) if found is not None else None
        sound = text is not None and bears(analysis, text) and not _is_stated_again(analysis, found)
        return Original(text, analysis.main, analysis.main) if text is not None and sound else None
    sources = [p for p in analysis.signal if p.gives_answer and _is_copyable(analysis, p)]
    if not sources or len(analysis.answering) > 1:  # another passage would decide between the two versions
        return None
    asked = content_words(analysis.question.text)
    source = max(sources, key=lambda p: (len(asked & content_words(p.text)), -p.index))
    usable = places(analysis, source)
    return Original(source.text, source, pull.rng.choice(usable)) if usable else None


def _is_stated_again(analysis: Analysis, found: Sentence | None) -> bool:
    """Return whether what is asked is said elsewhere too, or of something else, so that a copy decides nothing."""
    asked = content_words(analysis.question.text)
    at = next((m.span.start for m in analysis.main.answers if found is not None and found.span.covers(m.span)), None)
    if found is not None and at is not None and is_asked_of_another_part(analysis, found, at):
        return True
    return any(s != found and len(asked & content_words(s.text)) > 1 for s in analysis.main.answer_sentences)


def _excerpt(analysis: Analysis, text: str) -> str | None:
    """Return a sentence, or of a long one the words around the answer, as somebody quotes it."""
    if is_whole(text):
        return text
    mentions = find_answers(text, analysis.base.answers)
    if len(text.split()) <= _LONGEST or not mentions or "\n" in text:
        return None
    words = list(re.finditer(r"\S+", text))
    first = next(i for i, w in enumerate(words) if w.end() > mentions[0].span.start)
    last = next(i for i, w in enumerate(words) if w.end() >= mentions[-1].span.end)
    start = max(0, first - _AROUND)
    end = min(len(words) - 1, last + _AROUND)
    part = text[words[start].start() : words[end].end()]
    balanced = part.count("(") == part.count(")") and part.count('"') % 2 == 0
    if last - first > _AROUND or not balanced or part.count('"'):
        return None
    return f"{'… ' if start else ''}{part.rstrip(',;:')}{' …' if end < len(words) - 1 else ''}"


def places(analysis: Analysis, source: PassageAnalysis) -> list[PassageAnalysis]:
    """Return the noise passages in whose place a copy of `source` can stand: without the answer, and of like length."""
    size = len(source.text.split())
    return [p for p in analysis.noise if not p.gives_answer and size <= max(2.4 * len(p.text.split()), 60)]


def is_whole(text: str) -> bool:
    """Return whether a sentence is one, with a beginning and an end, and not too long to be quoted."""
    return (
        re.match(r"[A-Z0-9\"“']", text) is not None
        and re.search(r"[.!?][\"”')]*$", text) is not None
        and 5 <= len(text.split()) <= _LONGEST
        and "\n" not in text
        and text.count('"') % 2 == 0
        and text.count("(") == text.count(")")
    )


def bears(analysis: Analysis, text: str) -> bool:
    """Return whether a sentence says what is asked: by words of the question, or by its pronoun.

    No word is needed where the answer stands once only and does not open the sentence: then it is told of something
    else, and there is no other sentence that could be meant.
    """
    asked = content_words(analysis.question.text)
    shared = len(asked & content_words(text))
    pronoun = re.match(r"(?:It|He|She|They) ", text) is not None
    pronoun = pronoun and (shared > 0 or len(analysis.main.answer_sentences) == 1)
    mentions = find_answers(text, analysis.base.answers)
    alone = sum(len(p.answers) for p in analysis.signal) == 1 and bool(mentions) and mentions[0].span.start > 2
    return pronoun or alone or shared >= min(2, len(asked))


def _is_copyable(analysis: Analysis, passage: PassageAnalysis) -> bool:
    """Return whether a signal passage tells the answer of something else: it is not the entry on the answer itself."""
    entry = entry_name(passage.text)
    own = entry is not None and analysis.is_answer(entry)
    said = any(analysis.is_answer(s.text) and bears(analysis, s.text) for s in passage.answer_sentences)
    opens = any(m.span.start < 3 for m in passage.answers)
    ended = re.search(r"[.!?][\"”)]*$", passage.text) is not None
    return (
        ended
        and not own
        and not opens
        and said
        and len(passage.text.split()) <= LONGEST_PASSAGE
        and "\n" not in passage.text
    )


def _quoted(text: str) -> str:
    """Return a text as it stands between quotation marks: its own become single ones."""
    return re.sub(r"[\"“”]", "'", text)


def _placed(pull: Pull, original: Original, made: str, why: str, note: str) -> Draft:
    """Return the draft: the frame at the end of the only passage, or in the place of the noise passage."""
    single = pull.analysis.base.layout is Layout.SINGLE
    text = insert_sentence(original.place.text, made) if single else made
    return Draft(pull.analysis.question.text, {original.place.index: text}, why, note)


def copied(
    pull: Pull,
    original: Original,
    copy: str,
    why: str,
    note: str,
    rival: str = "",
    kind: Kind | None = None,
    answer: str = "",
) -> Draft | Declined:
    """Fill a frame of the lever with a copy and place it."""
    single = pull.analysis.base.layout is Layout.SINGLE
    entry = entry_name(original.source.text)
    dated = () if (last_year(original.source.text) or 0) < min(EDITIONS) else (Slot.EARLIER, Slot.LATER)
    frame = pull.frame(kind, Slot.OTHER, *(() if entry else (Slot.NAME,)), *dated)
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    earlier, later = sorted(pull.rng.sample(EDITIONS, 2))
    made = fill(
        frame,
        copy=_quoted(copy) if single else copy,
        sentence=_quoted(original.text) if single else original.text,
        answer=_quoted(answer or said_in(pull.analysis, original)),
        rival=_quoted(rival),
        name=_mid(entry) if entry else "",
        earlier=str(earlier),
        later=str(later),
    )
    return _placed(pull, original, made, why, note)


def _mid(name: str) -> str:
    """Return a name as it stands in a sentence: 'the Philadelphia Eagles'."""
    return f"the{name[3:]}" if name.startswith("The ") else name


def said_in(analysis: Analysis, original: Original) -> str:
    """Return the answer as what is copied writes it first in full."""
    said = [m for m in original.source.answers if m.text in original.text]
    return max((m.text for m in said), key=len, default=analysis.answer)

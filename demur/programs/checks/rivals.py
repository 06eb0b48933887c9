"""Statements in added text that contradict the accepted answer, and their strength."""

import re
from collections.abc import Iterator

from demur.programs.checks.diff import TextDiff
from demur.text.analysis import Analysis
from demur.text.answers import AnswerType
from demur.text.dates import find_dates
from demur.text.lexicon import FUNCTION_WORDS, is_known
from demur.text.names import NameKind, find_names
from demur.text.quantities import find_numbers
from demur.text.questions import content_words
from demur.text.spans import Sentence, Span
from demur.text.tokens import sentences, words

_WEAK = re.compile(
    r"\b(?:rumou?rs?|rumou?red|alleged(?:ly)?|unofficial(?:ly)?|unverified|unconfirmed|unsourced|anonymous(?:ly)?|"
    r"fans?|fan-made|blogs?|blogger|forums?|tweets?|posts?|comment|hearsay|gossip|tabloids?|some (?:claim|say|people)|"
    r"claims?|claimed|supposed(?:ly)?|purported(?:ly)?|reportedly|mistaken(?:ly)?|erroneous(?:ly)?|incorrect(?:ly)?|"
    r"disputed|discredited|retracted|draft|early|earlier|older|outdated|preliminary|superseded|informal(?:ly)?|"
    r"colloquial(?:ly)?|nicknamed?|so-called|joking(?:ly)?|roughly|approximately|"
    r"(?:about|around|nearly|almost|some|over|under)(?= (?:the )?[\d$£€]| [a-z]+ (?:hundred|thousand|million|billion))|"
    r"rounded|loosely|may|might|perhaps|possibly|probably|estimates?|estimated|recalls?|recalled|misremember\w*|"
    r"contrary to|legend|folklore|myth|circa|typo|misprint\w*|pamphlet|leaflet|caption)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|cannot|without|false|untrue|den(?:y|ies|ied)|refut\w+|contradict\w*|"
    r"contrary|dispute[sd]?|instead|rather|disagree\w*|conflict\w*|different|another|only|both)\b|n['’]t\b",
    re.IGNORECASE,
)
_ENDINGS = ("ation", "ment", "ing", "ion", "ers", "ors", "er", "or", "ed", "es", "s", "e")
_BACK = re.compile(r"\b(?:it|its|he|she|his|her|they|their|them|this|that|these|those|there)\b", re.IGNORECASE)
_NAME_KIND = {
    AnswerType.PERSON: NameKind.PERSON,
    AnswerType.PLACE: NameKind.PLACE,
    AnswerType.ORGANISATION: NameKind.ORGANISATION,
    AnswerType.TITLE: NameKind.TITLE,
}


def is_weak(analysis: Analysis, sentence: str) -> bool:
    """Return whether a sentence marks its statement as less certain than the answer's own sentence does."""
    marks = {m.group().casefold() for m in _WEAK.finditer(sentence)}
    own = analysis.answer_sentence.text.casefold() if analysis.answer_sentence else ""
    return any(not re.search(rf"\b{re.escape(mark)}\b", own) for mark in marks)


def bears(analysis: Analysis, sentence: str, *, share: float = 0.25) -> bool:
    """Return whether a sentence is about the question: it shares words with the question or the answer's sentence."""
    said = content_words(sentence)
    asked = content_words(analysis.question.text)
    held = content_words(analysis.answer_sentence.text) if analysis.answer_sentence else frozenset()
    return len(said & asked) >= max(1.0, len(asked) * share) or len(said & held) >= max(2.0, len(held) * share)


def _slot_filler(analysis: Analysis, part: TextDiff, sentence: Sentence) -> str | None:
    """Return the words that a sentence adds to the question's words; None if it adds no words or more than four.

    For a question about what the people of Ganza traded for salt, the sentence 'The people of Ganza traded tin rods for
    salt' adds 'tin rods'. The words of the result may also stand elsewhere in the passage.
    """
    said = content_words(sentence.text)
    asked = _frame(analysis)
    put = " ".join(a.of(part.new) for a in part.added if a.overlaps(sentence.span))
    covered = len(said & asked) >= max(2.0, 0.75 * len(asked)) and bool((said - asked) & content_words(put))
    relation = _relation(analysis)
    covered = covered and (not relation or any(_stem(w) in relation for w in said))
    return " ".join(sorted(said - asked)) if covered and 1 <= len(said - asked) <= 4 else None


def _frame(analysis: Analysis) -> frozenset[str]:
    """Return the words of the question that a full sentence with the answer would contain."""
    asked = content_words(sentences(analysis.question.text)[-1].text)
    rest = asked - content_words(analysis.question.focus or "")
    return next((some for some in (rest, asked) if len(some) >= 2), content_words(analysis.question.text))


def _relation(analysis: Analysis) -> frozenset[str]:
    """Return the stems of the question's words that are not names: 'design' in 'Who designed the Severin Bridge?'."""
    named = {t.norm for n in find_names(analysis.question.text) for t in words(n.text)}
    return frozenset(_stem(w) for w in content_words(analysis.question.text) if w not in named)


def _stem(word: str) -> str:
    """Return a word without endings that distinguish doer, deed and result: designer, designing, design."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def refers_back(text: str, sentence: Sentence, analysis: Analysis) -> bool:
    """Return whether a sentence has a pronoun and follows a sentence about the question."""
    if sentence.index == 0 or not _BACK.search(sentence.text):
        return False
    before = next(s for s in sentences(text) if s.index == sentence.index - 1)
    return bears(analysis, before.text) or refers_back(text, before, analysis)


def rivals(analysis: Analysis, part: TextDiff) -> Iterator[tuple[Sentence, str]]:
    """Yield added values of the answer's type that are in sentences about the question.

    Each value comes with its sentence.
    """
    for sentence in part.touched_sentences:
        if bears(analysis, sentence.text) or refers_back(part.new, sentence, analysis):
            for value, same_kind in _fresh_values(analysis, part, sentence):
                if same_kind or " " in value or not is_known(value.casefold()):
                    yield sentence, value


def equal_rivals(analysis: Analysis, part: TextDiff) -> Iterator[tuple[Sentence, str]]:
    """Yield added values that compete with the answer on equal terms. Each value comes with its sentence.

    The sentence of a competing value does not give the accepted answer and marks no uncertainty. The sentence also
    meets one of three conditions:

    - It shares at least half of its words with the question or the answer's sentence (three quarters if the value may
      be of another kind than the answer).
    - It adds one to four words to the question's words.
    - It refers to the subject by a pronoun.

    A statement that was inserted into a sentence is treated as a sentence.
    """
    for sentence in part.touched_sentences:
        if not analysis.is_answer(sentence.text) and not is_weak(analysis, sentence.text):
            yield from _competing(analysis, part, sentence)
        for piece in _inserted(part, sentence):
            if not analysis.is_answer(piece.text) and not is_weak(analysis, piece.text):
                filler = _slot_filler(analysis, part, piece)
                if filler is not None:
                    yield piece, filler


def _competing(analysis: Analysis, part: TextDiff, sentence: Sentence) -> Iterator[tuple[Sentence, str]]:
    filler = _slot_filler(analysis, part, sentence) or _other_choice(analysis, sentence)
    if filler is not None:
        yield sentence, filler
    said = content_words(sentence.text)
    frame = _frame(analysis)
    framed = len(frame) >= 3 and len(said & frame) >= 0.75 * len(frame)
    closely = filler is not None or framed or bears(analysis, sentence.text, share=0.75)
    pointing = not closely and _tells_of_it(analysis, part, sentence)
    if not closely and not pointing and not _bears_by_stem(analysis, sentence.text):
        return
    for value, same_kind in _fresh_values(analysis, part, sentence):
        if same_kind or closely:
            yield sentence, value


def _other_choice(analysis: Analysis, sentence: Sentence) -> str | None:
    """For a question with a choice, return the option that a sentence states instead of the answer; else None."""
    if " or " not in analysis.question.text.casefold():
        return None
    focus = content_words(analysis.question.focus or "")
    kind = {_stem(w) for w in focus} if len(focus) <= 2 else set()
    said = content_words(sentence.text)
    names = (n.text for n in find_names(analysis.question.text) if n.text.casefold() in sentence.text.casefold())
    other = next((name for name in names if not _says_the_same(name, analysis)), None)
    related = any(_stem(w) in _relation(analysis) - kind for w in said)
    return other if related and len(said - content_words(analysis.question.text)) <= 1 else None


def _bears_by_stem(analysis: Analysis, sentence: str) -> bool:
    """Return whether a sentence shares half of its stems with the question."""
    if bears(analysis, sentence, share=0.5):
        return True
    asked = {_stem(w) for w in content_words(analysis.question.text)}
    said = {_stem(w) for w in content_words(sentence)}
    return len(said & asked) >= max(2.0, 0.5 * len(asked)) and bool(said & _relation(analysis))


def _tells_of_it(analysis: Analysis, part: TextDiff, sentence: Sentence) -> bool:
    """Return whether a sentence repeats the question's verb or nouns, with a pronoun for the subject.

    For 'Who designed the Severin Bridge?', such a sentence is 'Voss drew its design'.
    """
    said = {_stem(w) for w in content_words(sentence.text)}
    return bool(said & _relation(analysis)) and refers_back(part.new, sentence, analysis)


def _inserted(part: TextDiff, sentence: Sentence) -> Iterator[Sentence]:
    """Yield each statement that was inserted into a sentence.

    Such a statement begins with an added capital letter and ends with the sentence. It has at least four words, and at
    least 60 % of its characters were added.
    """
    for start in (a.start for a in part.added if sentence.span.start < a.start < sentence.span.end):
        span = Span(start, sentence.span.end)
        text = span.of(part.new)
        new = sum(min(a.end, span.end) - max(a.start, start) for a in part.added if a.overlaps(span))
        if text[:1].isupper() and len(words(text)) >= 4 and new >= 0.6 * len(text):
            yield Sentence(sentence.index, span, text)


def _fresh_values(analysis: Analysis, part: TextDiff, sentence: Sentence) -> Iterator[tuple[str, bool]]:
    """Yield values that are in the new text only, each with a flag.

    The flag is true if the value has the answer's type.
    """
    for value, same_kind in _values(analysis.answer_type, sentence.text):
        start = sentence.span.start + sentence.text.find(value)
        fresh = any(a.start < start + len(value) and start < a.end for a in part.added)
        asked = analysis.question.text.casefold()
        chosen = " or " in asked and value.casefold() in asked and not analysis.is_answer(value)
        known = value in part.old or value.casefold() in asked or _says_the_same(value, analysis)
        if fresh and (chosen or not known):
            yield value, same_kind


def _values(kind: AnswerType, text: str) -> list[tuple[str, bool]]:
    if kind is AnswerType.DATE:
        return [(d.text, True) for d in find_dates(text)]
    if kind in (AnswerType.NUMBER, AnswerType.MONEY):
        dates = [d.span for d in find_dates(text)]
        return [(n.whole.of(text), True) for n in find_numbers(text) if not any(d.covers(n.span) for d in dates)]
    wanted = _NAME_KIND.get(kind)
    if wanted is None:
        return [(n.text, False) for n in find_names(text)]
    return [(n.text, n.kind is wanted) for n in find_names(text) if n.kind in (wanted, NameKind.OTHER)]


def _says_the_same(value: str, analysis: Analysis) -> bool:
    """Return whether a value is the answer, another form of its name, or a number within 5 %."""
    if analysis.is_answer(value):
        return True
    if analysis.answer_type in (AnswerType.NUMBER, AnswerType.MONEY):
        ours = find_numbers(analysis.answer)
        return any(
            abs(n.value - own.value) <= 0.05 * abs(own.value) and (n.unit == own.unit or None in (n.unit, own.unit))
            for n in find_numbers(value)
            for own in ours
        )
    if analysis.answer_type is AnswerType.DATE:
        return False
    said = tuple(t.norm for t in words(value))
    return any(_same_name(said, tuple(t.norm for t in words(a))) for a in analysis.base.answers)


def _same_name(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two names may mean the same: one contains the other, or last names and first initials agree."""
    first = set(one) - FUNCTION_WORDS
    second = set(other) - FUNCTION_WORDS
    if not first or not second or first <= second or second <= first:
        return bool(first & second)
    return one[-1] == other[-1] and one[0][0] == other[0][0]

"""Missing information: removal of a detail, the answer, or all evidence from the passages."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from demur.levers.lever_models import Style
from demur.rules.edits import answer_indices, excise, leaning, without_sentences
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.rivals import other_of_its_kind, what_stays
from demur.text.analysis import Analysis, ModifierKind, PassageAnalysis, content_words
from demur.text.answers import AnswerType
from demur.text.dates_and_numbers import DatePrecision
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.tokens import fold, tokenise


@dataclass(frozen=True, slots=True)
class Cut:
    """A possible cut: the removed text, the passage without this text, and the index of the sentence."""

    removed: str
    text: str
    sentence: int


Finder = Callable[[Analysis, PassageAnalysis], Iterator[Cut]]
_COMPARES: Final = re.compile(
    r"\b(?:older|younger|oldest|youngest|earlier|later|first|more|most|larger|largest|bigger|longer|longest|"
    r"taller|same|both|closer|share|which of|or)\b"
)


def _is_spare(analysis: Analysis, passage: PassageAnalysis, cut: Cut) -> bool:
    """Return whether the answer can still be found after a cut.

    The cut must not contain an answer, a word of the question, or a name that links signal passages. If the question
    compares things from several passages, the cut must not contain any name or figure.
    """
    if analysis.is_answer(cut.removed) or len(cut.text.split()) < 6 or cut.text == passage.text:
        return False
    if content_words(cut.removed) & content_words(analysis.question.text):
        return False
    others = " ".join(fold(p.text) for p in analysis.signal if p.index != passage.index)
    if any(n.norm in others for n in passage.names if n.text in cut.removed):
        return False
    compares = analysis.answer_type is AnswerType.YES_NO or _COMPARES.search(fold(analysis.question.text)) is not None
    return not (len(analysis.signal) > 1 and compares and re.search(r"\d|[A-Z]", cut.removed[1:]))


def _cut_one(finder: Finder, reasoning: str, pull: Pull) -> Draft | Declined:
    """Apply one of the cuts that `finder` yields: the cut nearest to the answering sentence.

    Among equally near cuts, the terse style takes the shortest cut and the elaborate style takes the longest cut.
    """
    analysis = pull.analysis
    sign = 1 if pull.style is Style.TERSE else -1
    found = [
        (not passage.gives_answer, _distance(passage, cut), sign * len(cut.removed), passage.index, cut.text)
        for passage in analysis.signal
        for cut in finder(analysis, passage)
        if _is_spare(analysis, passage, cut)
    ]
    if not found:
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    *_, index, text = min(found)
    note = "The sentence that answers still gives an accepted answer; what went is not asked for."
    return Draft(analysis.question.text, {index: text}, reasoning, note)


def _distance(passage: PassageAnalysis, cut: Cut) -> int:
    return min((abs(s.index - cut.sentence) for s in passage.answer_sentences), default=0)


def _parentheticals(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for modifier in passage.modifiers_of(ModifierKind.PARENTHETICAL):
        before = passage.text[: modifier.span.start]
        apart = modifier.span.of(passage.text).startswith(" ") and not re.search(r"[?!.][\"”]?$", before)
        apart = apart and not re.match(r" [A-Z]", passage.text[modifier.span.end :])
        if apart and re.search(r"[a-z]{3}|\d{4}", modifier.text):
            yield Cut(modifier.text, excise(passage.text, modifier.span), modifier.sentence)


@operator("missing_info.parenthetical_excise", last=True)
def parenthetical_excise(pull: Pull) -> Draft | Declined:
    """Delete a bracketed aside."""
    return _cut_one(_parentheticals, "A bracketed aside was deleted.", pull)


def _openers(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for modifier in passage.modifiers_of(ModifierKind.OPENER):
        words = modifier.text.split()
        if len(words) >= 3 and words[0].lower() not in {"for", "as", "like", "unlike", "with", "though"}:
            yield Cut(modifier.text, excise(passage.text, modifier.span), modifier.sentence)


@operator("missing_info.intro_clause_removal")
def intro_clause_removal(pull: Pull) -> Draft | Declined:
    """Delete an introductory phrase in front of a main clause."""
    return _cut_one(_openers, "An introductory phrase was deleted.", pull)


def _months(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for date in passage.dates:
        year = str(date.year)
        if date.precision not in (DatePrecision.DAY, DatePrecision.MONTH) or date.year is None:
            continue
        asked_for = any(date.span.overlaps(a.span) and fold(a.text) != year for a in passage.answers)
        before = passage.text[: date.span.start]
        after = passage.text[date.span.end :]
        preposition = re.search(r"\b(on|in|On|In|since|until|by|before|after) $|\($", before)
        span = re.search(r"\b(?:from|between) [^.]{0,40}$", before) or re.match(
            r"\s?[–-]| (?:to|and|until|through|or) ", after
        )
        if asked_for or not preposition or span:
            continue
        if preposition[1] in {"on", "On"}:
            before = before[:-3] + ("in " if preposition[1] == "on" else "In ")
        removed = date.text.replace(year, "").strip(" ,")
        yield Cut(removed, before + year + after, passage.sentence_at(date.span).index)


@operator("missing_info.trim_month_but_keep_year")
def trim_month_but_keep_year(pull: Pull) -> Draft | Declined:
    """Shorten a date to its year."""
    if len(pull.analysis.signal) > 1 and pull.analysis.answer_type is AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, "a date may be needed to work the answer out")
    return _cut_one(_months, "A date was shortened to its year.", pull)


def _tails(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    last = passage.sentences[-1]
    words = [t for t in tokenise(last.text) if t.is_word]
    held = max((a.span.end - last.span.start for a in passage.answers), default=0)
    for at in range(max(4, len(words) // 3), len(words) - 2):
        end = last.span.start + words[at - 1].end
        flowing = last.text[words[at - 1].end : words[at].start] == " " and words[at - 1].text.isalpha()
        whole = not any(n.span.start < end < n.span.end for n in passage.names)
        if flowing and whole and words[at].norm not in FUNCTION_WORDS and words[at - 1].end > held:
            yield Cut(passage.text[end:].strip(), passage.text[:end], last.index)


@operator("missing_info.chunk_tail_cut_off", last=True)
def chunk_tail_cut_off(pull: Pull) -> Draft | Declined:
    """Let the last sentence break off in the middle of a phrase."""
    return _cut_one(_tails, "The last sentence breaks off, as in a chunk of fixed length.", pull)


Edit = Callable[[PassageAnalysis], str | None]
"""Function from a passage to its new text; None if the edit does not apply."""


def _everywhere(pull: Pull, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer. Declines if the passages may still hint at the answer."""
    analysis = pull.analysis
    changed = dict[int, str]()
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    for passage in analysis.answering:
        text = edit(passage)
        if text is None or text == passage.text or analysis.is_answer(text):
            return Declined(DeclineReason.NO_SUITABLE_SPAN)
        changed[passage.index] = text
    stays = what_stays(analysis, changed)
    others = (p for p in analysis.signal if p.index in changed)
    if any(other_of_its_kind(analysis, passage, changed[passage.index]) for passage in others):
        stays = stays or "another name of the answer's kind is left"
    if stays is not None:
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, stays)
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")


@operator("missing_info.chunk_cut_before_the_answer")
def chunk_cut_before_the_answer(pull: Pull) -> Draft | Declined:
    """Let every answering passage break off just before its first mention of the answer."""

    def edit(passage: PassageAnalysis) -> str | None:
        sentence = passage.answer_sentences[0]
        if passage is pull.analysis.main and sentence != pull.analysis.answer_sentence:
            return None  # the first mention is not the statement that answers
        first = passage.answers[0].span
        around = [
            span for span in (*(n.span for n in passage.names), *(d.span for d in passage.dates)) if span.covers(first)
        ]
        text = passage.text[: min((span.start for span in around), default=first.start)].rstrip(' ,("“')
        lead = text[sentence.span.start :]
        whole = len(lead.split()) >= 4 and not re.search(r"[.!?;:]$", text)
        return text if whole and len(text.split()) >= max(12, 0.2 * len(passage.text.split())) else None

    return _everywhere(pull, edit, "The passage breaks off before the answer, as a badly placed chunk boundary does.")


_LEAST_LEFT: Final = 0.35
"""Smallest share of a passage that a removal of sentences may leave."""
_LEADS_ON: Final = re.compile(
    r"(?:In addition|Also|Additionally|However|Moreover|Furthermore|But|And|Then|Thus|Therefore|He|She|It|They|This|"
    r"These|That|His|Her|Its|Their)\b"
)


_GOING_ON: Final = re.compile(
    r"\b(?:next|later|similar|other|others|same|also|another|then|following|former|latter|instead|second|for example|"
    r"this|these|that|those|such|it|its|they|their|he|she|his|her)\b|"
    r"^(?:one|two|three|four|five|six|seven|eight|nine|ten|some|several|most|many|all|both) "
    r"(?:was|were|are|is|had|of)\b",
    re.IGNORECASE,
)
_FIRST_WORDS: Final = 6


def _goes_on(passage: PassageAnalysis, index: int, gone: set[int]) -> bool:
    """Return whether a sentence refers back to a removed sentence before it: 'The studies', 'six similar cases'."""
    if index in gone or index - 1 not in gone:
        return False
    text = passage.sentences[index].text
    kept = " ".join(s.text for s in passage.sentences[:index] if s.index not in gone)
    named = re.match(r"The (?:[a-z]+ )?([a-z]{3,})", text)
    strange = named is not None and not content_words(named.group()) & content_words(kept)
    return strange or _GOING_ON.search(" ".join(text.split()[:_FIRST_WORDS])) is not None


def _without(analysis: Analysis, passage: PassageAnalysis, gone: set[int]) -> str | None:
    """Return a passage without the sentences `gone` and the sentences that refer to these.

    None if the rest is too short, still refers to removed sentences, or seems to answer the question.
    """
    asked = content_words(analysis.question.text)
    wider = leaning(passage, gone)
    if 0 in wider or any(_goes_on(passage, s.index, wider) for s in passage.sentences):
        return None
    left = without_sentences(passage, wider)
    if left is None or len(left.split()) < max(14, _LEAST_LEFT * len(passage.text.split())) or _LEADS_ON.match(left):
        return None
    restated = any(len(asked & content_words(text)) > len(asked) / 2 for text in left.split(". "))
    return None if restated else left


@operator("missing_info.answer_sentences")
def answer_sentences(pull: Pull) -> Draft | Declined:
    """Cut every sentence that gives the answer."""

    def edit(passage: PassageAnalysis) -> str | None:
        return _without(pull.analysis, passage, answer_indices(passage))

    return _everywhere(pull, edit, "Every sentence that gives the answer was cut out.")


@operator("missing_info.answer_token_purge", last=True)
def answer_token_purge(pull: Pull) -> Draft | Declined:
    """Cut every sentence that has any word of the answer."""
    analysis = pull.analysis
    asked = content_words(analysis.question.text)
    words = {t.norm for a in analysis.base.answers for t in tokenise(a) if t.is_word}
    tokens = {w for w in words if w not in FUNCTION_WORDS and w not in asked and (len(w) > 2 or w.isdigit())}

    others = [p for p in analysis.passages if p not in analysis.answering]
    if any(tokens & {t.norm for t in passage.tokens} for passage in others):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "a word of the answer stands in another passage")

    def edit(passage: PassageAnalysis) -> str | None:
        gone = {s.index for s in passage.sentences if tokens & {t.norm for t in tokenise(s.text)}}
        return _without(analysis, passage, gone | answer_indices(passage))

    return _everywhere(pull, edit, "Every sentence with a word of the answer was cut out.")


_LEAST: Final = 0.6
_MOST: Final = 1.5
"""Bounds of the length of a replacement, relative to the length of the replaced passage."""


@operator("missing_info.strange_passages", last=True)
def strange_passages(pull: Pull) -> Draft | Declined:
    """Replace each passage that bears on the question by an unrelated passage of the corpus with a similar length."""
    analysis = pull.analysis
    strange = [(text, len(text.split())) for text in pull.corpus.strange_to(analysis.base)]
    pull.rng.shuffle(strange)
    texts: dict[int, str] = {}
    for passage in (p for p in analysis.passages if p.relevant or p.gives_answer):
        size = len(passage.text.split())
        alike = (t for t, length in strange if _LEAST * size <= length <= _MOST * size and t not in texts.values())
        found = next((t for t in alike if not analysis.is_answer(t)), None)
        if found is None:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "no passage of the corpus is strange and as long")
        texts[passage.index] = found
    why = "Passages on other subjects stand in the place of all that bear on the question."
    return Draft(analysis.question.text, texts, why, "Nothing that bears on the question is left in any passage.")

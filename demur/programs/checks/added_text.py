"""Checks of changed text: no leaks, no excessive change of length, no other language, no repeated frames."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from demur.levers.instances import BaseInstance, Perturbation
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import Code, LeverClass
from demur.programs.checks.changes import (
    CheckName,
    CheckResult,
    Evidence,
    InstanceDiff,
    TextDiff,
    compare,
    failed,
    passed,
)
from demur.text.language_detection import TextPart, detect, language_name, supports
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.tokens import Span, Token, tokenise, words

# Patterns of text that reveals the test, such as refusal codes, class names, instructions, JSON and markup.


_LABELS: Final = (
    r"(?:perturbed|modified|rewritten|revised|updated|edited|changed|original|new|final|output|ambiguous)"
    r"(?:[ _-](?:question|query|passage|context|text|version|answer))?"
)
_MARKED: Final = r"(?:AMBIGU\w+|CONTRADICT\w+|FALSE[ _]PREMISE|GRANULARITY\w*|EPISTEMIC\w*|NON-?FACTUAL|UNANSWERABLE)"

LEAKS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("a code", re.compile(r"\bREFUSE_[A-Z_]+|\b" + Code.ANSWER_CORRECTLY + r"\b", re.IGNORECASE)),
    (
        "a class name",
        re.compile("|".join(rf"\b{re.escape(c)}\b" for c in LeverClass) + rf"|[\[(]\s*{_MARKED}\s*[\])]"),
    ),
    ("a word of the method", re.compile(r"\bperturb(?:ed|ation|ations|ing|s)?\b|\brefusalbench\b", re.IGNORECASE)),
    (
        "an instruction",
        re.compile(
            r"\b(?:as an? (?:ai|language model)|expected behaviou?r|answer constraint|ground[- ]truth answer"
            r"|(?:original|modified|rewritten|revised|updated|edited|changed) (?:question|query|passage|context)s?"
            r"|lever (?:name|selected|used)|intensity (?:level|achieved)|(?:low|medium|high)[- ]intensity lever"
            r"|here (?:is|are) the (?:new|final|requested)"
            r"|i(?: have|'ve)? (?:changed|modified|rewritten|rewrote|removed|replaced|added|introduced)"
            r" (?:the|an?|this|that)"
            r"|let me (?:rewrite|rephrase|change|modify|revise|adjust)"
            r"|should refuse|must refuse|unanswerable|signal passages?|noise passages?"
            r"|(?:ambiguity|contradiction|presupposition|defect) (?:is |was |has been )?(?:introduced|injected|planted)"
            r"|(?:passage|text|context|document)s? (?:no longer|does not|doesn't|do not) (?:mentions?|contains?|gives?"
            r"|provides?|states?) (?:the|an|any) answer"
            r"|answer (?:is still|remains|stays|is kept) (?:derivable|answerable|intact|recoverable)"
            r"|keeps the answer"
            r"|(?:intentionally|deliberately) (?:left (?:blank|out|vague)|ambiguous|vague|omitted|removed)"
            r")\b",
            re.IGNORECASE,
        ),
    ),
    ("a remark on the task", re.compile(r"\b(?:Explanation|Reasoning|Rationale|Justification):")),
    (
        "an intensity",
        re.compile(
            r"\b(?:LOW|MEDIUM|HIGH)[ -]?(?:intensity|INTENSITY)\b"
            r"|\b[Ii]ntensity\s*[:=]\s*(?:LOW|MEDIUM|HIGH|low|medium|high)\b"
        ),
    ),
    (
        "a remark on the task",
        re.compile(
            r"(?:(?<=[.?!)\]])\s+|^\W*)(?:explanation|reasoning|rationale|justification|lever|answer constraint)\s*:"
            r"|\bnote\s*:\s*(?:the|this|that|i|we|all|any)\b[^.\n]{0,80}\b(?:question|query|ambigu\w+|answer|removed"
            r"|changed|omitted|deleted|on purpose|intentional\w*|deliberate\w*)\b"
            r"|^\W*(?:sure|certainly|of course|absolutely|okay|ok)\b\s*[!,.:]",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    ("a JSON fragment", re.compile(r"[{\[]\s*\"[\w ]+\"\s*[:,]|\"\w+\"\s*:\s*\S|```|\\n|\\u[0-9a-f]{4}")),
    ("markup", re.compile(r"^#{1,6} |\*\*[^*\n]+\*\*|^\s*-{3,}\s*$", re.MULTILINE)),
    (
        "an adapter's marker",
        re.compile(
            r"\[\[\s*##|##\s*\]\]|<\|[^|]{1,40}\|>|</?(?:passages?|question|query|context|answer|output|think|json)\b[^>]*>"
            r"|\b(?:perturbed|modified)_\w+\b"
            rf"|^\W*(?:Q|A|Question|Query|Passage(?: \d+)?|Context|Answer|Output|{_LABELS})\W{{0,3}}:",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
"""Patterns of leaks with their descriptions."""


@lru_cache(maxsize=1024)
def name_of(lever: str) -> re.Pattern[str]:
    """Return a pattern for a lever's name. For names of four or more words, case is ignored.

    Names of one word are not searched for, since the word may be ordinary text.
    """
    size = len(lever.split())
    if size < 2:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){re.escape(lever)}(?!\w)", re.IGNORECASE if size >= 4 else 0)


# Checks of changed text: no leaks, no excessive change of length, and no other language.


_FRAGMENT = 5
"""The fewest words of a text whose language can be detected."""
_SURELY = 0.9
"""The confidence from which a sentence counts as another language."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


def no_leak(found: InstanceDiff, lever: Lever | None) -> CheckResult:
    """Check that the change adds no sign of the test: code, class name, lever name, instruction, JSON or marker."""
    name = CheckName.NO_LEAK
    for index, part in found.parts:
        where = "the question" if index is None else f"passage {index}"
        patterns = LEAKS if lever is None else (*LEAKS, ("the lever's name", name_of(lever.name)))
        for what, pattern in patterns:
            known = {m.group().casefold() for m in pattern.finditer(part.old)}
            for match in pattern.finditer(part.new):
                if match.group().casefold() not in known:
                    spans = (Evidence(index, match.start(), match.end(), match.group()),)
                    return failed(name, f"{where} holds {what}: '{match.group()}'", spans)
    return passed(name, "nothing of the machinery stands in the text added")


def length_and_language(found: InstanceDiff) -> CheckResult:
    """Check that changed texts keep their language, stay within bounds of length, and gain no broken text.

    A question that had x words may have from 2 to max(3 x, x + 60) words. A passage that had x words may have from
    max(4, .04 x) to max(2.5 x, x + 100) words.
    """
    name = CheckName.LENGTH_AND_LANGUAGE
    for index, part in found.parts:
        fault = _length_fault(part, is_question=index is None) or _language_fault(part)
        if fault:
            where = "the question" if index is None else f"passage {index}"
            said, at = fault
            spans = (Evidence(index, at.start, at.end, at.of(part.new)),) if at else ()
            return failed(name, f"{where} {said}", spans)
    return passed(name, "length and language stay in bounds")


_Fault = tuple[str, Span | None]
"""A fault of a text, and its place."""


def _length_fault(part: TextDiff, *, is_question: bool) -> _Fault | None:
    old = len(words(part.old))
    new = len(words(part.new))
    low, high = (
        (2, max(3 * old, old + 60))
        if is_question
        else (min(old, max(4, int(0.04 * old))), max(int(2.5 * old), old + 100))
    )
    if not low <= new <= high:
        return f"has {new} words; it had {old}, and {low} to {high} are allowed", None
    return None


def _language_fault(part: TextDiff) -> _Fault | None:
    """Return a fault for broken text, or for the first changed sentence in another language; None if there is none."""
    broken = _CONTROL.search(part.new)
    if broken and not _CONTROL.search(part.old):
        return "holds a control or replacement character", Span(*broken.span())
    for sentence in part.touched_sentences:
        if len(words(sentence.text)) < _FRAGMENT:
            continue
        found = detect(sentence.text)
        if found.code is None or found.confidence < _SURELY or _one(found.code) == _one(part.language):
            continue
        if detect(part.old).code != found.code:
            return f"has a sentence that is not {language_name(part.language)}", sentence.span
    return None


def _one(language: str) -> str:
    """Return one code for both written forms of Norwegian."""
    return "no" if language in ("nb", "nn") else language


# Frames of planted text. In a frame, blanks replace names, numbers, and words of the base instance.
#
# Items with equal frames look alike to readers of a benchmark, whatever their subject.


BLANK: Final = "_"
GRAM_WORDS: Final = 3
"""Words of a gram: two coincide too often by chance, four miss frames with one exchanged word."""


def frame_grams(base: BaseInstance, perturbation: Perturbation) -> list[str]:
    """Return the distinct grams of the planted text's frame in sorted order. An example is `according to _`.

    A gram is three adjoining words of the frame. Blanks replace names, numbers, and words of the base instance, except
    function words. Adjoining blanks become one blank. A gram has at least two words besides blanks, and at least one of
    these words is not a function word.

    Function words are known for English only. In other languages, blanks replace all words of the base instance. In
    scripts without spaces, each character is a word.
    """
    text = "\n".join((base.question, *(passage.text for passage in base.passages)))
    kept = FUNCTION_WORDS if supports(base.language, TextPart.WORDS) else frozenset()
    known = {token.norm for token in tokenise(text)} - kept
    pieces = (span.of(part.new) for _, part in compare(base, perturbation).parts for span in part.added)
    return sorted({gram for piece in pieces for gram in _grams(list(_frame(piece, known)))})


def _frame(piece: str, known: set[str]) -> Iterator[str]:
    words = [token for token in tokenise(piece) if token.is_word]
    masked = [BLANK if _is_content(word, first=n == 0, known=known) else word.norm for n, word in enumerate(words)]
    for before, word in pairwise([None, *masked]):
        if word is not None and not word == before == BLANK:
            yield word


def _is_content(word: Token, *, first: bool, known: set[str]) -> bool:
    """Return whether a blank replaces this word: a word of the base instance, a number or a name."""
    return word.norm in known or word.text[0].isdigit() or (word.is_capitalised and not first)


def _grams(frame: list[str]) -> Iterator[str]:
    for start in range(len(frame) - GRAM_WORDS + 1):
        words = [word for word in frame[start : start + GRAM_WORDS] if word != BLANK]
        if len(words) >= 2 and any(word not in FUNCTION_WORDS for word in words):
            yield " ".join(frame[start : start + GRAM_WORDS])

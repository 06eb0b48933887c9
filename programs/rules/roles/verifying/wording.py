"""The editor among the verifiers: reads what was written into question and passages for scars, grammar and measure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from programs.checks.diff import TextDiff
from programs.rules.analysis.lexicon import verb_tags
from programs.rules.analysis.spans import Span
from programs.rules.analysis.tokens import tokenise, words
from programs.rules.edits.grammar import article_for
from programs.rules.roles.verifying.case import Case, Check, Fault

_SCARS: Final = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("two spaces in a row", r"(?<=\S) {2,}(?=\S)"),
        ("a space before a mark", r"\w [,;:.?!](?=\s|$)"),
        ("two marks in a row", r"[,;:] ?[,;:.](?!\.)|(?<!\.)\.\.(?!\.)|[?!] ?[,;]"),
        ("a preposition left hanging", r"\b(?:of|the|an?|at|from|with|and|or|to the|in the) ?[.;!?](?=\s|$)"),
        ("empty brackets", r"\(\s*[,;]?\s*\)|\[\s*\]"),
        ("an opening bracket before a mark", r"\([,;.]"),
    )
)
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_MAY_DOUBLE: Final = frozenset({"that", "had", "is", "bora", "new", "duran", "very", "so", "long", "1", "pago"})
_ARTICLE = re.compile(r"\b([Aa]n?) (?:[\"“'‘(]?)([A-Za-z][\w'’-]*)")
_PAIRS: Final = (("(", ")"), ("[", "]"), ("“", "”"))


def wording_faults(case: Case) -> Iterator[Fault]:
    """Yield what an editor would strike out of the changed texts; faults that the original had too are no faults."""
    for index, part in case.found.parts:
        where = "the question" if index is None else f"passage {index}"
        for issue in (*_scars(part), *_grammar(part), *_balance(part)):
            yield Fault(Check.QUALITY, f"{where}: {issue}")
        if index is None:
            yield from _register(case, part)


def _near(span: Span, part: TextDiff) -> bool:
    """Whether something was added or taken out at `span` or right beside it."""
    if any(a.start - 2 <= span.end and span.start <= a.end + 2 for a in part.added):
        return True
    return span.of(part.new) not in part.old


def _scars(part: TextDiff) -> Iterator[str]:
    for what, pattern in _SCARS:
        known = len(pattern.findall(part.old))
        found = list(pattern.finditer(part.new))
        if len(found) > known:
            yield f"{what} ('{_around(part.new, found[-1].span())}')"


def _around(text: str, at: tuple[int, int]) -> str:
    return text[max(0, at[0] - 12) : at[1] + 12].strip()


def _grammar(part: TextDiff) -> Iterator[str]:
    for match in _DOUBLED.finditer(part.new):
        if match[1].casefold() not in _MAY_DOUBLE and match[0].casefold() not in part.old.casefold():
            yield f"a word stands twice ('{match[0]}')"
    for match in _ARTICLE.finditer(part.new):
        if match[0] in part.old or len(match[2]) == 1 or match[2].isupper():
            continue
        if _article_of(match[2]) != match[1].casefold():
            yield f"the article does not fit ('{match[0]}')"


@lru_cache(maxsize=8192)
def _article_of(word: str) -> str:
    return article_for(word).casefold()


def _balance(part: TextDiff) -> Iterator[str]:
    for opening, closing in _PAIRS:
        gap = part.new.count(opening) - part.new.count(closing)
        if gap and gap != part.old.count(opening) - part.old.count(closing):
            yield f"'{opening}' and '{closing}' do not pair"
    if part.new.count('"') % 2 and not part.old.count('"') % 2:
        yield "a quotation mark is alone"


def _register(case: Case, part: TextDiff) -> Iterator[Fault]:
    old, new = part.old.rstrip(), part.new.rstrip()
    if not any(c.isupper() for c in old) and any(c.isupper() for c in new):
        yield Fault(Check.QUALITY, "the question: capitals, where the original has none")
    if old[:1].isupper() and new[:1].islower():
        yield Fault(Check.QUALITY, "the question: a small letter at its beginning")
    if old.endswith("?") and not new.endswith("?"):
        yield Fault(Check.QUALITY, "the question: its mark is missing")
    if not any(verb_tags(t.norm) for t in words(new)) and any(verb_tags(t.norm) for t in tokenise(old)):
        yield Fault(Check.QUALITY, "the question: no verb is left in it")

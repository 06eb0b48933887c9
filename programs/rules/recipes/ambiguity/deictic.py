"""MEDIUM in the question: 'that film', 'this one or that one' for a name that could be any of several."""

import random
import re
from collections import Counter

from demur.programs.rules.edits.casing import in_register, recase
from demur.programs.rules.edits.grammar import plural
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.ambiguity.material import subject_of
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.rules.subjects.phrases import kind_noun
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import asked_fact
from demur.programs.text.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be
from demur.programs.text.names import NameKind, find_names
from demur.programs.text.questions import content_words
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold, tokenise

_OPEN = "The passages are untouched; they bring up several things that could be pointed at, each with its own answer."
_REASONING = "The question points at something that the passages bring up more than once."
_FEWEST = 2
"""So many other names must stand in the passages."""
_MOST_LEFT = 3
"""With one passage, more words of content would tell what is meant."""
_MOST_WORDS_BESIDE = 5
"""More words of content beside the name would tell what is meant without it."""
_TRAILING = AUXILIARIES | PREPOSITIONS | DETERMINERS | {"when", "who", "that", "which"}
_LISTED = frozenset({"and", "or", "both", "between", "&"})
_NOT_NAMES = frozenset("american british english french german indian italian spanish japanese chinese".split())


@recipe("ambiguity.ambiguous_deictic_reference")
def ambiguous_deictic_reference(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Point at what the question names, where the passages bring up several things to point at; keep the rest."""
    for made in (_choices(analysis), _subject(analysis, rng), _every_name(analysis, rng)):
        if made is not None and not _names_left(analysis, made):
            return Draft(in_register(analysis.question, made), {}, _REASONING, _OPEN)
    return Declined(DeclineReason.NO_SUITABLE_SPAN, "too few things to point at, or other names tell what is meant")


def _choices(analysis: Analysis) -> str | None:
    """Put 'this one or that one' for the two things of a choice."""
    fact, text = asked_fact(analysis), analysis.question.bare
    if fact is None or fact.choices is None or len(analysis.passages) == 1:
        return None
    one, other = (re.compile(re.escape(choice), re.IGNORECASE) for choice in fact.choices)
    first, second = one.search(text), other.search(text)
    if first is None or second is None or first.end() > second.start():
        return None
    return f"{text[: first.start()]}this one{text[first.end() : second.start()]}that one{text[second.end() :]}"


def _every_name(analysis: Analysis, rng: random.Random) -> str | None:
    """Point instead of giving any of the names in the question, where several passages tell of many things."""
    if len(analysis.passages) == 1:
        return None
    text = recase(analysis.question.bare, analysis)
    text = re.sub(r"([\"“])([^\"“”]+)[\"”]", r"\2", text)
    text = _PAIR.sub(lambda m: f"{m['lead']}{rng.choice(('these two', 'those two'))}", text)
    text = re.sub(r" in (?:1[5-9]|20)\d\d\b", " back then", text)
    taken: set[str] = set()
    spans = _merged(text, [n.span for n in find_names(text) if n.norm not in _NOT_NAMES])
    kinds = {n.span.start: n.kind for n in find_names(text)}
    for span in reversed(spans):
        opens = span.start == 0
        if not opens and not _stands_alone(text, span):
            return None
        noun = _POINTED.get(kinds.get(span.start, NameKind.OTHER), "one")
        pointer = f"that {noun}" if f"that {noun}" not in taken else f"this {noun}"
        taken.add(pointer)
        start = span.start - 4 if text[: span.start].endswith(" the ") else span.start
        headed = re.search(r"\bthe ([a-z]+) $", text[: span.start])  # 'the show Scaredy Squirrel'
        if headed and can_be(headed[1], "NOUN"):
            start, pointer = headed.start(), f"that {headed[1]}"
        text = f"{text[:start]}{pointer}{text[span.end :]}"
    left = content_words(text)
    pointed = bool(spans) or re.search(r"\b(?:these|those) two\b", text) is not None
    return text if pointed and 1 <= len(left) <= _MOST_WORDS else None


_PAIR = re.compile(
    r"(?P<lead>^(?:[Aa]re|[Ww]ere|[Dd]o|[Dd]id|[Hh]ave|[Ww]here are|[Ww]here were) )"
    r"(?:the )?[A-Z]\S*(?: (?:of |the )*[A-Z]\S*)* and (?:the )?[A-Z]\S*(?: (?:of |the |and )*[A-Z]\S*)*"
)
_POINTED = {NameKind.PERSON: "person", NameKind.PLACE: "place"}
_MOST_WORDS = 8
"""More words of content would tell the passage that is meant without any name."""


def _merged(text: str, spans: list[Span]) -> list[Span]:
    """Return the spans with those joined between which only a comma stands ('Leland, North Carolina')."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: s.start):
        if found and text[found[-1].end : span.start] in {", ", " "}:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return found


def _subject(analysis: Analysis, rng: random.Random) -> str | None:
    """Point instead of naming the subject, where the passages are about many things or not mainly about it."""
    subject, text = subject_of(analysis), analysis.question.bare
    if subject is None or not any(c.isupper() for c in subject.name) or text.count(subject.phrase) != 1:
        return None
    at = text.index(subject.phrase)
    span = Span(at, at + len(subject.phrase))
    if not _stands_alone(text, span):
        return None
    rest = content_words(text[:at] + text[span.end :])
    if len(rest) > _MOST_WORDS_BESIDE:
        return None
    alone = (
        subject.kind in (SubjectKind.THING, SubjectKind.COUNTRY)
        or len(rest) > _MOST_LEFT
        or _is_main(analysis, subject.name)
    )
    if len(analysis.passages) == 1 and alone:
        return None
    return _said(span, text, subject, rng)


def _said(span: Span, text: str, subject: Subject, rng: random.Random) -> str | None:
    """Return the text with 'that film' for the span; None where little of the question would be left."""
    before, after = text[: span.start], text[span.end :]
    words = [t for t in tokenise(before) if t.is_word]
    noun = "one" if subject.kind in (SubjectKind.THING, SubjectKind.PEOPLE, SubjectKind.BODY) else kind_noun(subject)
    if len(words) > 1 and words[-2].norm == "the" and can_be(words[-1].norm, "NOUN"):  # 'the ship hector'
        noun, before = words[-1].text, before[: words[-2].start]
    elif noun == "government" or noun in {t.norm for t in tokenise(before + after)}:
        noun = "one"
    which = rng.choice(("that", "this"))
    pointer = f"{which} {noun}"
    if subject.plural:
        those = {"that": "those", "this": "these"}[which]
        pointer = those if noun == "one" else f"{those} {plural(noun)}"
    left = [t for t in tokenise(before + after) if t.is_word and t.norm not in AUXILIARIES]
    return f"{before}{pointer}{after}" if len(left) > 2 else None


def _stands_alone(text: str, span: Span) -> bool:
    """Say whether a phrase can be taken out whole: no noun, name or list leans on it from either side."""
    before = [t for t in tokenise(text[: span.start]) if t.is_word]
    after = [t for t in tokenise(text[span.end :]) if t.is_word]
    if not before or text[span.start - 1 : span.start] in {'"', "“", "(", "-"} or before[-1].norm in _LISTED:
        return False
    follows, last = text[span.end : span.end + 2], before[-1]
    if follows[:1] in {'"', "-", "”", ",", ")"} or after and after[0].norm in _LISTED:
        return False
    named_by_clause = len(before) > 1 and before[-2].norm == "the" and after and after[0].norm in AUXILIARIES
    if named_by_clause or last.norm in {"v", "vs"}:  # 'the country Ceelmakoile is located in'
        return False
    closed = follows in {"'s", "’s"} or not after or after[0].norm in _TRAILING
    verb = bool(after) and not can_be(after[0].norm, "NOUN") and not after[0].is_capitalised
    headed = len(before) > 1 and before[-2].norm == "the" and can_be(last.norm, "NOUN")
    opens = last.norm in PREPOSITIONS | AUXILIARIES or last.norm in {"that", "when", "who", "which", "where"}
    acts = not can_be(last.norm, "ADJ") and not last.is_capitalised and last.norm not in DETERMINERS
    return (closed or verb) and (opens or headed or acts)


def _is_main(analysis: Analysis, name: str) -> bool:
    """Say whether a single passage is mainly about the name: it opens with it, or names nothing else as often."""
    passage, key = analysis.passages[0], fold(name)
    opening = passage.sentences[0].text if passage.sentences else ""
    counted = Counter(n.norm for n in passage.names)
    own = sum(count for norm, count in counted.items() if key in norm or norm in key)
    others = [count for norm, count in counted.items() if key not in norm and norm not in key]
    return key in fold(opening[: len(name) + 40]) or len(others) < _FEWEST or own > max(others)


def _names_left(analysis: Analysis, made: str) -> bool:
    """Say whether a proper name, a figure or a quotation still stands in the question."""
    text = recase(made, analysis)
    first = next((t.end for t in tokenise(text) if t.is_word), 0)
    names = [n for n in find_names(text) if n.span.end > first and n.norm not in _NOT_NAMES]
    return bool(names) or bool(re.search(r"\d|[\"“]", text))

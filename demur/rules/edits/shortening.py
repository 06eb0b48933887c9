"""The core of a sentence: what stays once asides, openings and whatever follows a value are left out."""

import re
from typing import Final

from demur.rules.edits.grammar import as_sentence
from demur.rules.edits.text import remove_modifier
from demur.text.analysis import Analysis
from demur.text.answers import find_answers
from demur.text.kinds import entry_name
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, verb_tags
from demur.text.modifiers import ModifierKind, find_modifiers
from demur.text.tokens import words

_TAIL: Final = re.compile(
    r",(?! \d{4})|;| (?:before|after|when|while|where|which|who|because|following|although|until) "
)
_PRONOUN: Final = re.compile(r"^(?:It|He|She)(?= [a-z])")
_FEWEST: Final = 5
_LONGEST: Final = 36


def core(analysis: Analysis, sentence: str) -> str | None:
    """Return a sentence that answers in a shorter form that stands alone; None where it has none."""
    text = _without_tail(analysis, sentence.strip())
    for kind in (ModifierKind.PARENTHETICAL, ModifierKind.OPENER):
        found = [m for m in find_modifiers(text) if m.kind is kind and not find_answers(m.text, analysis.base.answers)]
        for modifier in sorted(found, key=lambda m: m.span, reverse=True):
            text = remove_modifier(text, modifier)
    name = entry_name(analysis.main.text)
    if name is not None and _PRONOUN.match(text):
        text = _PRONOUN.sub(lambda _: name, text)
    whole = (
        re.match(r"[A-Z\"“0-9]", text)
        and not _PRONOUN.match(text)
        and "\n" not in text
        and text.count("(") == text.count(")")
    )
    sound = text.count('"') % 2 == 0 and not re.match(
        r"(?:This|These|That|They|Its|His|Her|Their|However|But|And)\b", text
    )
    first, last = (text.split()[i].lower().strip(".") if text.split() else "" for i in (0, -1))
    sound = sound and last not in PREPOSITIONS
    sound = sound and not (verb_tags(first) & {"VBN", "VBG"} and not can_be(first, "NOUN"))
    return as_sentence(text) if whole and sound and _FEWEST <= len(text.split()) <= _LONGEST else None


def _without_tail(analysis: Analysis, text: str) -> str:
    """Return a text up to the first break behind its answer, where a verb stands before that."""
    mentions = find_answers(text, analysis.base.answers)
    if not mentions:
        return text
    end = mentions[-1].span.end
    at = _TAIL.search(text, end)
    stated = [t for t in words(text[:end])][1:]
    verb = any(t.norm in AUXILIARIES or verb_tags(t.norm) & {"VBD", "VBZ"} and not t.text[:1].isupper() for t in stated)
    return text[: at.start()] if at is not None and verb else text

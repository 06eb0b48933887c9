"""LOW: a place or an example goes that nobody asks for, and the answer stays."""

import re
from collections.abc import Iterator

from demur.rules.edits.answer_phrases import token_index
from demur.rules.edits.text import excise_sentence, remove_modifier
from demur.rules.operators.missing_info.cutting import Cut, cut_in_signal
from demur.rules.operators.registry import Declined, Draft, Pull, operator
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.lexicon import can_be, countries, regions, verb_tags, word_set
from demur.text.modifiers import ModifierKind
from demur.text.names import NameKind
from demur.text.spans import Span
from demur.text.tokens import Token, fold

_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|such as|including|e\.g\.|among (?:these|them|others)|examples? (?:of|are|is))\b"
    r"|^Other \w+",
    re.IGNORECASE,
)
_NEEDS_PLACE = word_set(
    "located situated based live lives lived lie lies lay stand stands stood is was are were be been held set takes "
    "took place remain remains resides resided found available released filmed shot published held premiered"
)
_TONGUES = re.compile(
    r"(?:ish|ese)$|^(?:latin|greek|french|german|arabic|hebrew|sanskrit|russian|italian)$", re.IGNORECASE
)


def _places(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for modifier in passage.modifiers_of(ModifierKind.PLACE_PHRASE):
        named = [n for n in passage.names if n.kind is NameKind.PLACE and modifier.span.covers(n.span)]
        wide = any(fold(n.text) in countries() | regions() for n in named)
        cuts_name = any(modifier.span.overlaps(n.span) and not modifier.span.covers(n.span) for n in passage.names)
        listed = re.match(r",? (?:and|or|to) |, [A-Z]", passage.text[modifier.span.end :])
        if not named or wide or cuts_name or listed or any(_TONGUES.search(n.text) for n in named):
            continue
        at = token_index(passage, modifier.span.start)
        before = passage.tokens[at - 1] if at else None
        if before is None or not before.is_word or before.norm in _NEEDS_PLACE:
            continue
        if _inside_title(passage, modifier.span, before):
            continue
        noun = before.is_capitalised or (
            can_be(before.norm, "NOUN") and not verb_tags(before.norm) & {"VBD", "VBN", "VBZ"}
        )
        if noun:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


def _inside_title(passage: PassageAnalysis, span: Span, before: Token) -> bool:
    """Return whether a phrase of place is a piece of a title: 'Monkeys in Malta: The Movie', "Midnight in Malmo"."""
    if passage.text[span.end : span.end + 1] in {":", '"', "”", "'", "’"} - {""}:
        return True
    bearers = (NameKind.PERSON, NameKind.ORGANISATION, NameKind.PLACE)
    named = any(n.span.end == before.end and n.kind in bearers for n in passage.names)
    return before.is_capitalised and not named


@operator("missing_info.remove_city_phrase")
def remove_city_phrase(pull: Pull) -> Draft | Declined:
    """Delete a phrase that names a place nobody asks for."""
    return cut_in_signal(_places, "A phrase naming a place that is not asked for was deleted.", pull)


def _examples(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for sentence in analysis.peripheral_sentences(passage):
        prose = (
            re.match(r"[\"“]?[A-Z]", sentence.text)
            and sum(c.isdigit() for c in sentence.text) < len(sentence.text) / 10
        )
        if prose and _EXAMPLE.search(sentence.text):
            yield Cut(sentence.text, excise_sentence(passage.text, sentence))


@operator("missing_info.drop_example_sentence")
def drop_example_sentence(pull: Pull) -> Draft | Declined:
    """Delete a sentence that only gives examples."""
    return cut_in_signal(_examples, "A sentence that only illustrates was deleted.", pull)

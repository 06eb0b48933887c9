"""LOW: an aside, an opening, the day of a date or the end of the last sentence goes; the answer stays."""

import re
from collections.abc import Iterator

from demur.rules.edits.text import remove_modifier
from demur.rules.operators.missing_info.cutting import Cut, cut_in_signal, modifier_cuts
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.dates import DatePrecision
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.modifiers import ModifierKind
from demur.text.tokens import fold, tokenise


@operator("missing_info.parenthetical_excise", last=True)
def parenthetical_excise(pull: Pull) -> Draft | Declined:
    """Delete a bracketed aside."""
    return cut_in_signal(modifier_cuts(ModifierKind.PARENTHETICAL), "A bracketed aside was deleted.", pull)


def _openers(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    held = {s.index for s in passage.answer_sentences}
    for modifier in passage.modifiers_of(ModifierKind.OPENER):
        scene = len(modifier.text.split()) >= 3 and modifier.text.split()[0].lower() not in {"for", "as", "according"}
        if scene and modifier.sentence not in held:
            yield Cut(modifier.text, remove_modifier(passage.text, modifier))


@operator("missing_info.intro_clause_removal")
def intro_clause_removal(pull: Pull) -> Draft | Declined:
    """Delete an introductory phrase in front of a main clause."""
    return cut_in_signal(_openers, "An introductory phrase was deleted.", pull)


def _tails(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    last = passage.sentences[-1]
    words = [t for t in tokenise(last.text) if t.is_word]
    held = max((a.span.end - last.span.start for a in passage.answers), default=0)
    for at in range(max(4, len(words) // 3), len(words) - 2):
        mid_phrase = words[at].norm not in FUNCTION_WORDS and words[at - 1].text.isalpha()
        end = last.span.start + words[at - 1].end
        flowing = last.text[words[at - 1].end : words[at].start] == " "
        flowing = flowing and not any(n.span.start < end < n.span.end for n in passage.names)
        if mid_phrase and flowing and words[at - 1].end > held:
            yield Cut(passage.text[end:].strip(), passage.text[:end])


@operator("missing_info.chunk_tail_cut_off", last=True)
def chunk_tail_cut_off(pull: Pull) -> Draft | Declined:
    """Let the last sentence break off in the middle of a phrase."""
    return cut_in_signal(_tails, "The last sentence breaks off, as in a chunk of fixed length.", pull)


def _months(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for date in passage.dates:
        if date.precision not in (DatePrecision.DAY, DatePrecision.MONTH) or date.year is None:
            continue
        year = str(date.year)
        if any(date.span.overlaps(a.span) and fold(a.text) != year for a in passage.answers):
            continue
        before = passage.text[: date.span.start]
        preposition = re.search(r"\b(on|in|On|In|since|until|by|from|to|before|after) $|(\()$", before)
        if not preposition or passage.text[date.span.end : date.span.end + 1] in "–-":
            continue
        if preposition[1] in {"on", "On"}:
            before = before[:-3] + ("in " if preposition[1] == "on" else "In ")
        removed = date.text.replace(year, "").strip(" ,")
        yield Cut(removed, before + year + passage.text[date.span.end :])


@operator("missing_info.trim_month_but_keep_year")
def trim_month_but_keep_year(pull: Pull) -> Draft | Declined:
    """Shorten a date to its year."""
    if len(pull.analysis.signal) > 1 and pull.analysis.answer_type is AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, "a date may be needed to work the answer out")
    return cut_in_signal(_months, "A date was shortened to its year.", pull)

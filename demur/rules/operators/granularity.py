"""Granularity mismatches: frames that ask for another level; LOW puts a coarser or wider level beside the fact."""

import re
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.edits.casing import in_register
from demur.rules.forms import opening_small
from demur.rules.operators.asking import ASKED, ask, asked
from demur.rules.operators.context import filled, note, of_context
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.text.kinds import kind_of_answer, kind_of_noun
from demur.text.questions import content_words

_LEAST_SENTENCES: Final = 2
_PARTS: Final = (
    (17, "early in"),
    (34, "in the first half of"),
    (66, "around the middle of"),
    (84, "in the second half of"),
    (101, "late in"),
)

operator("granularity.ask", *ASKED)(ask)


@operator("granularity.wider_noun")
def wider_noun(pull: Pull) -> Draft | Declined:
    """Name the wider kind in place of the noun before or behind a name: 'the production Rio Bravo'."""
    text = pull.analysis.question.text
    for match in re.finditer(r"\b(?P<det>the|an?) (?P<noun>[a-z]+)(?= (?:[\"A-Z]|called|named)| [a-z])", text):
        kind = kind_of_noun(match["noun"])
        frames = [f for f in pull.lever.frames if kind is not None and kind in f.kinds]
        if not frames or pull.analysis.question.focus and match["noun"] in pull.analysis.question.focus.split():
            continue
        wide = pull.rng.choice(frames).text
        new = f"{match['det'] if match['det'].lower() == 'the' else 'an' if wide[0] in 'aeiou' else 'a'} {wide}"
        return Draft(text[: match.start()] + new + text[match.end() :], reasoning="The question names the wider kind.")
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


@operator("granularity.headings", Slot.QUESTION, Slot.NAME)
def headings(pull: Pull) -> Draft | Declined:
    """Divide the passages that answer into two headed parts, and point the question at the part with the answer."""
    openings = [f for f in pull.lever.frames if Slot.QUESTION in f.slots]
    titles = [f.text for f in of_context(pull)]
    names = [pull.rng.choice(titles[: len(titles) // 2]), pull.rng.choice(titles[len(titles) // 2 :])]
    passage = pull.analysis.main
    sentence = pull.analysis.answer_sentence
    compared = " or " in pull.analysis.question.text
    if sentence is None or compared or len(passage.sentences) < _LEAST_SENTENCES or "\n" in passage.text:
        return Declined(DeclineReason.PASSAGE_TOO_SHORT)
    cut = len(passage.sentences) // 2
    held = {s.index >= cut for s in passage.answer_sentences}
    elsewhere = any(p.index != passage.index and p.gives_answer for p in pull.analysis.passages)
    if len(held) != 1 or elsewhere or not pull.analysis.question.is_well_formed or not _is_stated(pull, cut, held):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    at = passage.sentences[cut].span.start
    text = f"{names[0]}\n{passage.text[:at].rstrip()}\n\n{names[1]}\n{passage.text[at:]}"
    name = names[1] if held.pop() else names[0]
    question = fill(pull.rng.choice(openings), question=opening_small(pull.analysis.question.bare), name=name)
    return Draft(in_register(pull.analysis.question, question), {passage.index: text}, reasoning="Parts have names.")


def _is_stated(pull: Pull, cut: int, held: set[bool]) -> bool:
    """Return whether the part with the answer shares as many words with the question as the other one."""
    asked = content_words(pull.analysis.question.text)
    found = pull.analysis.main.sentences
    first, second = (asked & content_words(" ".join(s.text for s in part)) for part in (found[:cut], found[cut:]))
    return len(second) >= len(first) if held == {True} else len(first) >= len(second)


operator("granularity.note", Slot.NAME, Slot.NOUN, Slot.NOUNS)(note)


@operator("granularity.breadcrumb")
def breadcrumb(pull: Pull) -> Draft | Declined:
    """Put a breadcrumb line over a passage that is as it was."""
    line = filled(pull, pull.analysis.main)
    if line is None:
        return Declined(DeclineReason.NO_FRAME)
    passage = pull.analysis.main
    return Draft(
        pull.analysis.question.text, {passage.index: f"{line}\n{passage.text}"}, reasoning="The line over it is wider."
    )


@operator("granularity.coarse_date", Slot.WHEN_DID)
def coarse_date(pull: Pull) -> Draft | Declined:
    """Give the part of the century behind the year that answers, and ask for the exact year."""
    question = asked(pull, Slot.WHEN_DID)
    passage = pull.analysis.main
    year = pull.analysis.answer.strip()
    if question is None or kind_of_answer(pull.analysis) is not Kind.YEAR or not year.isdigit():
        return Declined(DeclineReason.ANSWER_TYPE)
    match = re.search(rf"\b[Ii]n {year}(?=[,.;]| (?!AD|BC|and|or|to|with))", passage.text)
    if match is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    after = passage.text[match.end() :]
    part = f", {century_part(int(year))}" + ("" if after[:1] in ",.;" else ",")
    text = passage.text[: match.end()] + part + after
    return Draft(question, {passage.index: text}, reasoning="The year stands beside its part of the century.")


def century_part(year: int) -> str:
    """Return the part of its century in which a year lies: 'late in the eighteenth century'."""
    from num2words import num2words

    words = next(said for end, said in _PARTS if (year - 1) % 100 + 1 < end)
    return f"{words} the {num2words((year - 1) // 100 + 1, to='ordinal')} century"

"""LOW openings: a false presupposition stands before a question that does not need it."""

import random
import re

from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.edits.pools import invented_person, shift_date_text, shift_number
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import replace_span
from demur.programs.rules.recipes.false_premise.phrasing import asking, named, opened, spoken
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, leans_back
from demur.programs.text.quantities import NumberKind

_LONGEST_PREAMBLE = 18
NOTE = "The passages are untouched and the question asks what it asked; the presupposition plays no part in the answer."


def _about(analysis: Analysis) -> str:
    thing = named(analysis)
    return spoken(analysis, thing) if thing is not None and thing.closed else "this subject"


@recipe("false_premise.non_existent_committee")
def non_existent_committee(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Bring a committee in that does not exist."""
    name = invented_person(rng).split()[-1]
    body = rng.choice(("Committee", "Commission", "Advisory Board"))
    opening = phrase(
        style,
        f"now that the {name} {body} on {_about(analysis)} has met",
        f"now that the {name} {body}, set up to look into {_about(analysis)}, has finished its work",
    )
    return asking(analysis, opened(analysis, opening), f"The {name} {body} is invented.", NOTE)


@recipe("false_premise.survey_wording_preamble")
def survey_wording_preamble(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Open with what most people asked are said to think."""
    thing = named(analysis)
    if thing is None or not thing.closed:
        return Declined(DeclineReason.NO_TOPIC)
    share = rng.choice(("nine out of ten", "most", "four in five"))
    opening = phrase(
        style,
        f"now that {share} people polled have named {spoken(analysis, thing)} their favourite subject",
        f"now that {share} people in a national survey say that they admire {spoken(analysis, thing)}",
    )
    if len(opening.split()) > _LONGEST_PREAMBLE:
        return Declined(DeclineReason.NO_TOPIC, "the preamble would be longer than most questions")
    return asking(analysis, opened(analysis, opening), "A survey result is invented.", NOTE)


@recipe("false_premise.irrelevant_detail_contradicted")
def irrelevant_detail_contradicted(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Repeat a detail of the passages with a wrong date or figure before asking."""
    options = _wrong_details(analysis, rng)
    if not options:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no short statement beside the answer stands alone")
    opening = phrase(style, "given that", "bearing in mind that")
    text = opened(analysis, f"{opening} {rng.choice(options)}")
    return asking(analysis, text, "A side detail of the passages is stated wrongly.", NOTE)


_LEANING = re.compile(
    r"(?:Even|Only|Also|Both|All|One) |(?:\S+ ){0,4}(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE
)
"""Openings of sentences that say nothing without the sentence before them."""


def _listed(text: str, end: int) -> bool:
    """Say whether the things counted are named one by one after the number: 'two surfers, Mike Hynson and ...'."""
    return re.match(r"[\w -]{0,20}[,:]", text[end:]) is not None


def _wrong_details(analysis: Analysis, rng: random.Random) -> list[str]:
    """Return short free-standing statements without the answer, each with its one date or figure changed."""
    found = []
    for passage in analysis.signal:
        for sentence in passage.sentences:
            text = sentence.text
            if (
                len(text.split()) > 22
                or not text.endswith(".")
                or any(c in text for c in '";:“”()')
                or leans_back(text)
            ):
                continue
            if "," in " ".join(text.split()[:8]) or _LEANING.match(text):
                continue
            if any(sentence.span.overlaps(a.span) for a in passage.answers) or not re.match(r"[A-Z][a-z]", text):
                continue
            dates = [d for d in passage.dates if sentence.span.covers(d.span) and d.year]
            numbers = [n for n in passage.numbers if sentence.span.covers(n.span) and n.unit and n.value >= 2]
            numbers = [
                n for n in numbers if n.kind is not NumberKind.ORDINAL and not _listed(passage.text, n.whole.end)
            ]
            changed = None
            if len(dates) == 1:
                changed = shift_date_text(text, rng, years=(-6, -4, 4, 6))
            elif len(numbers) == 1 and not dates:
                span, new = numbers[0].span, shift_number(numbers[0], rng)
                end = sentence.span.end + len(new) - len(span)
                changed = replace_span(passage.text, span, new)[sentence.span.start : end]
            if changed and not analysis.is_answer(changed):
                opens = re.match(r"\w+", changed)
                name = opens is not None and re.search(rf"[a-z,] [\"“]?{opens.group()}\b", analysis.main.text + text)
                found.append((changed if name else mid_sentence(changed)).rstrip("."))
    return found

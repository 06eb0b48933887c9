"""LOW with levels of naming and filing: genus, set and member, named part, roll-up, breadcrumb."""

import random

from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.remarks import ask, lead_in, remark_everywhere
from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity.genera import genus_for
from demur.programs.rules.recipes.granularity.keeping import NOTE, unanswered
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import (
    WORKS,
    SubjectKind,
    find_subject,
    has_kind,
    is_chained,
    kind_nouns,
    passage_subject,
)
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType


@recipe("granularity.genus_for_species")
def genus_for_species(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name the wider kind in the question where the passages name the particular one."""
    if (declined := unanswered(analysis)) is not None:
        return declined
    swapped = genus_for(analysis, rng)
    if swapped is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no noun of the question has a safe wider word")
    return Draft(in_register(analysis.question, swapped), {}, "A noun of the question gives way to its genus.", NOTE)


_ONE_WORD = WORKS | {SubjectKind.PERSON, SubjectKind.TEAM, SubjectKind.BAND, SubjectKind.COMPANY, SubjectKind.PLACE}


@recipe("granularity.named_individual")
def named_individual(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the passage speak of a set first, and point the question at the one member."""
    subject = find_subject(analysis)
    if (declined := unanswered(analysis)) is not None:
        return declined
    named = subject is not None and subject.name[:1].isupper() and (" " in subject.name or subject.kind in _ONE_WORD)
    if subject is None or not has_kind(subject) or not named:
        return Declined(DeclineReason.NO_TOPIC, "the subject is no named member of a set")
    question = analysis.question
    before = question.bare.removesuffix(subject.phrase).split()
    led = bool(before) and before[-1].lower() in {"in", "of", "on", "for", "at", "by", "about"}
    if not question.bare.endswith(subject.phrase) or not question.fronted or is_chained(analysis) or not led:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not end with its subject")
    nouns = kind_nouns(subject)
    asked = ask(analysis, f"{question.bare} in particular")
    openers = (
        f"Several {nouns} are covered in this collection, each of them in a section of its own",
        f"Of the {nouns} in this collection, every one is described separately",
        f"The {nouns} listed in this collection are treated one by one",
    )
    order = list(openers)
    rng.shuffle(order)
    turn = {p.index: order[at % len(order)] for at, p in enumerate(analysis.signal)}
    changed = apply_to_signal_passages(analysis, lambda p: f"{turn[p.index]}. {p.text}")
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(asked, changed, "The passage opens with the set, the question points at one member.", NOTE)


_PARTS = (("Background", "Details", "Further remarks"), ("Outline", "Main entry", "Additional notes"),
          ("Introduction", "Particulars", "Other points"))  # fmt: skip


@recipe("granularity.named_part")
def named_part(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Divide the passage into named parts, and direct the question to the part that holds the answer."""
    if (declined := unanswered(analysis)) is not None:
        return declined
    if analysis.is_answer(analysis.question.text) or analysis.answer_type is AnswerType.YES_NO:
        return Declined(DeclineReason.ANSWER_TYPE, "a comparison needs more than one part")
    before, held, after = rng.choice(_PARTS)

    def edit(passage: PassageAnalysis) -> str | None:
        at = [s.index for s in passage.answer_sentences]
        if not at:
            return f"{before}: {passage.text}"
        if len(passage.sentences) < 2:
            return f"{held}: {passage.text}"
        start = passage.sentences[at[0]].span.start if at[0] else 0
        last = passage.sentences[at[-1]]
        text = passage.text
        tail = text[last.span.end :].strip()
        head = f"{before}: {text[:start].strip()}\n" if at[0] else ""
        return f"{head}{held}: {text[start : last.span.end]}" + (f"\n{after}: {tail}" if tail else "")

    if all(len(p.sentences) < 2 for p in analysis.signal):
        return Declined(DeclineReason.PASSAGE_TOO_SHORT, "the passage has one sentence only")
    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    shown = held if not analysis.question.lower_case else held.lower()
    opener = phrase(
        style, f'going by the part headed "{shown}"', f'according to the section with the heading "{shown}"'
    )
    return Draft(lead_in(analysis, opener), changed, "The question goes to the named part that holds the answer.", NOTE)


@recipe("granularity.roll_up_note")
def roll_up_note(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a note that the entry is also counted in a larger roll-up."""
    subject = find_subject(analysis)
    if (declined := unanswered(analysis)) is not None:
        return declined
    notes = (
        phrase(
            style,
            "The overview has no line for {p} alone and sums several entries up in one",
            "In the summary at the head of this collection no line is kept for {p} alone, as the entry is rolled up "
            "with others",
        ),
        phrase(
            style,
            "The overview sums this entry up with others",
            "In the summary at the head of this collection the present entry is rolled up with others",
        ),
    )
    changed = remark_everywhere(analysis, subject, notes, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, "A note mentions a roll-up that gives no value.", NOTE)


_EVERYTHING = "General knowledge > All subjects"
_SHELVES: dict[SubjectKind, str] = {
    SubjectKind.FILM: "Arts and culture > Film", SubjectKind.SHOW: "Arts and culture > Television",
    SubjectKind.STAGE: "Arts and culture > Theatre", SubjectKind.SONG: "Arts and culture > Music",
    SubjectKind.ALBUM: "Arts and culture > Music", SubjectKind.BAND: "Arts and culture > Music",
    SubjectKind.BOOK: "Arts and culture > Literature", SubjectKind.GAME: "Leisure > Games",
    SubjectKind.PERSON: "People > Biographies", SubjectKind.PLACE: "Geography > Places of the world",
    SubjectKind.LANDFORM: "Geography > Physical geography",
    SubjectKind.COUNTRY: "Geography > Countries",
    SubjectKind.BUILDING: "Architecture > Buildings of the world",
    SubjectKind.TEAM: "Sport > Teams",
    SubjectKind.CONTEST: "Sport > Competitions",
    SubjectKind.COMPANY: "Economy > Businesses",
    SubjectKind.INSTITUTION: "Society > Institutions",
    SubjectKind.EVENT: "History > Events",
    SubjectKind.LAW: "Society > Law",
    SubjectKind.ORGANISM: "Nature > Living things",
    SubjectKind.BODY: "Nature > Anatomy",
    SubjectKind.PRODUCT: "Technology > Products",
}  # fmt: skip


@recipe("granularity.broad_breadcrumb")
def broad_breadcrumb(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a breadcrumb line of much wider scope in front of the passage."""
    subject = find_subject(analysis)
    if (declined := unanswered(analysis)) is not None:
        return declined
    shelf = _SHELVES.get(subject.kind, _EVERYTHING) if subject else _EVERYTHING
    if subject is not None and subject.kind is SubjectKind.PERSON and not subject.is_named:  # an office has no life
        shelf = _EVERYTHING
    last = rng.choice(("General overview", "Overall survey", "Summary of the whole field", "All entries at a glance"))

    def headed(passage: PassageAnalysis) -> str:
        about = subject is not None and (len(analysis.signal) == 1 or passage_subject(passage) == subject.name)
        line = f"{shelf if about else _EVERYTHING} > {last}"
        return f"{phrase(style, line, f'Home > {line}')}\n{passage.text}"

    changed = apply_to_signal_passages(analysis, headed)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, "A breadcrumb announces a scope wider than the text below it.", NOTE)

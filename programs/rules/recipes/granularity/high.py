"""HIGH: the question inverts the scale (molecules, milliseconds, the whole planet); no context could answer it."""

import random
import re

from demur.programs.rules.edits.remarks import ask
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity import scales
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import Subject, SubjectKind, counted, doing_of, find_subject, kind_nouns
from demur.programs.text.analysis import Analysis
from demur.programs.text.quantities import NumberKind
from demur.programs.text.questions import WhWord

_NOTE = "The passages are untouched; no text on this subject reaches the scale that is asked for."
_LIVING = frozenset({SubjectKind.PERSON, SubjectKind.PEOPLE, SubjectKind.ORGANISM})
_GROUPS = frozenset({SubjectKind.TEAM, SubjectKind.BAND})
_SOLD = frozenset(
    {SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.SONG, SubjectKind.ALBUM, SubjectKind.BOOK, SubjectKind.GAME,
     SubjectKind.COMPANY, SubjectKind.TEAM, SubjectKind.PRODUCT, SubjectKind.BAND, SubjectKind.STAGE}
)  # fmt: skip
_NO_SMALL_PLACE = frozenset({"continent", "ocean", "sea", "desert", "state", "capital"})
_BEINGS = frozenset(
    "people persons farmers species animals birds players members inhabitants children students workers men women "
    "passengers soldiers residents dogs teachers".split()
)


def _draft(analysis: Analysis, question: str, reasoning: str) -> Draft:
    subject = find_subject(analysis)
    if subject is not None and subject.plural:
        question = question.replace(f"in the body of {subject.phrase}", f"in the bodies of {subject.phrase}")
    return Draft(ask(analysis, question), reasoning=reasoning, answer_note=_NOTE)


def _no_topic(detail: str = "") -> Declined:
    return Declined(DeclineReason.NO_TOPIC, detail)


@recipe("granularity.molecular")
def molecular(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for molecular detail of something that the passages describe at everyday scale."""
    subject = find_subject(analysis)
    if subject is None:
        return _no_topic()
    question = rng.choice(scales.MOLECULES[subject.kind]).replace("{s}", subject.phrase)
    return _draft(analysis, question, "Molecules are asked for where things of everyday size are described.")


@recipe("granularity.global_average")
def global_average(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a worldwide average to be derived from the one case described."""
    subject = find_subject(analysis)
    measure = scales.GLOBAL_AVERAGE.get(subject.kind) if subject else None
    if subject is None or measure is None or subject.plural:
        return _no_topic("no worldwide measure is known for the subject's kind")
    measure = measure.replace("{k}", kind_nouns(subject))
    question = phrase(
        style,
        f"going by {subject.phrase} alone, what is the worldwide average {measure}",
        f"derived from nothing but {subject.phrase}, what is the average {measure} over the whole of the earth",
    )
    return _draft(analysis, question, "A worldwide average is asked for where one case is described.")


_WHEN = re.compile(
    r"\b(?:in |on |at )?(?:when|(?:what|which) (?:exact )?(?:year|date|day|month|decade|century|time))\b", re.IGNORECASE
)


@recipe("granularity.millisecond")
def millisecond(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the millisecond of what is dated in days or years, or for every millisecond of a long history."""
    question, subject = analysis.question, find_subject(analysis)
    asked = _WHEN.search(question.bare)
    timed = question.wh is WhWord.WHEN or (question.focus or "").split(" ")[0].lower() in {"year", "date", "month"}
    if timed and asked is not None and " and " not in question.bare.lower():
        exact = phrase(style, "in exactly which millisecond", "at precisely which millisecond of which second")
        said = question.bare[: asked.start()] + exact + question.bare[asked.end() :]
        return _draft(analysis, said, "A millisecond is asked for where days or years are given.")
    if subject is None:
        return _no_topic()
    template = scales.MILLISECONDS.get(subject.kind, scales.MILLISECONDS[SubjectKind.THING])
    return _draft(
        analysis, template.replace("{s}", subject.phrase), "Every millisecond is asked for where years are told."
    )


@recipe("granularity.genome")
def genome(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the genome of living beings that the passages name or count."""
    subject, doing, counts = find_subject(analysis), doing_of(analysis), counted(analysis)
    sequence = phrase(style, "the complete dna sequence", "the full base sequence of the genome")
    if not analysis.question.lower_case:
        sequence = sequence.replace("dna", "DNA")
    if counts is not None and counts.split()[-1].lower() in _BEINGS:
        return _draft(analysis, f"what is {sequence} of each of the {counts} {_rest(analysis)}", "Genomes for a count.")
    if doing is not None and analysis.answer_type.value == "person":
        return _draft(
            analysis, f"what is {sequence} of whoever {doing.finite}", "A genome is asked for, a name is given."
        )
    if subject is None or subject.kind not in _LIVING | _GROUPS:
        return _no_topic("the subject is no living being")
    whose = f"each member of {subject.phrase}" if subject.kind in _GROUPS else subject.phrase
    return _draft(analysis, f"what is {sequence} of {whose}", "A genome is asked for, a name is given.")


def _rest(analysis: Analysis) -> str:
    subject = find_subject(analysis)
    return f"counted for {subject.phrase}" if subject else "counted here"


@recipe("granularity.world_economy")
def world_economy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the world's economic output to be worked out from one product, firm or sum."""
    subject = find_subject(analysis)
    if subject is None:
        return _no_topic()
    sums = [n for p in analysis.signal for n in p.numbers if n.kind is NumberKind.MONEY]
    if subject.kind not in _SOLD and not sums:
        return _no_topic("the subject is nothing that is sold, and no sum is mentioned")
    source = f"the earnings of {subject.phrase}"
    if subject.kind not in _SOLD:
        amount = sums[0].whole.of(next(p.text for p in analysis.signal if sums[0] in p.numbers))
        source = f"the {amount} mentioned in connection with {subject.phrase}"
    question = phrase(
        style,
        f"what is the gross domestic product of the whole world, worked out from {source}",
        f"if {source} are taken as the only basis, how large is the economy of the whole world",
    )
    return _draft(analysis, question, "The world economy is asked for where one product or sum is described.")


def _is_small_place(subject: Subject) -> bool:
    return (
        subject.kind in (SubjectKind.PLACE, SubjectKind.BUILDING, SubjectKind.LANDFORM)
        and subject.noun not in _NO_SMALL_PLACE
    )


@recipe("granularity.continental_climate")
def continental_climate(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a continent's climate to be derived from one place."""
    subject = find_subject(analysis)
    if subject is None or not _is_small_place(subject):
        return _no_topic("the subject is no single place")
    question = phrase(
        style,
        f"going by {subject.phrase} alone, what are the climate zones of the whole continent",
        f"what yearly rainfall for each region of the continent follows from the conditions at {subject.phrase}",
    )
    return _draft(analysis, question, "A continent's climate is asked for where one place is described.")


@recipe("granularity.global_land_use")
def global_land_use(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the use of all land on Earth to be read off one place."""
    subject = find_subject(analysis)
    if subject is None or not _is_small_place(subject):
        return _no_topic("the subject is no single place")
    question = phrase(
        style,
        f"going by {subject.phrase}, what share of all the land on earth is built on",
        f"taking {subject.phrase} as the only sample, how is the land surface of the whole earth divided among "
        f"its uses",
    )
    return _draft(analysis, question, "The land use of the Earth is asked for where one place is described.")


@recipe("granularity.particle_census")
def particle_census(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for every particle of something that the passages merely mention."""
    subject = find_subject(analysis)
    if subject is None:
        return _no_topic()
    solid = phrase(
        style,
        "what is the position of each single electron in {s}",
        "what is the quantum state of each single atom in {s}",
    )
    template = scales.PARTICLES.get(subject.kind, solid)
    return _draft(analysis, template.replace("{s}", subject.phrase), "Single particles are asked for, a name is given.")


@recipe("granularity.deep_time")
def deep_time(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a course over millions of years to be read off one snapshot."""
    subject = find_subject(analysis)
    if subject is None:
        return _no_topic()
    template = scales.DEEP_TIME[0] if subject.plural else phrase(style, *scales.DEEP_TIME)
    return _draft(
        analysis, template.replace("{s}", subject.phrase), "Deep time is asked for where a moment is described."
    )

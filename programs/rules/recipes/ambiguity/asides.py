"""LOW in context: a side remark that can be misread for a moment and settles itself."""

import random
from collections.abc import Sequence

from demur.programs.rules.edits.remarks import add_remark, spoken_of
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.ambiguity.material import KEPT, in_bearing_passages
from demur.programs.rules.recipes.registry import Declined, Draft, recipe
from demur.programs.rules.subjects.find import find_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.lexicon import is_known

_NEGATED = (
    "All three early accounts of {p} are not signed: two are, and one is not.",
    "Every page of an old file on {p} was not checked; four were, and one was left out.",
    "All five reviewers of a book on {p} did not reply: three did, two did not.",
    "All four plates in an old book on {p} are not in colour: one is, and three are in black and white.",
)
_NEGATED_LONG = (
    "All three of the editors who went over a book on {p} are not on the staff any more, that is to say, two "
    "have left and one has stayed.",
    "Every note in the margin of an old book on {p} has not been deciphered; six have been, and one has not.",
    "All four copies of an old account of {p} are not in good condition: one is, and three are worn.",
)
_GARDEN = (
    "The reader handed an article on {p} passed it on.",
    "The old letters about {p} block a drawer.",
    "The students shown a film on {p} asked for a copy.",
    "The printer sent a page on {p} lost it.",
    "The visitors told about {p} took notes.",
)
_GARDEN_LONG = (
    "The visitor told about the books on {p} asked the librarian for a copy of one.",
    "The proofreader passed the sheets on {p} was pleased to find few slips in them.",
    "The clerk sent the file on {p} returned it the same week with a short letter.",
    "The pupils read a long story about {p} remembered most of it.",
    "The editor offered a second article on {p} declined it with many thanks.",
)
_ADJECTIVES = (
    "The best-known account of {p} is a light one, light meaning short.",
    "One leaflet on {p} is a fast one: it can be read in a minute or so.",
    "There is a dry account of {p}, dry in the sense of sober.",
    "One file on {p} is a thin one, thin as to content and not as to paper.",
)
_ADJECTIVES_LONG = (
    "One study of {p} is a rich one, rich in detail, that is, and not in ornament.",
    "The longest account of {p} is regarded as a hard one, by which its reviewers mean that its facts are solid.",
    "One article on {p} is an old favourite, old only in that readers have liked it for long.",
    "A clean copy of a lecture on {p} is kept: clean because it is free of corrections.",
)
_METONYMS = (
    "The library that keeps the books on {p} is closed for painting, and the library has apologised to its readers.",
    "The archive that holds the papers on {p} stands on a hill; the archive answers letters within a week.",
    "The school where a course on {p} is taught has a new roof, and the school is proud of it.",
)
_METONYMS_LONG = (
    "The museum that has put a display on {p} together was whitewashed last spring, and the museum has asked visitors "
    "what they think of it.",
    "The library in which the books on {p} are kept leans slightly to one side; the library has announced longer "
    "opening hours all the same.",
    "The newspaper that printed a piece on {p} fills three storeys, and the newspaper has thanked its readers for "
    "their letters.",
)
_FLOATING = (
    "The editor and the printer of a leaflet on {p} have both signed it, so that it carries two names.",
    "The readers of an article on {p} have each sent one letter, and the letters were all answered.",
    "The proofs of a book on {p} were all read twice, that is, every sheet of them was.",
)
_FLOATING_LONG = (
    "The writers and the editors of a book on {p} have all put their initials under it, every one of them.",
    "The notes and the pictures that go with a lecture on {p} are both kept apart, in one folder for the notes and one "
    "for the pictures.",
    "The copies of a leaflet on {p} that were sent to schools have each been stamped, which is to say that there is a "
    "stamp on every copy.",
)


def _remark(analysis: Analysis, remarks: Sequence[str], rng: random.Random, reasoning: str) -> Draft | Declined:
    """Add one remark to every bearing passage, about the passage's own subject where it has one."""
    subject = find_subject(analysis)
    turn = rng.randrange(len(remarks))

    def edit(passage: PassageAnalysis) -> str | None:
        called = spoken_of(passage, subject)
        if called is None or analysis.is_answer(called) or analysis.answer_type is AnswerType.NUMBER:
            return None  # a remark that counts would put figures beside the one that is asked for
        said = remarks[(turn + passage.index) % len(remarks)]
        if " " not in called and is_known(called.lower()) and called[1:].islower():
            called = called.lower() if called.lower() in passage.text else called
        return add_remark(passage, said.replace("{p}", called))

    return in_bearing_passages(analysis, edit, reasoning, KEPT)


@recipe("ambiguity.scoped_negation_with_numeric_disambiguation")
def scoped_negation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark with 'all ... not' that exact counts settle."""
    remarks = _NEGATED if style is Style.TERSE else _NEGATED_LONG
    return _remark(analysis, remarks, rng, "The scope of the negation is open until the counts settle it.")


@recipe("ambiguity.late_resolving_garden_path")
def late_resolving_garden_path(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark whose reduced relative clause is first taken for the main clause."""
    remarks = _GARDEN if style is Style.TERSE else _GARDEN_LONG
    return _remark(analysis, remarks, rng, "The remark leads up the garden path and ends well.")


@recipe("ambiguity.coercive_adjective_polysemy")
def coercive_adjective_polysemy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark with an adjective of several senses, and say which is meant."""
    remarks = _ADJECTIVES if style is Style.TERSE else _ADJECTIVES_LONG
    return _remark(analysis, remarks, rng, "The adjective has several senses; the remark says which is meant.")


@recipe("ambiguity.metonymy_institution_for_building")
def metonymy_institution_for_building(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark in which a house and its people go by one name."""
    remarks = _METONYMS if style is Style.TERSE else _METONYMS_LONG
    return _remark(
        analysis, remarks, rng, "One name stands for a building and for the people in it, each clear by its verb."
    )


@recipe("ambiguity.floating_quantifier_anchored")
def floating_quantifier_anchored(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark with a quantifier that has drifted from its noun."""
    remarks = _FLOATING if style is Style.TERSE else _FLOATING_LONG
    return _remark(analysis, remarks, rng, "The quantifier floats; what it counts is named at once.")

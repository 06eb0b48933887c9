"""LOW in context: a side remark that can be misread for a moment and settles itself."""

import random
import re
from collections.abc import Sequence

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.lexicon import is_known
from programs.rules.analysis.names import NameKind
from programs.rules.edits.remarks import add_remark, spoken_of
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.ambiguity.material import KEPT, in_bearing_passages, named_subject, side_names
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects.find import find_subject
from programs.rules.subjects.kinds import SubjectKind

_NEGATED = (
    "All three early accounts of {p} are not signed: two are, and one is not.",
    "Every page of the file on {p} was not checked; four were, and one was left out.",
    "All five readers of this text on {p} did not send remarks: three did, two did not.",
)
_NEGATED_LONG = (
    "All three of the editors who went over this account of {p} are not on the staff any more, that is to say, two "
    "have left and one has stayed.",
    "Every note in the margin of this text on {p} has not been deciphered; six have been, and one has not.",
    "All four copies of this account of {p} are not in good condition: one is, and three are worn.",
)
_GARDEN = (
    "The reader handed this page on {p} passed it on.",
    "The notes filed under {p} fill a drawer.",
    "The students shown the text on {p} asked for a copy.",
    "The printer sent the page on {p} lost it.",
)
_GARDEN_LONG = (
    "The visitor told about the text on {p} asked the librarian for a copy of it.",
    "The proofreader passed the sheets on {p} was pleased to find few slips in them.",
    "The clerk sent the file on {p} returned it the same week with a short letter.",
    "The pupils read the passage on {p} remembered most of it.",
)
_ADJECTIVES = (
    "This account of {p} is a light one, light meaning short.",
    "The page on {p} is a fast one: it can be read in a minute or so.",
    "It is a dry account of {p}, dry in the sense of sober.",
    "The file on {p} is a thin one, thin as to content and not as to paper.",
)
_ADJECTIVES_LONG = (
    "This is a rich text on {p}, rich in detail, that is, and not in ornament.",
    "The account of {p} is regarded as a hard one, by which its reviewers mean that its facts are solid.",
    "The text on {p} is an old favourite, old only in that it was among the first to be put into this collection.",
    "It is a clean copy of the text on {p}: clean because it is free of corrections, whatever the state of its paper.",
)
_METONYMS = (
    "The library that keeps this text on {p} is closed for painting, and the library has apologised to its readers.",
    "The archive that holds the page on {p} stands on a hill; the archive answers letters within a week.",
    "The school where this account of {p} is read has a new roof, and the school is proud of it.",
)
_METONYMS_LONG = (
    "The museum that has put this text on {p} on show was whitewashed last spring, and the museum has asked visitors "
    "what they think of the display.",
    "The library in which the account of {p} is kept leans slightly to one side; the library has announced longer "
    "opening hours all the same.",
    "The newspaper that printed this piece on {p} fills three storeys, and the newspaper has thanked its readers for "
    "their letters.",
)
_FLOATING = (
    "The editor and the printer of this page on {p} have both signed it, so that it carries two names.",
    "The readers of this text on {p} have each sent one letter, and the letters were all answered.",
    "The proofs of this account of {p} were all read twice, that is, every sheet of them was.",
)
_FLOATING_LONG = (
    "The writers and the editors of this account of {p} have all put their initials under it, every one of them.",
    "The notes and the pictures that go with the text on {p} are both kept apart, in one folder for the notes and one "
    "for the pictures.",
    "The copies of this text on {p} that were sent to schools have each been stamped, which is to say that there is a "
    "stamp on every copy.",
)


def _remark(analysis: Analysis, remarks: Sequence[str], rng: random.Random, reasoning: str) -> Draft | Declined:
    """Add one remark to every bearing passage, about the passage's own subject where it has one."""
    subject = find_subject(analysis)
    turn = rng.randrange(len(remarks))

    def edit(passage: PassageAnalysis) -> str | None:
        called = spoken_of(passage, subject)
        if called is None or analysis.is_answer(called) or analysis.answer_type is AnswerType.NUMBER:
            called = None
        said = remarks[(turn + passage.index) % len(remarks)]
        if called is not None and " " not in called and is_known(called.lower()) and called[1:].islower():
            called = called.lower() if called.lower() in passage.text else called
        said = re.sub(r" (?:of|on|about|under) \{p\}", "", said) if called is None else said.replace("{p}", called)
        return add_remark(passage, said)

    return in_bearing_passages(analysis, edit, reasoning, KEPT)


@recipe("ambiguity.scoped_negation_with_numeric_disambiguation")
def scoped_negation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark with 'all ... not' that exact counts settle."""
    remarks = _NEGATED if style is Style.TERSE else _NEGATED_LONG
    return _remark(analysis, remarks, rng, "The scope of the negation is open until the counts settle it.")


@recipe("ambiguity.late_resolving_garden_path")
def late_resolving_garden_path(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a remark whose reduced relative clause is first taken for the main clause."""
    remarks = [r for r in (_GARDEN if style is Style.TERSE else _GARDEN_LONG)]
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


def _with_names(
    analysis: Analysis, wanted: int, pattern: str, reasoning: str, rng: random.Random, *kinds: NameKind
) -> Draft | Declined:
    """Add a remark about names of each bearing passage that are no answer and not asked about."""

    def edit(passage: PassageAnalysis) -> str | None:
        names = [*side_names(analysis, passage, *kinds, inside=False), *side_names(analysis, passage, *kinds)]
        names = list(dict.fromkeys(names))
        if len(names) < wanted:
            return None
        chosen = names[:wanted] if rng.random() < 0.7 else names[: wanted + 1][-wanted:]
        return add_remark(passage, pattern.format(*chosen))

    return in_bearing_passages(analysis, edit, reasoning, KEPT)


@recipe("ambiguity.comparative_ellipsis_resolved")
def comparative_ellipsis_resolved(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Compare two names of the passage with words left out, and supply them."""
    pattern = phrase(
        style,
        "Readers ask about {0} more often than {1}, that is, more often than they ask about {1}.",
        "Later writers mention {0} more gladly than {1}, in other words, more gladly than they mention {1}.",
    )
    return _with_names(analysis, 2, pattern, "The comparison leaves words out and then supplies them.", rng)


@recipe("ambiguity.possessive_split_disambiguated")
def possessive_split_disambiguated(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give two names of the passage something in common or one each, and say which."""
    pattern = phrase(
        style,
        rng.choice(("{0} and {1}'s entries, one for each, stand elsewhere.", "{0} and {1}'s one joint page is short.")),
        rng.choice((
            "{0} and {1}'s entries in this collection, a separate one for each of the two, are longer than this one.",
            "{0} and {1}'s photograph, a single one that shows the two together, is kept in the picture archive.",
        )),
    )  # fmt: skip
    return _with_names(
        analysis, 2, pattern, "The shared possessive is settled in the same sentence.", rng, NameKind.PERSON
    )


_VARIANTS = (
    ("ph", "f"), ("ck", "k"), ("sch", "sh"), ("tt", "t"), ("ll", "l"), ("nn", "n"), ("rr", "r"), ("ss", "s"),
    ("oo", "u"), ("ey", "y"), ("ou", "u"), ("y", "i"), ("c", "k"), ("w", "v"), ("x", "ks"), ("z", "s"),
)  # fmt: skip


_ADJECTIVAL = re.compile(r"(?:ish|ese|ian|ean|can|ench|utch)$")


def respelt(name: str) -> str | None:
    """Return a name as another transliteration might spell it, None where no letter lends itself."""
    words = name.split()
    for position in range(len(words) - 1, -1, -1):
        word = words[position]
        for old, new in _VARIANTS:
            at = word.find(old, 1)
            if (
                at > 0
                and len(word) > 3
                and not is_known(word.lower())
                and word[1:].islower()
                and not word.endswith("'s")
            ):
                changed = word[:at] + new + word[at + len(old) :]
                return " ".join([*words[:position], changed, *words[position + 1 :]])
    return None


@recipe("ambiguity.variant_spelling_of_one_name")
def variant_spelling_of_one_name(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give a second spelling of a name and say that it is the same bearer's."""
    subject = named_subject(analysis)

    def edit(passage: PassageAnalysis) -> str | None:
        names = [*side_names(analysis, passage, inside=False), *side_names(analysis, passage)]
        if subject is not None and subject.name in passage.text and subject.kind is not SubjectKind.PERSON:
            names.append(subject.name)
        plain = [n for n in dict.fromkeys(names) if not _ADJECTIVAL.search(n)]
        pairs = [(n, v) for n in plain if (v := respelt(n)) and v not in passage.text]
        if not pairs:
            return None
        name, variant = pairs[0]
        said = phrase(
            style,
            f"Some catalogues spell {name} as {variant}; it is the same name.",
            f"Catalogues with another system of spelling have {variant} for {name}, with the same bearer in mind.",
        )
        return add_remark(passage, said)

    return in_bearing_passages(analysis, edit, "A name now stands in two spellings that belong to one bearer.", KEPT)


@recipe("ambiguity.distinguished_bystander_namesake")
def distinguished_bystander_namesake(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Mention another bearer of the subject's name and say that it has no part in this."""
    subject = named_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    frame = rng.choice(
        ("ferry", "racehorse", "garden rose", "tram stop", "bakery", "brass band", "footpath", "guest house")
    )
    said = phrase(
        style,
        f"A {frame} that is also called {subject.name} has nothing to do with this.",
        f"There is a {frame} of the same name, {subject.name}, which is another thing and plays no part here.",
    )

    def edit(passage: PassageAnalysis) -> str | None:
        return add_remark(passage, said)

    return in_bearing_passages(analysis, edit, f"A {frame} of the same name is told apart at once.", KEPT)

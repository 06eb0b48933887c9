"""MEDIUM: two sources of equal weight disagree about the very fact that is asked for."""

import random
import re

from demur.programs.rules.edits.grammar import number_words
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.recipes.contradiction.conflict import Conflict, in_noise, read_conflict, written
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import FactKind

_LONGEST_NOUN = 13
_MANY_MAY_BE = re.compile(r"\binvolved\b|\btook part\b|^an? |\bone of\b|\bamong\b")
_NOTE = "The answer still stands in the passages; a source of equal weight now speaks against it."


def _draft(analysis: Analysis, rng: random.Random, said: str | list[str]) -> Draft | Declined:
    reasoning = "A statement of equal authority about the asked fact is added that can't be true beside the first one."
    return written(analysis, rng, said, reasoning, _NOTE)


@recipe("contradiction.modal_dilution")
def modal_dilution(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hold the answer to be impossible and another value to be possible, where the passage is certain."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    if found.is_long and not found.is_split:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement would be too long to repeat")
    source = rng.choice(
        ("the official record", "the standard reference work", "the official register", "a second standard work")
    )
    weight = pick(
        style,
        rng,
        (f"{source}, no less reliable, says", f"{source}, which is equally reliable, says"),
        (f"{source}, which is no less reliable, states", f"{source}, which carries just as much weight, states"),
    )
    possible = found.holds(found.rival, past="may have been", present="may be")
    excluded = _excluded(found)
    return _draft(analysis, rng, f"{weight} that {possible}, and that {excluded}")


def _excluded(found: Conflict) -> str:
    if not found.is_split:
        return f"it cannot be the case that {found.original}"
    verb = "cannot have been" if found.fact.past else "cannot be"
    return f"it {verb} {found.fact.fill(found.answer)}"


@recipe("contradiction.reported_speech_clash")
def reported_speech_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let one source report the fact in two ways."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None and found.fact.kind is not FactKind.POLAR:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    who = rng.choice(("archivist", "curator", "editor", "historian", "librarian"))
    opposite = f"that {found.opposite_again}"
    first = pick(
        style,
        rng,
        (
            f"asked about this, the responsible {who} said that {found.original}",
            f"the {who} in charge said in an interview that {found.original}",
        ),
        (
            f"in an interview about this very point, the responsible {who} said that {found.original}",
            f"when the {who} in charge was interviewed on this point, the answer was that {found.original}",
        ),
    )
    second = pick(
        style,
        rng,
        (
            f"in a signed statement about the same point, the same {who} said {opposite}",
            f"in a signed statement of the same day, the same {who} said {opposite}",
        ),
        (
            f"in a signed statement about the same point, given on the same day, the same {who} declared {opposite}",
            f"a signed statement by the same {who}, made on the same day, says just as plainly {opposite}",
        ),
    )
    return _draft(analysis, rng, [first, second])


@recipe("contradiction.source_timing_drift")
def source_timing_drift(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let two printings of one reference work disagree, neither of which corrects the other."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    if not found.fact.past:
        return Declined(DeclineReason.ANSWER_TYPE, "what holds at present may have changed between two printings")
    work = rng.choice(("reference work on the subject", "handbook on the subject", "encyclopaedia of the field"))
    years = number_words(rng.randrange(3, 10))
    tail = pick(
        style,
        rng,
        ("neither printing mentions the other's version", "both were checked by the same editors"),
        (
            "neither of the two printings mentions a change, and both were checked by the same editors",
            "the preface of neither speaks of a correction, and both are held in the same esteem",
        ),
    )
    said = (
        f"one printing of the standard {work} states that {found.original}, "
        f"while the printing made {years} years later states that {found.opposite_again}; {tail}"
    )
    return _draft(analysis, rng, said)


@recipe("contradiction.undated_twin_versions")
def undated_twin_versions(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Quote another version of the same text, as undated as the first."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    if in_noise(analysis):
        opening = pick(
            style,
            rng,
            (
                "one version of the reference entry on this matter, undated like all the others, states that",
                "another version of the reference entry, without date or number like the first, states that",
            ),
            (
                "one version of the reference entry on this matter, which like every other version of it bears "
                "neither a date nor a number, states that",
                "the reference entry on this matter is in circulation in a second version as well, undated and "
                "unnumbered like the first, which states that",
            ),
        )
    else:
        opening = pick(
            style,
            rng,
            (
                "another version of this text, undated like this one, states that",
                "a second version of this page, without date or number like this one, says that",
            ),
            (
                "another version of this text, which like this one bears neither a date nor a number, states that",
                "this page is in circulation in a second version as well, undated and unnumbered like this one, "
                "which states that",
            ),
        )
    return _draft(analysis, rng, f"{opening} {found.opposite}")


@recipe("contradiction.citation_against_text", last=True)
def citation_against_text(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the source that is cited for the fact say something else."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    source = rng.choice(("source", "study", "work"))
    if in_noise(analysis):
        cited = pick(
            style,
            rng,
            (
                f"the {source} that other accounts cite on this point says in so many words that",
                f"the {source} on which other accounts of this rest says that",
            ),
            (
                f"the very {source} that other accounts cite on this point, however, says in so many words that",
                f"those who look up the {source} on which other accounts of this rest will read there that",
            ),
        )
    else:
        cited = pick(
            style,
            rng,
            (
                f"the {source} cited for this, however, says that",
                f"the {source} to which a footnote refers for this, however, says that",
            ),
            (
                f"the {source} that is cited for this account, however, says in its own words that",
                f"a footnote names a {source} as the authority for this; that {source}, however, says that",
            ),
        )
    return _draft(analysis, rng, f"{cited} {found.opposite}")


@recipe("contradiction.attributive_predicative_conflict")
def attributive_predicative_conflict(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Describe the rival attributively as what the answer is said, predicatively, to be."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    noun = found.fact.noun
    if noun is not None and len(noun.split()) > _LONGEST_NOUN:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the description would be too long to repeat")
    if found.rival is None or noun is None or not found.rival[:1].isupper() or not found.answer[:1].isupper():
        return Declined(DeclineReason.ANSWER_TYPE, "only a name can stand in apposition")
    if _MANY_MAY_BE.search(noun) or found.fact.before.endswith((" are", " were")):
        return Declined(DeclineReason.ANSWER_TYPE, "more than one may be described so")
    be, rival = "was" if found.fact.past else "is", found.rival.removesuffix(" alone")
    work = rng.choice(("the official catalogue", "the authorised handbook", "the standard guide", "the yearbook"))
    said = phrase(
        style,
        f"{work} has an entry for {rival}, {noun}, and says in its preface that {noun} {be} {found.answer}",
        f"{work} has an entry for {rival}, {noun}, although its own preface says in plain words that "
        f"{noun} {be} {found.answer}",
    )
    return _draft(analysis, rng, said)

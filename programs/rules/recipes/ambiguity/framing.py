"""LOW in the question: a word, a pronoun or a description that could be misread, and can't be for long."""

import random
import re

from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.remarks import lead_in
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.ambiguity.material import KEPT, subject_of
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import FactKind, asked_fact
from demur.programs.text.lexicon import AUXILIARIES, PREPOSITIONS

_OPENERS = (
    "per the column below|going by this passage|by the source at hand|as this volume has it|by the entry given here|"
    "on the sheet provided|from the record at hand",
    "going by the column of text below|if the source at hand can be trusted|"
    "judging by the passage that lies open here|taking the volume at hand at its word|"
    "as far as the record before us goes|as the entry printed here has it|on the evidence of the sheet provided",
)
_SUBJECT_FORMS = {"it": ("it", "its"), "them": ("they", "their")}


@recipe("ambiguity.dominant_sense_polysemy")
def dominant_sense_polysemy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a word with several senses into the question, only one of which fits a text."""
    opener = rng.choice(phrase(style, *_OPENERS).split("|"))
    word = next(w for w in ("column", "passage", "source", "volume", "entry", "sheet", "record") if w in opener)
    question = lead_in(analysis, opener)
    return Draft(question, {}, f"'{word}' has other senses than the one that the text imposes.", KEPT)


def _after(analysis: Analysis, subject: Subject) -> tuple[str, str] | None:
    """Return the question before and after the subject's phrase, which must stand in it once."""
    bare = analysis.question.bare
    if bare.count(subject.phrase) != 1:
        return None
    before, _, after = bare.partition(subject.phrase)
    return before, after


@recipe("ambiguity.salient_antecedent_pronoun")
def salient_antecedent_pronoun(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name the subject first, beside something that no one asks about, and ask with a pronoun."""
    subject = subject_of(analysis)
    parts = _after(analysis, subject) if subject else None
    if subject is None or parts is None or not analysis.question.fronted or analysis.is_answer(subject.name):
        return Declined(DeclineReason.NO_TOPIC)
    if subject.kind in (SubjectKind.PERSON, SubjectKind.CHARACTER, SubjectKind.PEOPLE):
        return Declined(DeclineReason.NO_TOPIC, "the pronoun for a person is not sure")
    before, after = parts
    many = subject.plural or subject.kind in (SubjectKind.BAND, SubjectKind.TEAM)
    if before.split()[-1:] in (["do"], ["does"]) and (before.split()[-1] == "do") is not many:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "a pronoun would not agree there")
    nominative, possessive = _SUBJECT_FORMS["them" if many else "it"]
    last = before.split()[-1].lower() if before.split() else ""
    if after.startswith(("'s", "’s")):
        said, after = possessive, after[2:]
    elif last in AUXILIARIES:
        fact = asked_fact(analysis)
        if fact is None or fact.kind is not FactKind.ADJUNCT:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "a pronoun would not fit there")
        said = nominative
    else:
        said = "them" if many else "it"
    names_more = re.match(r" [A-Za-z]+", after) is not None and last not in AUXILIARIES and said in {"it", "them"}
    follows = after.split()[0].lower() if after.split() else ""
    stranded = last not in AUXILIARIES | PREPOSITIONS
    joined = names_more and follows not in {
        "in",
        "on",
        "at",
        "from",
        "for",
        "to",
        "and",
        "or",
        "when",
        "who",
        "that",
        "about",
    }
    if (
        joined
        or stranded
        or after[:1] in {"'", "’"}
        or last in {"the", "a", "an", "new", "movie", "song", "show", "film"}
        or not before.strip()
        or '"' in before + after
    ):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "a pronoun would not fit there")
    beside = rng.choice(
        phrase(
            style,
            "its fame|its critics|its reputation" if not many else "their fame|their critics|their reputation",
            "all the stories told about {o}|the fuss that is made about {o}|all that is written about {o}",
        ).split("|")
    ).format(o="them" if many else "it")
    opener = phrase(style, "as for", "speaking of")
    wh = before[:1].lower() + before[1:]
    question = in_register(analysis.question, f"{opener} {subject.phrase} and {beside}, {wh}{said}{after}")
    return Draft(
        question, {}, f"'{said}' stands for the salient '{subject.phrase}', not for what is said beside it.", KEPT
    )


@recipe("ambiguity.resolvable_appositive_ambiguity")
def resolvable_appositive_ambiguity(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Describe the subject a second time, in words that could belong to a neighbouring phrase as well."""
    subject = subject_of(analysis)
    parts = _after(analysis, subject) if subject else None
    if subject is None or parts is None or not any(c.isupper() for c in subject.name):
        return Declined(DeclineReason.NO_TOPIC)
    before, after = parts
    follows = after.split()[0].lower() if after.split() else ""
    fact = asked_fact(analysis)
    if fact is not None and fact.choices is not None:
        return Declined(DeclineReason.NO_TOPIC, "the question is about two things")
    inside = bool(after.strip()) and (
        after[:1] != " " or follows in {"s", "of", "and", "or", "vs"} or after.startswith(",")
    )
    if inside or before.rstrip().endswith((",", '"')) or follows and not _ends_phrase(follows):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the description would split a phrase")
    one = "the ones" if subject.plural else "the one"
    said = rng.choice(
        phrase(
            style, f"{one} described here|{one} in the text", f"{one} that the text deals with|{one} written about here"
        ).split("|")
    )
    tail = "," if after.strip() else ""
    question = in_register(analysis.question, f"{before}{subject.phrase}, {said}{tail}{after}")
    return Draft(question, {}, f"'{said}' could describe another phrase; it fits '{subject.phrase}'.", KEPT)


def _ends_phrase(word: str) -> bool:
    return word in AUXILIARIES or word in {"in", "on", "at", "by", "to", "with", "when", "who", "which", "that", "from"}

"""Noun phrases about a subject and about a passage's own subject, for use in new questions and added sentences."""

import re
from collections.abc import Iterable

from demur.programs.rules.edits.grammar import plural
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import PassageAnalysis
from demur.programs.text.lexicon import can_be, is_known, verb_tags

_DEFAULT_NOUN = {
    SubjectKind.FILM: "film",
    SubjectKind.SHOW: "television show",
    SubjectKind.STAGE: "stage work",
    SubjectKind.SONG: "song",
    SubjectKind.ALBUM: "album",
    SubjectKind.BOOK: "book",
    SubjectKind.GAME: "game",
    SubjectKind.CHARACTER: "fictional character",
    SubjectKind.PERSON: "person",
    SubjectKind.PEOPLE: "people",
    SubjectKind.PLACE: "place",
    SubjectKind.LANDFORM: "landform",
    SubjectKind.COUNTRY: "country",
    SubjectKind.BUILDING: "building",
    SubjectKind.TEAM: "team",
    SubjectKind.BAND: "band",
    SubjectKind.COMPANY: "company",
    SubjectKind.INSTITUTION: "institution",
    SubjectKind.CONTEST: "contest",
    SubjectKind.EVENT: "event",
    SubjectKind.LAW: "law",
    SubjectKind.ORGANISM: "living thing",
    SubjectKind.BODY: "part of the body",
    SubjectKind.PRODUCT: "product",
    SubjectKind.THING: "case",
}
_OWN_NOUN = frozenset(
    {SubjectKind.PERSON, SubjectKind.PLACE, SubjectKind.LANDFORM, SubjectKind.BUILDING, SubjectKind.INSTITUTION,
     SubjectKind.EVENT, SubjectKind.PRODUCT, SubjectKind.STAGE, SubjectKind.BOOK, SubjectKind.CONTEST}
)  # fmt: skip
_POOR_NOUNS = frozenset(
    "order case place state code super bowl draft capital community series era set ethnic fantasy".split()
)
_OPENING = re.compile(
    r"^(?P<name>[\"“]?[A-Z0-9][^.;:()\[\]]{1,70}?[\"”]?)(?: ?\(|, (?:also|born|or|a|an|the)\b|, Op| "
    r"(?:is|was|are|were|has|had|refers|comprises)\b)"
)
_TITLED = re.compile(
    r"\b(?:film|album|song|single|band|novel|book|series|sitcom|newspaper|magazine|show|musical|opera|play|game|group)\b"
)
"""What the passage's subject is where 'The' belongs to its name."""
_OF_OLD = frozenset("ancient former soviet empire babylon medieval old".split())
_NO_OPENING = frozenset(
    "it he she they this that these those in on at after before during when while as for since by from with although "
    "however there his her its their following under according to if both some many most and but i we you each "
    "every one several other another all no here today set based over "
    "within until unlike like early late".split()
)


_COUNTS = frozenset("two three four five six seven eight nine ten eleven twelve most many".split())


def kind_noun(subject: Subject) -> str:
    """Return the noun for what the subject is one of: 'film', 'river', 'singer'; 'case' where none is known."""
    own = subject.kind in _OWN_NOUN or subject.kind is SubjectKind.THING
    if subject.noun and own and subject.noun not in _POOR_NOUNS:
        return subject.noun
    return _DEFAULT_NOUN[subject.kind]


def kind_nouns(subject: Subject) -> str:
    """Return the plural of `kind_noun`."""
    noun = kind_noun(subject)
    if noun == "part of the body":
        return "parts of the body"
    if noun == "people":
        return "peoples"
    if noun == "person":
        return "people"
    head, _, last = noun.rpartition(" ")
    return f"{head} {plural(last)}".strip()


def is_gone(subject: Subject, passages: Iterable[PassageAnalysis]) -> bool:
    """Say whether the passages speak of the subject as of something that is no more ('Babylon was a city')."""
    if set(subject.phrase.lower().split()) & _OF_OLD:
        return True
    was = re.compile(rf"{re.escape(subject.name)}[^.;]{{0,60}}? (?:was|were) (?:a|an|the|one)\b", re.IGNORECASE)
    return any(was.search(p.text) for p in passages)


def like(subject: Subject) -> str:
    """Return 'films like rio bravo'; a subject that is a kind of its own ('red blood cells') stands alone."""
    return subject.phrase if subject.plural else f"{kind_nouns(subject)} like {subject.short}"


def has_kind(subject: Subject) -> bool:
    """Say whether there is a noun for what the subject is one of, so that 'all films' can be spoken of."""
    itself = subject.name.lower() == subject.noun or subject.short.lower().removeprefix("the ") == subject.noun
    opens = subject.phrase.split(" ", 1)[0].lower()
    mass = subject.kind is SubjectKind.THING and not subject.is_named and opens not in {"the", "a", "an"}
    return (
        not subject.plural
        and not itself
        and not mass
        and (subject.kind is not SubjectKind.THING or subject.noun is not None)
    )


def passage_subject(passage: PassageAnalysis) -> str | None:
    """Return what a passage opens with as its own subject ('Rio Bravo'), None where it opens otherwise."""
    if not passage.sentences:
        return None
    found = _OPENING.match(passage.sentences[0].text)
    if not found:
        return None
    name = found["name"].strip().rstrip(",").partition(" or ")[0]
    words = name.split()
    clause = any(w.islower() and verb_tags(w) & {"VBD", "VBZ"} and not can_be(w, "NOUN") for w in words[1:])
    if (
        clause
        or len(words) > 7
        or words[0].lower() in _NO_OPENING
        or sum(w.isdigit() for w in words) > 1
        or words[0] in {"A", "An"}
        or (words[0] != "The" and sum(w.islower() and len(w) > 3 for w in words) > 1)
        or re.match(r"[^()]*\) [A-Z]", passage.sentences[0].text[found.end() :])
        or (len(words) > 1 and words[0].lower() in _COUNTS)
        or "," in name
        or re.search(r"['’]s (?:[a-z]+ )*[a-z]+ [A-Z]", name) is not None  # "Ann's friend Bea" is beside the point
        or name.count('"') % 2
        or name.count("“") != name.count("”")
    ):
        return None
    if name.endswith("in") and passage.sentences[0].text[found.end("name") :][:1] in {"'", "’"}:
        name += "'"  # 'Made for Walkin''
    if words[0] not in {"The", "A", "An"} or len(words) < 2:
        common = len(words) > 1 and words[0][1:].islower() and is_known(words[0].lower())
        opened = common and all(w.islower() for w in words[1:])  # 'Building construction is ...'
        return name[0].lower() + name[1:] if opened and f" {words[0]} " not in passage.text[1:] else name
    titled = _TITLED.search(passage.sentences[0].text[found.end("name") :][:90])
    written_small = f" {name[0].lower()}{name[1:]}" in passage.text
    return name if titled and not written_small and words[1][:1].isupper() else name[0].lower() + name[1:]

"""What a question is about, as a phrase that can be put into another question in the same register."""

import re
from dataclasses import dataclass
from functools import lru_cache

from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.subjects.candidates import VAGUE, Candidate, acceptable, aligned, named
from demur.programs.rules.subjects.edges import left_edge, right_edge, wants_article, whole_name
from demur.programs.rules.subjects.framed import framed
from demur.programs.rules.subjects.kinds import WORKS, SubjectKind
from demur.programs.rules.subjects.kinds_of import find_kind, heads_a_clause
from demur.programs.rules.subjects.kinds_told import noun_kind
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import (
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    lemmas,
    verb_tags,
)
from demur.programs.text.questions import WhWord
from demur.programs.text.tokens import Token, fold


@dataclass(frozen=True, slots=True)
class Subject:
    """The thing that a question is about.

    `phrase` is how a question writes it, article included ('the movie rio bravo'), `short` the same without the word
    for its kind, to stand after that word ('films like rio bravo'); `name` is how passages write it, or the phrase
    where they never name it; `noun` the plain noun of its kind where one is known ('film', 'river').
    """

    phrase: str
    short: str
    name: str
    kind: SubjectKind
    noun: str | None
    plural: bool

    @property
    def is_named(self) -> bool:
        """True where the name is a proper name and not a phrase of common nouns."""
        return any(c.isupper() for c in self.name)

    @property
    def in_text(self) -> str:
        """The name as running text of a passage writes it, with the article that the question gives it."""
        article = self.phrase.split(" ", 1)[0].lower()
        opens = self.name.split(" ", 1)[0].lower()
        if opens == "the" and self.kind not in _BARE:
            return f"the{self.name[3:]}"
        if article == "the" and " of " in self.name and self.kind is SubjectKind.PERSON and opens not in DETERMINERS:
            return f"the {self.name}"  # an office
        if article in {"the", "a", "an"} and opens not in DETERMINERS and self.kind not in _BARE:
            named = _NAMED_AS.match(self.phrase)
            return f"{named[0].lower()}{self.name}" if named else f"the {self.name}"
        return self.name


_NAMED_AS = re.compile(r"the (?:[a-z]+ )?(?:name|surname|word|term|phrase) (?=\w+$)", re.IGNORECASE)
_SPOKEN = {"series": "tv series", "show": "tv show", "episode": "tv show", "single": "song", "track": "song"}
_TWO_SENSES = frozenset(
    {"model", "driver", "general", "ruling", "track", "single", "cell", "case", "order", "code", "bill", "note"}
)
_KIND_OPENER = re.compile(r"^(?:the|this|a|an) (?:[\w-]+ ){0,2}?(?P<noun>[a-z]+) (?P<rest>.+)$", re.IGNORECASE)
_NOT_A_NAME = PREPOSITIONS | {"that", "which", "and", "is", "was"}
_MANY = frozenset({SubjectKind.TEAM, SubjectKind.BAND, SubjectKind.PEOPLE, SubjectKind.BUILDING, SubjectKind.THING})
_BARE = frozenset({SubjectKind.PERSON, SubjectKind.FILM, SubjectKind.SONG, SubjectKind.ALBUM, SubjectKind.BOOK,
                   SubjectKind.SHOW, SubjectKind.STAGE, SubjectKind.GAME, SubjectKind.CHARACTER})  # fmt: skip


def _phrase(text: str, tokens: list[Token], name: str | None) -> str:
    start, end = tokens[0].start, tokens[-1].end
    said = text[start:end]
    possessive = said.endswith(("'s", "’s"))
    if possessive and name is not None and not name.endswith(("'s", "’s")):
        said = said[:-2]
    quotes = len(re.findall(r'["“”]', said))
    if quotes % 2 == 1 and text[end : end + 1] in {'"', "”"}:
        return said + text[end]
    if said.endswith("in") and re.match(r"['’](?: |$)", text[end:]):  # 'Made for Walkin''
        return said + text[end]
    if quotes == 0 and text[start - 1 : start] in {'"', "“"} and text[end : end + 1] in {'"', "”"}:
        return text[start - 1] + said + text[end]
    return said


@lru_cache(maxsize=256)
def find_subject(analysis: Analysis) -> Subject | None:
    """Return what the question is about, None where no phrase for it can be taken from the question safely."""
    asked = [t for t in analysis.question.tokens if t.is_word]
    accepted = {fold(a) for a in analysis.base.answers}
    offset = 1 if analysis.question.fronted and analysis.question.wh not in {WhWord.YES_NO, WhWord.NONE} else 0
    found = {
        candidate
        for source in (aligned(analysis, asked), framed(asked, analysis.question.lower_case), named(analysis, asked))
        for candidate in source
        if candidate.first >= offset and acceptable(candidate, asked, accepted)
    }
    texts = [fold(p.text) for p in analysis.signal]
    counting = analysis.question.wh in {WhWord.HOW_MANY, WhWord.HOW_MUCH}
    ranked = sorted(
        found, key=lambda c: (-c.score - _weight(c, texts) + 5 * (counting and c.first == 2), c.first, -c.last)
    )
    if not ranked:
        return None
    chosen = ranked[0]
    written = next((c.name for c in ranked if c.name and (c.first, c.last) == (chosen.first, chosen.last)), None)
    subject = _subject(analysis, asked, Candidate(chosen.first, chosen.last, written, chosen.score))
    clause = re.search(r"\w (?:is|are|was|were) (?:a|an|the|in) ", subject.phrase)
    whole = clause is None or subject.name != subject.phrase
    text = analysis.question.text
    part = _is_part_of_quotation(text, subject.name) or _is_part_of_pair(text, subject.phrase)
    return None if not whole or part or _is_narrowed(text, subject) else subject


_PAIRED = r"(?:&|vs?\.?|und|et)"


def _is_part_of_pair(text: str, phrase: str) -> bool:
    """Say whether a name is one half of a pair that is one name: 'Brook' of 'Brook & Sons'."""
    name = re.escape(phrase)
    return (
        phrase[:1].isupper() and re.search(rf"\b{name} {_PAIRED} [A-Z]|[A-Z]\w* {_PAIRED} {name}\b", text) is not None
    )


def _is_narrowed(text: str, subject: Subject) -> bool:
    """Say whether common nouns say which one is meant only with the clause after them: 'the battle in which ...'."""
    clause = r" (?:(?:in|on|at|of|for|by|from|with|during) (?:which|whom)|that|who|whose|where)\b"
    said = re.escape(subject.phrase)
    return (
        not subject.is_named
        and subject.phrase.lower().startswith("the ")
        and re.search(said + clause, text, re.IGNORECASE) is not None
    )


def _is_part_of_quotation(text: str, name: str) -> bool:
    """Say whether a name is only a piece of what the question quotes ('Machine' of "Lives: The Machine")."""
    said = name.strip('"“” ')
    quoted = [q.strip() for q in re.findall(r'["“]([^"”]+)["”]', text)]
    return any(said in q and len(said) < len(q) for q in quoted) and said not in quoted


def _weight(candidate: Candidate, texts: list[str]) -> float:
    """Return a little for every time that the passages name the candidate."""
    if candidate.name is None:
        return 0.0
    return 0.2 * min(5, sum(t.count(fold(candidate.name)) for t in texts))


def _head(tokens: list[Token], common: bool) -> str | None:
    """Return the head noun, singular, of a phrase of common nouns ('a subcutaneous injection'); None for a name."""
    if not common:
        return None
    norms = [t.norm for t in tokens]
    if "of" in norms[1:]:
        norms = norms[: norms.index("of")]
    if (
        set(norms) & {"and", "in", "on", "or"}
        or norms[-1] in FUNCTION_WORDS
        or len(norms) < 2
        and not norms[-1].endswith("s")
    ):
        return None
    found = lemmas(norms[-1]).get("NOUN")
    return found[0] if found and norms[-1] not in VAGUE | {"winner", "recipient"} else None


def _heads_more(asked: list[Token], last: int) -> bool:
    """Say whether a plural noun follows to which the article belongs: 'the australia's got talent judges'."""
    following = asked[last + 1].norm if last + 1 < len(asked) else ""
    return bool(following) and is_plural(following) and can_be(following, "NOUN") and not verb_tags(following)


def _subject(analysis: Analysis, asked: list[Token], chosen: Candidate) -> Subject:
    alone = chosen.first == chosen.last and not verb_tags(asked[max(0, chosen.first - 1)].norm)
    chosen = chosen if analysis.question.lower_case else whole_name(asked, chosen, analysis.question.text)
    first = left_edge(asked, chosen.first, alone, analysis.question.lower_case)
    if first < chosen.first and heads_a_clause(asked, chosen.first, chosen.last):
        first = chosen.first
    if 2 < first == chosen.first and [t.norm for t in asked[first - 3 : first]] == ["the", "book", "of"]:
        first -= 3
    last = chosen.last
    whole = chosen.name is not None and chosen.last > chosen.first
    last = right_edge(asked, first, last, whole, analysis.question)
    while last > chosen.first and chosen.name is None and asked[last].norm in DETERMINERS | PREPOSITIONS:
        last -= 1
    if first < chosen.first and chosen.name is not None and _heads_more(asked, last):
        first = chosen.first
    tokens = asked[first : last + 1]
    phrase = re.sub(r"\s+", " ", _phrase(analysis.question.text, tokens, chosen.name))
    torn = alone and first < chosen.first and asked[first].norm not in DETERMINERS
    name = chosen.name if chosen.name is not None and last == chosen.last and not torn else phrase
    kind, noun = find_kind(analysis, asked, chosen.first, chosen.last, name, titled=chosen.name is None)
    head = _head(tokens, name == phrase)
    if first == chosen.first - 3 and tokens[1].norm == "book":
        kind, noun = SubjectKind.BOOK, "book"
    if head is not None and kind is not SubjectKind.COUNTRY and (last > chosen.last or kind is SubjectKind.THING):
        kind, noun = (None if head in _TWO_SENSES else noun_kind(head)) or SubjectKind.THING, head
    said = _KIND_OPENER.match(phrase)
    if said and noun_kind(said["noun"].lower()) in WORKS and said["rest"].split()[0].lower() not in _NOT_A_NAME:
        kind, noun = (
            noun_kind(said["noun"].lower()) or kind,
            {"movie": "film"}.get(said["noun"].lower(), said["noun"].lower()),
        )
    if kind is SubjectKind.PERSON and noun is None and tokens[0].norm in DETERMINERS:
        kind = SubjectKind.THING
    norms = [t.norm for t in tokens]
    cut = next((i for i, n in enumerate(norms) if i and n in PREPOSITIONS), len(norms))
    last_word = norms[cut - 1]
    is_many = (
        (chosen.name is None or chosen.name.islower())
        and last_word.endswith("s")
        and can_be(last_word, "NOUN")
        and not last_word.endswith("ss")
    )
    headed = norms[0] == "the" and is_plural(last_word) and not tokens[cut - 1].text.isupper()
    plural = is_many or (kind in _MANY and headed)
    bare = norms[0] not in DETERMINERS and not plural
    office = 0 < cut < len(norms) and noun_kind(last_word) is SubjectKind.PERSON
    if bare and (office or wants_article(norms, cut, kind)):
        phrase = f"the {phrase}"  # 'premier of South Australia', 'hall of fame', 'super bowl'
    if first == 0 and phrase.startswith("The ") and kind not in WORKS:
        phrase = "the " + phrase[4:]
    if not analysis.question.lower_case and phrase == phrase.lower():
        name = phrase
    phrase, short = _long_and_short(phrase, kind, noun, analysis.question.lower_case)
    return Subject(phrase, short, name, kind, noun, plural)


def _long_and_short(phrase: str, kind: SubjectKind, noun: str | None, lower_case: bool) -> tuple[str, str]:
    """Return the phrase with the word for its kind, as a lower-case title needs one to be seen, and without it."""
    cut = _KIND_OPENER.match(phrase)
    if cut and noun_kind(cut["noun"].lower()) is kind and cut["rest"].split()[0].lower() not in _NOT_A_NAME:
        return phrase, cut["rest"]
    if kind in WORKS and noun is not None and lower_case and phrase.split()[0] not in {"the", "a", "an"}:
        return f"the {_SPOKEN.get(noun, noun)} {phrase}", phrase
    return phrase, phrase

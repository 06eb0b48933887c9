"""Telling the kind of a subject: from the words beside it in the question, or from what a passage says it is."""

from demur.programs.rules.subjects.kinds import PLACES, WORKS, SubjectKind
from demur.programs.rules.subjects.kinds_told import (
    VERBS_TOO,
    Kind,
    apposed,
    born,
    by_name,
    in_passages,
    is_person,
    noun_kind,
    singular,
    work_near,
)
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import AUXILIARIES, COUNTRIES, DETERMINERS, FIRST_NAMES, verb_tags
from demur.programs.text.lexicon import PLACES as GAZETTEER
from demur.programs.text.tokens import Token

_PLAY = frozenset("play plays played portray portrays portrayed stars starred voices voiced actor actress".split())
_SING = frozenset("sing sings sang recorded performs performed".split())
_AFTER = (
    WORKS
    | PLACES
    | {SubjectKind.CONTEST, SubjectKind.LAW, SubjectKind.EVENT, SubjectKind.PRODUCT, SubjectKind.ORGANISM}
)
_BEFORE = _AFTER | {SubjectKind.COMPANY, SubjectKind.INSTITUTION}
_WORDS = frozenset({"name", "word", "term", "phrase", "expression", "acronym"})
_OF_TEAMS = frozenset("player players coach coaches roster fans".split())
_OF_WORKS = frozenset("seasons episodes episode filmed released lyrics air sang sung singer mom voice".split())


def find_kind(analysis: Analysis, asked: list[Token], first: int, last: int, name: str, *, titled: bool) -> Kind:
    """Return the kind of question words `first` to `last`, and its noun where one is known; THING at the worst."""
    if first > 0 and asked[first - 1].norm in _WORDS:
        return SubjectKind.THING, asked[first - 1].norm
    return (
        _beside(asked, first, last)
        or _country(asked, first, last)
        or _on_the_map(asked, first, last)
        or born(analysis, name)
        or in_passages(analysis, name)
        or _asked_of(analysis, asked, first, name, titled)
        or _last_word(asked, first, last)
        or apposed(analysis, name)
        or by_name(analysis, name)
    )


def heads_a_clause(asked: list[Token], first: int, last: int) -> bool:
    """Say whether the noun before a name heads a clause about it: 'the country Ceelmakoile is located in'."""
    after = asked[last + 1].norm if last + 2 < len(asked) else ""
    verb = after in AUXILIARIES or bool(verb_tags(after) & {"VBD", "VBZ"})
    before = asked[first - 1].norm
    headed = not asked[first - 1].is_capitalised and before not in DETERMINERS and noun_kind(before) not in WORKS
    return first > 2 and verb and asked[first].is_capitalised and headed


def _beside(asked: list[Token], first: int, last: int) -> Kind | None:
    """'the movie X', 'X river'."""
    if first > 0:
        word = asked[first - 1].norm
        kind = noun_kind(word)
        if kind in _BEFORE and not heads_a_clause(asked, first, last):
            introduced = first > 1 and (asked[first - 2].norm in DETERMINERS or asked[first - 2].norm in {"tv", "of"})
            if kind is not None and (introduced or word not in VERBS_TOO):
                return kind, singular(word)
    if last + 1 < len(asked) and not asked[last].text.endswith(("'s", "’s")):
        kind = noun_kind(asked[last + 1].norm)
        if last > first and asked[first].is_capitalised and asked[last + 1].norm in _OF_TEAMS:
            return SubjectKind.TEAM, "team"
        if kind is not None and kind in _AFTER and asked[last + 1].norm not in VERBS_TOO:
            return kind, singular(asked[last + 1].norm)
    after = " ".join(t.norm for t in asked[last + 1 : last + 3])
    if last + 1 < len(asked) and (after in GAZETTEER or asked[last + 1].norm in GAZETTEER):
        return SubjectKind.PLACE, None
    return None


def _country(asked: list[Token], first: int, last: int) -> Kind | None:
    said = " ".join(t.norm for t in asked[first : last + 1]).removeprefix("the ")
    return (SubjectKind.COUNTRY, "country") if said in COUNTRIES | {"china", "america"} else None


def _on_the_map(asked: list[Token], first: int, last: int) -> Kind | None:
    """'Kansas' and 'Kingston, Jamaica', where the question writes capitals."""
    words = [t.norm for t in asked[first : last + 1] if t.norm not in {"the", "of"}]
    cased = asked[first].is_capitalised and asked[last].is_capitalised
    ends = len(words) == 2 and words[1] in GAZETTEER and words[0] not in FIRST_NAMES
    return (SubjectKind.PLACE, None) if cased and (" ".join(words) in GAZETTEER or ends) else None


def _last_word(asked: list[Token], first: int, last: int) -> Kind | None:
    if (
        last == first
        and asked[last].is_capitalised
        or {t.norm for t in asked[first : last + 1]} & {"and", "my", "you", "i"}
    ):
        return None
    kind = noun_kind(asked[last].norm)
    if kind is SubjectKind.PERSON and asked[last].is_capitalised:
        return None
    return (kind, singular(asked[last].norm)) if kind is not None else None


def _asked_of(analysis: Analysis, asked: list[Token], first: int, name: str, titled: bool) -> Kind | None:
    """Tell a work from what is asked of it: who plays in it, who sings it, when it came out."""
    norms = [t.norm for t in asked]
    if _is_played_in(norms, first):
        screen = work_near(analysis, name, (SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.STAGE))
        on_air = "on" in norms[max(0, first - 2) : first]
        return (
            (screen[0], screen[1] if screen[3] else None)
            if screen
            else (SubjectKind.SHOW if on_air else SubjectKind.FILM, None)
        )
    if is_person(analysis, name):
        return SubjectKind.PERSON, None
    if norms[:1] == ["who"] and set(norms[1:2]) & _SING:
        near = (
            work_near(analysis, name, (SubjectKind.SONG, SubjectKind.ALBUM, SubjectKind.FILM))
            if {"in", "on"} & set(norms[2:first])
            else None
        )
        held = {"in", "on"} & set(norms[2:first])
        return near[:2] if near else (SubjectKind.FILM, None) if held else (SubjectKind.SONG, "song")
    asks_work = bool(set(norms) & _OF_WORKS) or (
        "come" in norms
        and "out" in norms
        or "comes" in norms
        and "out" in norms
        or "coming" in norms
        and "out" in norms
    )
    if asks_work or " " in name and not titled and not is_person(analysis, name):
        found = work_near(analysis, name, tuple(WORKS))
        if found and (found[2] >= 2 or asks_work and found[3]) and (asks_work or found[3]):
            return found[0], found[1] if found[3] else None
    return None


def _is_played_in(norms: list[str], first: int) -> bool:
    """Say whether the question casts somebody in what follows ('who plays zoey in ...'), and not on a team."""
    played = [i for i, n in enumerate(norms[:first]) if n in _PLAY]
    return bool(played) and not {"for", "against"} & set(norms[played[-1] + 1 : first])

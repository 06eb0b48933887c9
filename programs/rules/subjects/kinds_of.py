"""Telling the kind of a subject: from the words beside it in the question, or from what a passage says it is."""

import re
from collections import Counter
from functools import lru_cache

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.lexicon import COUNTRIES, DETERMINERS, FUNCTION_WORDS, lemmas
from programs.rules.analysis.lexicon import PLACES as GAZETTEER
from programs.rules.analysis.names import NameKind
from programs.rules.analysis.tokens import Token, fold, tokenise
from programs.rules.subjects.kinds import KIND_OF_NOUN, PLACES, WORKS, SubjectKind

Kind = tuple[SubjectKind, str | None]
_STOP = frozenset("who which that where when by written directed created and but".split())
_PLAY = frozenset("play plays played portray portrays portrayed stars starred voices voiced actor actress".split())
_SING = frozenset("sing sings sang recorded performs performed".split())
_AFTER = (
    WORKS
    | PLACES
    | {SubjectKind.CONTEST, SubjectKind.LAW, SubjectKind.EVENT, SubjectKind.PRODUCT, SubjectKind.ORGANISM}
)
_BEFORE = _AFTER | {SubjectKind.COMPANY, SubjectKind.INSTITUTION}
_VERBS_TOO = frozenset("play plays show shows place match ship train".split())
_GAMES = frozenset({"video", "board", "card", "computer", "playing", "shooter", "mobile", "adventure", "arcade"})
_WORDS = frozenset({"name", "word", "term", "phrase", "expression", "acronym"})
_OF_WORKS = frozenset("seasons episodes episode filmed released lyrics air sang sung singer mom voice".split())
_ROLE_KINDS = frozenset({SubjectKind.PERSON, SubjectKind.CHARACTER})


@lru_cache(maxsize=4096)
def noun_kind(word: str) -> SubjectKind | None:
    """Return the kind that a noun, singular or plural, names; None for other words."""
    if word in KIND_OF_NOUN:
        return KIND_OF_NOUN[word]
    singular = next((s for s in lemmas(word).get("NOUN", ()) if s in KIND_OF_NOUN), None)
    if singular is None and len(word) > 6 and word.endswith(("ologist", "ologists")):
        return SubjectKind.PERSON
    return KIND_OF_NOUN[singular] if singular else None


def _singular(word: str) -> str:
    lemma = next((s for s in lemmas(word).get("NOUN", ()) if s in KIND_OF_NOUN), word)
    return {"movie": "film", "flick": "film"}.get(lemma, lemma)


def find_kind(analysis: Analysis, asked: list[Token], first: int, last: int, name: str, *, titled: bool) -> Kind:
    """Return the kind of question words `first` to `last`, and its noun where one is known; THING at the worst."""
    if first > 0 and asked[first - 1].norm in _WORDS:
        return SubjectKind.THING, asked[first - 1].norm
    return (
        _beside(asked, first, last)
        or _country(asked, first, last)
        or _born(analysis, name)
        or _in_passages(analysis, name)
        or _asked_of(analysis, asked, first, name, titled)
        or _last_word(asked, first, last)
        or _apposed(analysis, name)
        or _by_name(analysis, name)
    )


def _beside(asked: list[Token], first: int, last: int) -> Kind | None:
    """'the movie X', 'X river'."""
    if first > 0:
        word = asked[first - 1].norm
        kind = noun_kind(word)
        if kind in _BEFORE:
            introduced = first > 1 and (asked[first - 2].norm in DETERMINERS or asked[first - 2].norm in {"tv", "of"})
            if kind is not None and (introduced or word not in _VERBS_TOO):
                return kind, _singular(word)
    if last + 1 < len(asked) and not asked[last].text.endswith(("'s", "’s")):
        kind = noun_kind(asked[last + 1].norm)
        if kind is not None and kind in _AFTER and asked[last + 1].norm not in _VERBS_TOO:
            return kind, _singular(asked[last + 1].norm)
    after = " ".join(t.norm for t in asked[last + 1 : last + 3])
    if last + 1 < len(asked) and (after in GAZETTEER or asked[last + 1].norm in GAZETTEER):
        return SubjectKind.PLACE, None
    return None


def _country(asked: list[Token], first: int, last: int) -> Kind | None:
    said = " ".join(t.norm for t in asked[first : last + 1]).removeprefix("the ")
    return (SubjectKind.COUNTRY, "country") if said in COUNTRIES | {"china", "america"} else None


def _born(analysis: Analysis, name: str) -> Kind | None:
    """'NAME (born ...)' and 'NAME (1901 - 1980)' are people."""
    if set(fold(name).split()) & FUNCTION_WORDS:
        return None
    life = re.compile(rf"{re.escape(name)}[^.;]{{0,40}}\([^)]*(?:\bborn\b|\d{{3,4}}\s?[–-]\s?[^)]*\d{{3,4}})")
    for passage in analysis.signal:
        if life.search(passage.text):
            said = _in_passages(analysis, name)
            return said if said and said[0] in {SubjectKind.PERSON, SubjectKind.EVENT} else (SubjectKind.PERSON, None)
    return None


def _last_word(asked: list[Token], first: int, last: int) -> Kind | None:
    if (
        last == first
        and asked[last].is_capitalised
        or {t.norm for t in asked[first : last + 1]} & {"and", "my", "you", "i"}
    ):
        return None
    kind = noun_kind(asked[last].norm)
    return (kind, _singular(asked[last].norm)) if kind is not None else None


def _asked_of(analysis: Analysis, asked: list[Token], first: int, name: str, titled: bool) -> Kind | None:
    """Tell a work from what is asked of it: who plays in it, who sings it, when it came out."""
    norms = [t.norm for t in asked]
    if set(norms[:first]) & _PLAY:
        screen = _work_near(analysis, name, (SubjectKind.FILM, SubjectKind.SHOW, SubjectKind.STAGE))
        on_air = "on" in norms[max(0, first - 2) : first]
        return (
            (screen[0], screen[1] if screen[3] else None)
            if screen
            else (SubjectKind.SHOW if on_air else SubjectKind.FILM, None)
        )
    if _is_person(analysis, name):
        return SubjectKind.PERSON, None
    if norms[:1] == ["who"] and set(norms[1:2]) & _SING:
        near = (
            _work_near(analysis, name, (SubjectKind.SONG, SubjectKind.ALBUM, SubjectKind.FILM))
            if norms[2:3] == ["in"]
            else None
        )
        return near[:2] if near else (SubjectKind.SONG, "song")
    asks_work = bool(set(norms) & _OF_WORKS) or (
        "come" in norms
        and "out" in norms
        or "comes" in norms
        and "out" in norms
        or "coming" in norms
        and "out" in norms
    )
    if asks_work or " " in name and not titled and not _is_person(analysis, name):
        found = _work_near(analysis, name, tuple(WORKS))
        if found and (asks_work or found[2] >= 2 or found[3] and len(name.split()) > 2):
            return found[0], found[1] if found[3] else None
    return None


def _work_near(
    analysis: Analysis, name: str, allowed: tuple[SubjectKind, ...]
) -> tuple[SubjectKind, str, int, bool] | None:
    """Return the work noun that passages use most within 80 characters of the name, else anywhere in them."""
    near: Counter[str] = Counter()
    far: Counter[str] = Counter()
    for passage in analysis.signal:
        at = [m.start() for m in re.finditer(re.escape(name), passage.text, re.IGNORECASE)]
        for token in passage.tokens:
            if (
                token.is_word
                and noun_kind(token.norm) in allowed
                and token.norm not in {"play", "plays", "games", "track"}
            ):
                word = _singular(token.norm)
                far[word] += 1
                near[word] += any(-80 < token.start - start < len(name) + 80 for start in at)
    for counted in (near, far):
        if counted and (best := counted.most_common(1)[0])[1]:
            kind = noun_kind(best[0])
            if kind is not None:
                return kind, best[0], best[1] if counted is near else 1, counted is near
    return None


def _is_person(analysis: Analysis, name: str) -> bool:
    return any(m.norm == fold(name) and m.kind is NameKind.PERSON for p in analysis.signal for m in p.names)


def _in_passages(analysis: Analysis, name: str) -> Kind | None:
    """Return the kind that the first 'NAME is a ...' of a signal passage gives, None where there is none."""
    bare = re.escape(re.sub(r"^(?:the|a|an) ", "", name.strip('"“”'), flags=re.IGNORECASE))
    pattern = re.compile(
        rf"\b{bare}[\"”]?(?:,[^.;]{{0,60}},| ?\([^)]*\)| [A-Z]\w+){{0,3}},? (?:is|was|are|were) (?P<rest>[^.;]*)",
        re.IGNORECASE,
    )
    described = re.compile(rf"(?P<rest>\b(?:the|a|an) (?:[\w-]+ ){{0,5}})[\"“]?{bare}\b", re.IGNORECASE)
    for passage in analysis.signal:
        for match in pattern.finditer(passage.text):
            kind = _of_predicate(match["rest"])
            if kind is not None:
                return kind
    for passage in analysis.signal:
        for match in described.finditer(passage.text):
            last = [t.norm for t in tokenise(match["rest"]) if t.is_word][-1:]
            kind_before = noun_kind(last[0]) if last and last[0] not in _VERBS_TOO else None
            if kind_before is not None and kind_before not in _ROLE_KINDS:
                return kind_before, _singular(last[0])
    return None


def _apposed(analysis: Analysis, name: str) -> Kind | None:
    """'NAME, a ... company, ...', or a passage that opens with NAME and goes on with he or she."""
    bare = re.escape(name.strip('"“”'))
    for passage in analysis.signal:
        for match in re.finditer(rf"\b{bare}[\"”]?, (?P<rest>(?:an?|the) [^.;]*)", passage.text, re.IGNORECASE):
            kind = _of_predicate(match["rest"])
            if kind is not None:
                return kind
    for passage in analysis.signal:
        words = [t.norm for t in passage.tokens if t.is_word]
        human = sum(words.count(w) for w in ("he", "she", "his", "her"))
        if (
            re.match(bare, passage.text)
            and human >= 2
            and name[:1].isupper()
            and not set(fold(name).split()) & FUNCTION_WORDS
        ):
            return SubjectKind.PERSON, None
    return None


def _of_predicate(rest: str) -> Kind | None:
    found: Kind | None = None
    before = ""
    tokens = [t for t in tokenise(rest) if t.is_word or t.text in ",("]
    if not tokens or tokens[0].norm not in {"a", "an", "the", "one"}:
        return None
    for token in tokens[1:16]:
        if found and (token.text in ",(" or token.norm in _STOP):
            break
        if token.norm in {"of", "in", "on", "at", "for", "from", "to", "with", "by"}:
            if found or token.norm != "of":
                break
            continue
        kind = noun_kind(token.norm) if token.is_word else None
        if token.norm == "game" and before in _GAMES:
            kind = SubjectKind.GAME
        before = token.norm
        if kind is not None and not (token.is_capitalised and found):
            found = (kind, _singular(token.norm))
    return found


def _by_name(analysis: Analysis, name: str) -> Kind:
    by_kind = {
        NameKind.PERSON: SubjectKind.PERSON,
        NameKind.PLACE: SubjectKind.PLACE,
        NameKind.ORGANISATION: SubjectKind.INSTITUTION,
    }
    for passage in analysis.signal:
        for mention in passage.names:
            if mention.norm == fold(name) and mention.kind in by_kind:
                return by_kind[mention.kind], None
    words = fold(name).removeprefix("the ").split()
    if "of" not in words and (
        " ".join(words) in GAZETTEER or words[-1:] and words[-1] in GAZETTEER or " ".join(words[-2:]) in GAZETTEER
    ):
        return SubjectKind.PLACE, None
    return SubjectKind.THING, None

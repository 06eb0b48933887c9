"""What a passage says that a thing is: 'NAME is a film', 'NAME (born 1961)', 'NAME, a company'."""

import re
from collections import Counter
from functools import lru_cache

from demur.programs.rules.subjects.kinds import KIND_OF_NOUN, SubjectKind
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import FIRST_NAMES, FUNCTION_WORDS, lemmas
from demur.programs.text.lexicon import PLACES as GAZETTEER
from demur.programs.text.names import NameKind
from demur.programs.text.tokens import fold, tokenise

_STOP = frozenset("who which that where when by written directed created and but".split())
VERBS_TOO = frozenset("play plays show shows place match ship train".split())
_GAMES = frozenset({"video", "board", "card", "computer", "playing", "shooter", "mobile", "adventure", "arcade"})
_ON_AIR = frozenset({"radio", "television", "tv", "broadcast", "broadcasting"})
_ROLE_KINDS = frozenset({SubjectKind.PERSON, SubjectKind.CHARACTER})


Kind = tuple[SubjectKind, str | None]


@lru_cache(maxsize=4096)
def noun_kind(word: str) -> SubjectKind | None:
    """Return the kind that a noun, singular or plural, names; None for other words."""
    if word in KIND_OF_NOUN:
        return KIND_OF_NOUN[word]
    singular = next((s for s in lemmas(word).get("NOUN", ()) if s in KIND_OF_NOUN), None)
    if singular is None and len(word) > 6 and word.endswith(("ologist", "ologists")):
        return SubjectKind.PERSON
    return KIND_OF_NOUN[singular] if singular else None


def singular(word: str) -> str:
    """Return the noun for a kind in the singular, 'film' for 'movie'."""
    lemma = next((s for s in lemmas(word).get("NOUN", ()) if s in KIND_OF_NOUN), word)
    return {"movie": "film", "flick": "film"}.get(lemma, lemma)


def born(analysis: Analysis, name: str) -> Kind | None:
    """'NAME (born ...)' and 'NAME (1901 - 1980)' are people."""
    if set(fold(name).split()) & FUNCTION_WORDS:
        return None
    life = re.compile(rf"{re.escape(name)}[^.;]{{0,40}}\([^)]*(?:\bborn\b|\d{{3,4}}\s?[–-]\s?[^)]*\d{{3,4}})")
    for passage in analysis.signal:
        if life.search(passage.text):
            said = in_passages(analysis, name)
            return said if said and said[0] in {SubjectKind.PERSON, SubjectKind.EVENT} else (SubjectKind.PERSON, None)
    return None


def work_near(
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
                word = singular(token.norm)
                far[word] += 1
                near[word] += any(_beside(passage.text, token.start, start, len(name)) for start in at)
    for counted in (near, far):
        if counted and (best := counted.most_common(1)[0])[1]:
            kind = noun_kind(best[0])
            if kind is not None:
                return kind, best[0], best[1], counted is near
    return None


def _beside(text: str, noun_at: int, name_at: int, length: int) -> bool:
    """Say whether a noun stands within 240 characters before or 80 after the name, in the same sentence."""
    between = text[min(noun_at, name_at + length) : max(noun_at, name_at)]
    return -240 < noun_at - name_at < length + 80 and re.search(r"[a-z)\d][.!?] [A-Z]", between) is None


def is_person(analysis: Analysis, name: str) -> bool:
    """Say whether a signal passage has the name as that of a person, and none says that it 'was a biplane'."""
    told = re.compile(rf"{re.escape(name)}[\"”]?(?: ?\([^)]*\))? (?:is|was) (?:a|an|one of)\b")
    if any(told.search(p.text) for p in analysis.signal) and in_passages(analysis, name) is None:
        return False
    return any(m.norm == fold(name) and m.kind is NameKind.PERSON for p in analysis.signal for m in p.names)


def in_passages(analysis: Analysis, name: str) -> Kind | None:
    """Return the kind that the first 'NAME is a ...' of a signal passage gives, None where there is none."""
    bare = re.escape(re.sub(r"^(?:the|a|an) ", "", name.strip('"“”'), flags=re.IGNORECASE))
    pattern = re.compile(
        rf"\b{bare}[\"”]?(?:,[^.;]{{0,60}},| ?\([^)]*\)| [A-Z]\w+|: [A-Z]+){{0,3}},? "
        r"(?:is|was|are|were) (?P<rest>[^.;]*)",
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
            kind_before = noun_kind(last[0]) if last and last[0] not in VERBS_TOO else None
            if kind_before is not None and kind_before not in _ROLE_KINDS:
                return kind_before, singular(last[0])
    return None


def apposed(analysis: Analysis, name: str) -> Kind | None:
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
    for token, after in zip(tokens[1:16], [*tokens[2:16], None], strict=False):
        if found and (token.text in ",(" or token.norm in _STOP):
            break
        if token.norm in {"of", "in", "on", "at", "for", "from", "to", "with", "by"}:
            if found or token.norm != "of":
                break
            continue
        owner = token.text.endswith(("'s", "’s", "s'", "s’"))
        kind = noun_kind(token.norm) if token.is_word and not owner else None
        if token.norm == "game" and before in _GAMES:
            kind = SubjectKind.GAME
        if token.norm == "station" and before in _ON_AIR:
            kind = SubjectKind.COMPANY
        if token.norm == "play" and before == "extended":
            return SubjectKind.ALBUM, "album"
        if token.norm == "series" and after is not None and after.norm == "of":  # 'a series of games'
            kind = None
        before = token.norm
        if kind is not None and not (token.is_capitalised and found):
            found = (kind, singular(token.norm))
    return found


def _last_names(analysis: Analysis) -> frozenset[str]:
    """Return the last words of all people whom the signal passages name."""
    return frozenset(
        m.norm.split()[-1] for p in analysis.signal for m in p.names if m.kind is NameKind.PERSON and m.norm
    )


def by_name(analysis: Analysis, name: str) -> Kind:
    """Return the kind that the name itself tells; THING where it tells none."""
    by_kind = {
        NameKind.PERSON: SubjectKind.PERSON,
        NameKind.PLACE: SubjectKind.PLACE,
        NameKind.ORGANISATION: SubjectKind.INSTITUTION,
    }
    for passage in analysis.signal:
        for mention in passage.names:
            if mention.kind is NameKind.PERSON and not is_person(analysis, name):
                continue
            if mention.norm == fold(name) and mention.kind in by_kind:
                return by_kind[mention.kind], None
    words = fold(name).removeprefix("the ").split()
    if 2 <= len(words) <= 3 and words[0] in FIRST_NAMES and words[-1] in _last_names(analysis):
        return SubjectKind.PERSON, None
    if "of" not in words and (
        " ".join(words) in GAZETTEER or words[-1:] and words[-1] in GAZETTEER or " ".join(words[-2:]) in GAZETTEER
    ):
        return SubjectKind.PLACE, None
    return SubjectKind.THING, None

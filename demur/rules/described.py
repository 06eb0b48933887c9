"""The named thing that a question asks about and a passage describes, with its kind where a passage tells it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.levers.frames import Kind
from demur.rules.edits.grammar import plural
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.kinds import kind_of_noun
from demur.text.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    cities,
    countries,
    is_known,
    lemmas,
    places,
    verb_tags,
)
from demur.text.people import is_first_name
from demur.text.tokens import Token, fold, tokenise

WORKS: Final = frozenset({Kind.FILM, Kind.SHOW, Kind.SONG, Kind.ALBUM, Kind.BOOK, Kind.GAME})
_TITLED: Final = WORKS | {Kind.BAND}
_SPOKEN: Final = {"series": "tv series", "show": "tv show"}
_STOP: Final = PREPOSITIONS | frozenset("who which that where when but , ( ;".split())
_CLOSES: Final = FUNCTION_WORDS | frozenset({"and", "or", "do", "currently"})
_ON_AIR: Final = frozenset("television tv drama comedy anime animated crime fantasy reality web talk".split())
_PLAYED: Final = frozenset({"video", "board", "card", "computer", "mobile"})
_EARLY: Final = 1
_SOON: Final = 12
_LIFE: Final = re.compile(r"^[^.]{0,60}\((?:[^)]*\bborn\b|[^)]*\d{3,4}\s?[–-]\s?[^)]*\d{3,4})")


@dataclass(frozen=True, slots=True)
class Described:
    """The thing that a question asks about.

    `said` is how the question can name it anywhere in a sentence, `name` how the passage does; `noun` names its kind
    ('rock band') where the passage or the question does, `passage` is the index of its description.
    """

    said: str
    name: str
    start: int
    end: int
    kind: Kind | None
    noun: str
    passage: int

    @property
    def plural(self) -> bool:
        """Whether a verb after it may have to be in the plural: teams, bands, islands."""
        last = fold(self.name).split()[-1]
        return self.kind in (Kind.TEAM, Kind.BAND) or last.endswith("s") and self.said.lower().startswith("the ")

    @property
    def kinds(self) -> str:
        """The plural of its noun, empty without one."""
        return plural_of(self.noun) if self.noun else ""


def plural_of(noun: str) -> str:
    """Return the plural of a noun that may be of two words."""
    return noun if noun.endswith(("series", "species")) else plural(noun)


@lru_cache(maxsize=256)
def described(analysis: Analysis) -> Described | None:
    """Return the thing that the question names and a signal passage describes, None where none is plain."""
    asked = [t for t in analysis.question.tokens if t.is_word]
    accepted = {fold(a) for a in analysis.base.answers}
    found: list[tuple[tuple[int, int, int], Described]] = []
    for passage in analysis.signal:
        for first, last, at, until in _shared(asked, passage):
            opens = at <= _EARLY
            name = passage.text[_words(passage)[at].start : _words(passage)[until].end].rstrip(".")
            name = name.removesuffix("'s").removesuffix("’s")
            longer = re.match(r" [A-Z]\w", passage.text[_words(passage)[until].end :])
            if longer or fold(name) in accepted or not _stands_alone(asked, first, last, analysis.question.lower_case):
                continue
            if opens or len(analysis.passages) == 1 and (at <= _SOON or passage.text.count(name) > 1):
                made = _described(analysis, asked, first, last, name, passage)
                if made is not None and not analysis.is_answer(made.name):
                    found.append(((int(opens), last - first, -passage.index), made))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _words(passage: PassageAnalysis) -> tuple[Token, ...]:
    return tuple(t for t in passage.tokens if t.is_word)


def _shared(asked: list[Token], passage: PassageAnalysis) -> list[tuple[int, int, int, int]]:
    """Return the longest runs from capital to capital that both share, by first and last word in each."""
    said = _words(passage)
    places: dict[str, list[int]] = {}
    for number, token in enumerate(asked):
        places.setdefault(_bare(token), []).append(number)
    found: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for at, token in enumerate(said):
        if not token.is_capitalised and not token.text[0].isdigit():
            continue
        for first in places.get(_bare(token), ()):
            size = 1
            while (
                first + size < len(asked)
                and at + size < len(said)
                and _bare(asked[first + size]) == _bare(said[at + size])
                and not asked[first + size - 1].text.endswith(("'s ", "’s "))
            ):
                size += 1
            clause = next(
                (i for i in range(1, size) if said[at + i].norm in AUXILIARIES and not said[at + i].is_capitalised),
                size,
            )
            size = clause
            while size > 1 and not said[at + size - 1].is_capitalised:
                size -= 1
            if said[at + size - 1].is_capitalised and (size > 1 or token.norm not in FUNCTION_WORDS):
                found.setdefault((first, first + size - 1), (first, first + size - 1, at, at + size - 1))
    whole = [f for f in found if not any(g != f and g[0] <= f[0] and f[1] <= g[1] for g in found)]
    return [found[f] for f in whole]


def _bare(token: Token) -> str:
    return token.norm.removesuffix("'s").removesuffix("’s")


def _stands_alone(asked: list[Token], first: int, last: int, lower_case: bool) -> bool:
    """Return whether words of the question are a whole name, and no part of a longer phrase."""
    word = asked[first]
    if not lower_case and not (word.is_capitalised and asked[last].is_capitalised):
        return False
    if first == last and (len(word.norm) < 4 or is_known(word.norm) and lower_case):
        return False
    if first == last and lower_case and not _is_clear(asked, first):
        return False
    before = asked[first - 1] if first else None
    after = asked[last + 1] if last + 1 < len(asked) else None
    owns = asked[last].text.endswith(("'s", "’s"))
    if owns and after is not None and after.is_capitalised:
        return False
    tail = after is None or owns or after.norm in _CLOSES or _is_verb(after) and not can_be(after.norm, "NOUN")
    return tail and (
        before is None or before.norm in FUNCTION_WORDS or kind_of_noun(before.norm) is not None or _is_verb(before)
    )


def _is_clear(asked: list[Token], position: int) -> bool:
    """Return whether a single lower-case word is a place, or has 'the' before it."""
    before = asked[position - 1].norm if position else ""
    return before == "the" or asked[position].norm.removesuffix("'s") in places()


def _is_verb(token: Token) -> bool:
    return not token.is_capitalised and bool(verb_tags(token.norm) & {"VBD", "VBZ", "VB", "VBN"})


def _described(
    analysis: Analysis,
    asked: list[Token],
    first: int,
    last: int,
    name: str,
    passage: PassageAnalysis,
) -> Described | None:
    text = analysis.question.text
    start = asked[first].start
    end = asked[last].end
    if asked[last].text.endswith(("'s", "’s")):
        end -= 2
    if text[start - 1 : start] in {'"', "“"} and text[end : end + 1] in {'"', "”"}:
        start = start - 1
        end = end + 1
    elif text[:start].count('"') % 2:
        return None
    before = asked[first - 1].norm if first else ""
    after = asked[last + 1].norm if last + 1 < len(asked) else ""
    beside = kind_of_noun(before) if after not in AUXILIARIES else None
    kind, noun = _kind(name, passage)
    if kind is None and beside in WORKS:
        kind = beside
        noun = {"movie": "film"}.get(before, before)
    said = text[start:end]
    if before == "the":
        said = f"the {said}"
    elif before in DETERMINERS:
        return None
    elif beside in WORKS and kind == beside:
        said = f"the {before} {said}"
    elif analysis.question.lower_case and kind is not None and kind in WORKS and not said.startswith("the "):
        shown = noun.split()[-1] if noun else kind.value
        said = f"the {_SPOKEN.get(shown, shown)} {said}"
    head = fold(name).split()[-1]
    if kind in (None, Kind.SPECIES) and before != "the" and " " in name and can_be(head, "NOUN"):
        return None  # 'Chesapeake Bay Retriever' wants an article
    if said.startswith("The ") and kind not in _TITLED:
        said = f"the{said[3:]}"
    return Described(said, name, start, end, kind, noun, passage.index)


def _kind(name: str, passage: PassageAnalysis) -> tuple[Kind | None, str]:
    """Return kind and noun from the passage's definition, a gazetteer, or dates of life behind the name."""
    kind, noun = defined_as(passage.text, name)
    if kind is not None:
        return kind, noun
    if fold(name) in countries():
        return Kind.COUNTRY, "country"
    if fold(name) in places():
        return Kind.CITY if fold(name) in cities() else Kind.PLACE, ""
    lives = passage.text.startswith(name) and _LIFE.match(passage.text) is not None
    pronouns = sum(t.norm in {"he", "she", "his", "her"} for t in passage.tokens)
    is_person = is_first_name(fold(name).split()[0]) and " " in name and (lives or pronouns >= 2)
    return (Kind.PERSON, "") if is_person else (None, "")


def defined_as(text: str, name: str) -> tuple[Kind | None, str]:
    """Return kind and noun that 'NAME (...) is a ... NOUN' gives; empty where there is no such clause or noun."""
    match = re.search(
        rf"{re.escape(name)}[\"”]?(?:\s*\([^)]*\)|,[^,.;]{{0,70}},)*\s+(?:is|was|are|were)\s+"
        r"(?:an?|the)\s+(?P<rest>[^.;]*)",
        text,
    )
    if match is None:
        return None, ""
    words = [t for t in tokenise(match["rest"]) if t.is_word or t.text in ",(;"]
    head: int | None = None
    for number, token in enumerate(words[:12]):
        following = words[number + 1] if number + 1 < len(words) else None
        tags = verb_tags(token.norm) if not can_be(token.norm, "NOUN") else frozenset()
        noun_follows = following is not None and can_be(following.norm, "NOUN") and not following.is_capitalised
        ends = "VBN" in tags or "VBG" in tags and not noun_follows
        if token.norm in _STOP or token.norm in AUXILIARIES or head is not None and ends:
            break
        is_noun = can_be(token.norm, "NOUN") or kind_of_noun(token.norm) is not None
        head = number if is_noun and not (head is not None and _is_new(words, number)) else head
    if head is None or words[head].is_capitalised:
        return None, ""
    noun = words[head].norm
    if noun in {"series", "show"} and head and words[head - 1].norm in _ON_AIR:
        return Kind.SHOW, f"television {noun}" if words[head - 1].norm != "web" else "web series"
    options = (noun, *lemmas(noun).get("NOUN", ()))
    singular = next((n for n in options if kind_of_noun(n) is not None), "")
    kind = kind_of_noun(singular)
    before = words[head - 1] if head else None
    if kind is Kind.GAME and (before is None or before.norm not in _PLAYED):
        return None, ""
    if kind is None or before is None:
        return kind, singular
    if can_be(before.norm, "NOUN") and not can_be(before.norm, "ADJ") and before.text.islower():
        return kind, f"{before.norm} {singular}"
    return kind, singular


def _is_new(words: list[Token], number: int) -> bool:
    """Return whether a word opens another noun phrase behind 'and': 'a coach and former player'."""
    joined = [n for n in range(1, number) if words[n].norm in {"and", "or"}]
    return bool(joined) and kind_of_noun(words[joined[-1] - 1].norm) is Kind.PERSON


_OPENING: Final = re.compile(
    r"^(?:Home > .*\n)?[\"“]?(?P<name>(?:The )?[A-Z0-9][^\"“”(),.;:]{1,60}?)[\"”]?(?= \(|,| is | was | are | were )"
)


@lru_cache(maxsize=4096)
def entry_of(text: str) -> tuple[str, Kind, str] | None:
    """Return name, kind and noun of what a text is an entry on, by its first sentence; None where it does not tell."""
    found = _OPENING.match(text)
    if found is None:
        return None
    if fold(found["name"]) in FUNCTION_WORDS:
        return None
    kind, noun = defined_as(text, found["name"])
    if kind is None or kind is Kind.PERSON and not is_first_name(fold(found["name"]).split()[0]):
        return None
    return found["name"], kind, noun

"""Runs of question words that may name what the question is about, each with a score."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.lexicon import (
    AUXILIARIES,
    FIRST_NAMES,
    FUNCTION_WORDS,
    LAST_NAMES,
    can_be,
    verb_tags,
)
from demur.programs.text.names import find_names
from demur.programs.text.tokens import Token, fold

VAGUE = frozenset(
    "time times year years day days season seasons name part type kind movie film song book show world people person "
    "man woman character meaning term number first last end start series history life place city country state way "
    "one two three team game word company episode new original album area body home love line use used called known "
    "cause thing things subject original head guy girl rest most more job title source origin field example".split()
)
_EDGE_STOP = FUNCTION_WORDS | frozenset("first last new many much name used called known original most more".split())
_OPENERS = frozenset({"born", "following", "generally"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words `first` to `last` of the question; `name` is how a passage writes them, None where none does."""

    first: int
    last: int
    name: str | None
    score: float


def forms(token: Token) -> frozenset[str]:
    """Return the spellings in which a token is compared here: 'Grey's' is 'greys' and 'grey'."""
    return frozenset({fold(token.text).replace("'", ""), token.norm.replace("'", "")})


def aligned(analysis: Analysis, asked: list[Token]) -> Iterator[Candidate]:
    """Yield the longest runs of question words that a signal passage writes, as a name or as plain nouns."""
    wanted = [forms(t) for t in asked]
    for passage in analysis.signal or analysis.passages:
        found = [t for t in passage.tokens if t.is_word]
        written = [forms(t) for t in found]
        starts: dict[str, list[int]] = {}
        for position, spellings in enumerate(written):
            for spelling in spellings:
                starts.setdefault(spelling, []).append(position)
        for first, spellings in enumerate(wanted):
            for at in sorted({p for s in spellings for p in starts.get(s, ())}):
                size = 1
                while (
                    first + size < len(wanted)
                    and at + size < len(written)
                    and wanted[first + size] & written[at + size]
                ):
                    size += 1
                yield from _run(asked, passage, found, first, at, size)


def _run(
    asked: list[Token], passage: PassageAnalysis, found: list[Token], first: int, at: int, size: int
) -> Iterator[Candidate]:
    while size and asked[first + size - 1].norm in FUNCTION_WORDS and not found[at + size - 1].is_capitalised:
        size -= 1
    if not size:
        return
    tokens = found[at : at + size]
    text = passage.text[tokens[0].start : tokens[-1].end]
    if "\n" in text or re.search(r"(?<!Mr)(?<!Dr)(?<!St)[.;:] |[()]", text):
        return
    early = 1.5 if passage.sentences and tokens[0].start < passage.sentences[0].span.end else 0.0
    if _is_name(passage, found, at, size):
        name = (
            text[:-2]
            if text.endswith(("'s", "’s")) and not asked[first + size - 1].text.endswith(("'s", "’s"))
            else text
        )
        cut = _cuts_name(passage, found, at, size)
        yield Candidate(first, first + size - 1, name, 4.5 + min(size, 6) + early - (3.0 if cut else 0.0))
        return
    yield from _common(asked, first, size, early)


def _is_name(passage: PassageAnalysis, found: list[Token], at: int, size: int) -> bool:
    tokens = found[at : at + size]
    content = [t for t in tokens if t.norm not in FUNCTION_WORDS]
    if not content or not (tokens[0].is_capitalised and tokens[-1].is_capitalised):
        return False
    opens = any(s.span.start == tokens[0].start for s in passage.sentences)
    if size == 1 and opens and can_be(tokens[0].norm, "NOUN"):
        return any(t.norm == tokens[0].norm and t.is_capitalised and t.start != tokens[0].start for t in found)
    return 2 * sum(t.is_capitalised for t in content) > len(content) - 1


def _cuts_name(passage: PassageAnalysis, found: list[Token], at: int, size: int) -> bool:
    """Say whether the run is only a piece of a longer name; a person's last name alone is not."""
    last = at + size - 1
    before = found[at - 1] if at else None
    after = found[last + 1] if last + 1 < len(found) else None
    joined_left = (
        before is not None
        and before.is_capitalised
        and passage.text[before.end : found[at].start] == " "
        and (before.norm not in FUNCTION_WORDS)
    )
    joined_right = (
        after is not None and after.is_capitalised and passage.text[found[last].end : after.start] in {" ", "-"}
    )
    if (
        joined_left
        and not joined_right
        and size == 1
        and found[at].norm in LAST_NAMES
        and not can_be(found[at].norm, "NOUN")
    ):
        return False
    return joined_left or joined_right


def _common(asked: list[Token], first: int, size: int, early: float) -> Iterator[Candidate]:
    while size and asked[first].norm in _EDGE_STOP:
        first, size = first + 1, size - 1
    while size and asked[first + size - 1].norm in _EDGE_STOP:
        size -= 1
    words = [t.norm for t in asked[first : first + size]]
    if not size or set(words) <= VAGUE or set(words) & AUXILIARIES or not can_be(words[-1], "NOUN"):
        return
    if any(verb_tags(w) & {"VBD", "VBZ"} and (not can_be(w, "NOUN") or not w.endswith("s")) for w in words):
        return
    after = asked[first + size].norm if first + size < len(asked) else None
    grows = 0
    while (
        after is not None
        and grows < 2
        and after not in FUNCTION_WORDS | _EDGE_STOP
        and can_be(after, "NOUN")
        and (not verb_tags(after) & {"VBD", "VBZ", "VB", "VBN"})
    ):
        size, grows = size + 1, grows + 1
        after = asked[first + size].norm if first + size < len(asked) else None
    if (
        size == 1
        and verb_tags(words[0])
        and not (words[0].endswith("s") and (after is None or after in FUNCTION_WORDS))
    ):
        return
    yield Candidate(first, first + size - 1, None, 2.0 + min(size, 4) + early / 2)


def named(analysis: Analysis, asked: list[Token]) -> Iterator[Candidate]:
    """Yield the names that a question in mixed case writes with capitals, and what it quotes."""
    text = analysis.question.text
    if analysis.question.lower_case:
        return
    for mention in find_names(text):
        inside = [i for i, t in enumerate(asked) if mention.span.start <= t.start and t.end <= mention.span.end + 2]
        if not inside or (inside[0] == 0 and len(inside) == 1 and can_be(asked[0].norm, "NOUN")):
            continue
        while len(inside) > 1 and (
            asked[inside[0]].norm in FUNCTION_WORDS - {"the"} or asked[inside[0]].norm in _OPENERS
        ):
            inside = inside[1:]
        first = inside[0]
        while (
            first > 0
            and asked[first - 1].is_capitalised
            and asked[first - 1].norm not in FUNCTION_WORDS
            and (asked[first].start - asked[first - 1].end == 1)
        ):
            first -= 1
        said = text[asked[first].start : mention.span.end].rstrip(",")
        opened = any(p.text.startswith(said) for p in analysis.signal)
        if " and " in said and '"' not in said and (_two_people(said) or not opened):
            said = said.partition(" and ")[0]
            end = asked[first].start + len(said)
            inside = [i for i in range(first, inside[-1] + 1) if asked[i].end <= end] or inside
        in_passages = any(said in p.text for p in analysis.signal)
        opens = any(said in p.text[: len(said) + 6] for p in analysis.signal)
        score = 4.0 + min(inside[-1] + 1 - first, 5) + (1.5 if in_passages else 0) + (2.0 if opens else 0)
        yield Candidate(first, inside[-1], said, score)


def _two_people(said: str) -> bool:
    """Say whether the words name two people: 'Nicolas Cage and Téa Leoni'."""
    one, _, other = said.partition(" and ")
    return all(len(half.split()) == 2 and fold(half.split()[0]) in FIRST_NAMES for half in (one, other))


def acceptable(candidate: Candidate, asked: list[Token], accepted: set[str]) -> bool:
    """Say whether the words can stand for the subject: no answer, not too long, not empty of content."""
    words = asked[candidate.first : candidate.last + 1]
    norms = [w.norm for w in words]
    cased = any(w.is_capitalised for w in asked)
    if cased and candidate.first == 0 and norms[0] in FUNCTION_WORDS - {"the", "a", "an"}:
        return False
    if cased and len(norms) > 3 and set(norms) & {"is", "was", "are", "were"} and not words[1].is_capitalised:
        return False
    if norms[-1] in {"v", "vs"} or cased and len(norms) > 4 and "by the" in " ".join(norms):
        return False
    if cased and not words[0].is_capitalised and norms[0] in (FUNCTION_WORDS | _OPENERS) - {"the", "a", "an"}:
        return False
    if " ".join(norms) in accepted or len(norms) > 11:
        return False
    if len(norms) == 1 and (norms[0] in FUNCTION_WORDS or norms[0] in VAGUE or len(norms[0]) < 3 or norms[0].isdigit()):
        return False
    return not set(norms) <= VAGUE | FUNCTION_WORDS or (len(norms) > 2 and candidate.score >= 8)

"""Titles that only the frame of a lower-case question gives away: 'who sings ...', 'in the movie ...'."""

from collections.abc import Iterator

from demur.programs.rules.subjects.candidates import Candidate
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.rules.subjects.kinds_told import noun_kind
from demur.programs.text.lexicon import can_be, verb_tags
from demur.programs.text.tokens import Token

PLAYING = frozenset("play plays played portray portrays portrayed star stars starred voice voices voiced does".split())
SINGING = frozenset("sing sings sang sung record recorded perform performs performed".split())
WRITING = frozenset("write writes wrote written compose composed direct directs directed produce produced".split())
_TITLED = frozenset({SubjectKind.FILM, SubjectKind.SONG, SubjectKind.BOOK, SubjectKind.ALBUM, SubjectKind.SHOW})
_ASKING = frozenset("who whom whose which when where how did does do".split())
_TAIL = frozenset(
    "come came out take took place filmed set made written released about based located air aired end begin start "
    "originate originally again lyrics first produced directed published built created by introduced".split()
)


def framed(asked: list[Token], lower_case: bool) -> Iterator[Candidate]:
    """Yield titles that only the frame of a lower-case question gives away: 'who sings ...', 'in the movie ...'."""
    if not lower_case:
        return
    norms = [t.norm for t in asked]
    last = len(norms) - 1
    while last > 1 and norms[last] in _TAIL:
        last -= 1
    for at, norm in enumerate(norms[:last]):
        if noun_kind(norm) in _TITLED and norm not in PLAYING | {"shows"}:
            end = next((i - 1 for i in range(at + 1, last + 1) if norms[i] in _ASKING - {"where", "when"}), last)
            if end > at and norms[at + 1] not in {"of", "in", "for", "about", "by", "is", "was", "made", "on", "to"}:
                yield Candidate(at + 1, end, None, 6.0 + min(end - at, 4))
    yield from _tails(asked, norms, last)


def _tails(asked: list[Token], norms: list[str], last: int) -> Iterator[Candidate]:
    """Yield what stands at the end: 'who plays zoey in ...', 'who wrote ...', and, with little weight, any 'of ...'."""
    opener = norms[1] if len(norms) > 2 and norms[0] == "who" else ""
    likely = opener in PLAYING | SINGING or norms[:1] == ["actor"] or "plays" in norms or "girl" in norms
    for tail in range(2, last):
        rest = norms[tail + 1 : last + 1]
        if norms[tail] not in {"in", "on", "of"} or set(rest) & _ASKING or any(n[:1].isdigit() for n in rest):
            continue
        closest = not {"in", "on"} & set(rest)
        if likely and closest and norms[tail] != "of":
            yield Candidate(tail + 1, last, None, 8.6 + 0.3 * min(last - tail, 4))
        elif not any(verb_tags(n) and not can_be(n, "NOUN") for n in rest):
            yield Candidate(tail + 1, last, None, 2.0 + 0.3 * min(last - tail, 4))
    if opener in SINGING | WRITING and last >= 2 and norms[2] not in {"in", "on", "about"}:
        start = 2
        while (
            start < last
            and norms[start] in {"the", "song", "songs", "book", "lyrics", "for", "on", "to"}
            and (norms[start] != "the" or norms[start + 1] in {"song", "songs", "book", "lyrics"})
        ):
            start += 1
        if not set(norms[start : last + 1]) & {"who", "which"}:
            yield Candidate(start, last, None, 9.0)

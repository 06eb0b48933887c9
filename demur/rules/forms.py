"""The forms into which a question can be put, for slots of frames: 'who should have written ...', 'X had never ...'.

A form is given only where the question's clauses are plain: what cannot be taken apart surely has none.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.text.analysis import Analysis
from demur.text.casing import restore_case
from demur.text.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    inflection,
    verb_lemma,
    verb_tags,
)
from demur.text.tokens import Token, tokenise

_BE: Final = {"is": "be", "are": "be", "was": "have been", "were": "have been"}
_SEVERAL: Final = re.compile(
    r"[?.!;:] |[,;] (?:and|but|who|what|when|where|which|whose|how)\b|"
    r"\b(?:and|or) (?:in )?(?:who|what|when|where|why|how|which)\b|"
    r"\w (?:who|what|when|where|why|how) (?:do|does|did|is|are|was|were)\b",
    re.IGNORECASE,
)
_SUBCLAUSE: Final = re.compile(r"\b(?:when|where|while|after|before|because|if|since|until|as|who|which|that|whose)\b")
_RUNS_ON: Final = re.compile(r"and |(?!based|related|red|need)[a-z]+ed\b")
_CUT_OFF: Final = re.compile(r"\b(?:towards?|to|from|of|for|with|at|in|on|by) (?:when|while|after|before)\b")
_ADVERBS: Final = frozenset("first actually originally really last finally initially officially ever".split())
_SAID_OF: Final = frozenset("mean stand represent do".split())
_ALONE: Final = frozenset("be have do go get take make come".split())


@dataclass(frozen=True, slots=True)
class _Read:
    """A question's words, with which of them belong to a name."""

    text: str
    tokens: tuple[Token, ...]
    named: tuple[bool, ...]

    def after(self, position: int) -> str:
        """The text from a token to the end."""
        return self.text[self.tokens[position].start :] if position < len(self.tokens) else ""

    def between(self, first: int, last: int) -> str:
        """The text of tokens `first` to `last`, the last left out."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""

    def is_noun_phrase(self, first: int, last: int) -> bool:
        """Return whether the tokens are one noun phrase without a verb, a clause or a loose end."""
        inside = self.tokens[first:last]
        if not inside or inside[-1].norm in FUNCTION_WORDS - {"us"} and not self.named[last - 1]:
            return False
        opens = inside[0].norm in DETERMINERS | {"they", "we"} or self.named[first] or inside[-1].norm.endswith("s")
        plain = all(
            named or t.norm not in AUXILIARIES and not _SUBCLAUSE.fullmatch(t.norm)
            for t, named in zip(inside, self.named[first:last], strict=True)
        )
        return opens and plain


@lru_cache(maxsize=256)
def forms(analysis: Analysis) -> dict[str, str]:
    """Return the forms of the question by slot name, in its own register and without its mark."""
    text = re.sub(r"\s+", " ", analysis.question.text).strip().rstrip(" ?.")
    text = re.sub(r"\b([Tt]he) the\b", r"\1", text)
    found = {"question": opening_small(text)}
    if _SEVERAL.search(text) or len(text.split()) < 3:
        return found
    cased = restore_case(text, [p.text for p in analysis.signal])
    tokens = tuple(t for t in tokenise(text) if t.is_word)
    shown = tuple(t for t in tokenise(cased) if t.is_word)
    if len(shown) != len(tokens):
        return found
    read = _Read(text, tokens, tuple(t.is_capitalised and number > 0 for number, t in enumerate(shown)))
    found |= _by_question_word(analysis, read)
    return found


def opening_small(text: str) -> str:
    """Return a question as it stands behind other words: its question word or auxiliary small."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.lower() in FUNCTION_WORDS and first != "I" else text


def _by_question_word(analysis: Analysis, read: _Read) -> dict[str, str]:
    first = read.tokens[0].norm
    size = len(read.tokens)
    asked = analysis.question
    at = 1
    second = read.tokens[1].norm
    if first == "what" and "VBD" in verb_tags(second) and not can_be(second, "NOUN"):
        return _of_subject(read, "what", 1)
    if first in {"what", "which"} and asked.focus:
        at += len([t for t in tokenise(asked.focus) if t.is_word])
    elif first == "how" and read.tokens[1].norm in {"many", "much"} and asked.focus:
        at += 1 + len([t for t in tokenise(asked.focus) if t.is_word])
    elif first not in {"who", "what", "when", "where", "why", "how"}:
        return {}
    if at >= size or read.text[read.tokens[at].start - 1] == "-" or first == "how" and at == 1:
        return {}
    words = opening_small(read.between(0, at))
    auxiliary = read.tokens[at].norm
    if auxiliary in {"do", "does", "did"} and (first == "who" or _CUT_OFF.search(read.text)):
        return {}
    if auxiliary in {"do", "does", "did"} and at + 2 < size:
        return _of_do(read, words, at, adverbial=first in {"when", "where", "why"})
    if auxiliary in _BE and at + 1 < size:
        return _of_be(read, words, at)
    return _of_subject(read, words, at)


def _of_subject(read: _Read, words: str, at: int) -> dict[str, str]:
    """'who wrote ...': the question word is the subject of a full verb."""
    verb = read.tokens[at]
    rest = read.after(at + 1)
    tags = verb_tags(verb.norm)
    has = verb.norm in {"has", "had"} and at + 1 < len(read.tokens) and read.tokens[at + 1].norm in DETERMINERS
    if not rest or read.named[at] or verb.norm in AUXILIARIES and not has or not tags & {"VBD", "VBZ"}:
        return {}
    lemma = "have" if has else verb_lemma(verb.norm)
    if lemma is None or {"VB", "VBD"} <= tags or words.split()[0] not in {"who", "what", "which"}:
        return {}
    past = inflection(lemma, "VBD")
    participle = inflection(lemma, "VBN")
    if past is None or participle is None:
        return {}
    is_past = "VBD" in tags
    other = "somebody else" if words == "who" else f"another {words.split(' ', 1)[1]}" if " " in words else None
    found = {"should": f"{words} should {f'have {participle}' if is_past else lemma} {rest}"}
    if words == "who":
        found["answerer"] = f"the person who {verb.text} {rest}"
        found["would"] = f"would somebody {f'have {participle}' if is_past else lemma} {rest}"
    if other is not None and not other.endswith("s"):
        found["if_other"] = f"{other} {f'had {participle}' if is_past else past} {rest}"
        found |= {"past": "yes"} if is_past else {}
    return found


def _of_do(read: _Read, words: str, at: int, *, adverbial: bool) -> dict[str, str]:
    """'when did X open ...': subject and verb stand behind do, does or did."""
    verb_at = _bare_verb(read, at + 1)
    if verb_at is None:
        return {}
    start = at + 1
    end = verb_at - 1 if read.tokens[verb_at - 1].norm in _ADVERBS else verb_at
    subject = read.between(start, end)
    verb = read.tokens[verb_at].norm
    if not read.is_noun_phrase(start, end) or verb in _SAID_OF:
        return {}
    lemma = verb_lemma(verb) or verb
    participle = inflection(lemma, "VBN")
    rest = read.after(verb_at + 1)
    past = inflection(lemma, "VBD")
    if participle is None or past is None or _RUNS_ON.match(rest):
        return {}
    tail = f" {rest}" if rest else ""
    if read.tokens[at].norm != "did" and not any(read.named[start:end]):
        return {}
    if read.tokens[at].norm != "did":
        return {"should": f"{words} should {subject} {lemma}{tail}"}
    found = {"should": f"{words} should {subject} have {participle}{tail}"}
    if adverbial:
        found["would"] = f"would {subject} have {participle}{tail}"
        found["event"] = f"{subject} {past}{tail}"
        found["inverted"] = read.after(at)
        if "start" not in tail and "first" not in tail:
            found["if_never"] = f"{subject} had never {participle}{tail}"
    return found


def _bare_verb(read: _Read, start: int) -> int | None:
    """Return the position of the only bare verb that can go with do, None where there are several or none."""
    possible = []
    for position in range(start + 1, len(read.tokens)):
        token = read.tokens[position]
        before = read.tokens[position - 1]
        if read.named[position] or "VB" not in verb_tags(token.norm) or token.norm in AUXILIARIES - {"have", "do"}:
            continue
        if before.norm in DETERMINERS | PREPOSITIONS | {"and"} and not read.named[position - 1]:
            continue
        possible.append(position)
        if not can_be(token.norm, "NOUN") and not can_be(token.norm, "ADJ"):
            break
    if not possible:
        return None
    if len(possible) == 1:
        return possible[0]
    sure = [p for p in possible if not can_be(read.tokens[p].norm, "NOUN")]
    first = possible[0]
    named_before = read.named[first - 1]
    return first if named_before else sure[0] if sure and sure[0] == first else None


def _of_be(read: _Read, words: str, at: int) -> dict[str, str]:
    """'who was the captain ...', 'when was X opened ...'."""
    be = read.tokens[at].norm
    size = len(read.tokens)
    rest = read.after(at + 1)
    adverbial = words in {"when", "where", "why"}
    participles = [
        p
        for p in range(at + 1, size)
        if not read.named[p]
        and "VBN" in verb_tags(read.tokens[p].norm)
        and not can_be(read.tokens[p].norm, "NOUN")
        and read.tokens[p].norm not in AUXILIARIES
    ]
    if adverbial:
        return _passive(read, words, at, participles)
    loose = read.tokens[-1].norm in PREPOSITIONS | AUXILIARIES or any(
        t.norm.endswith("ing") and not named
        for t, named in zip(read.tokens[at + 1 :], read.named[at + 1 :], strict=True)
    )
    clause = _SUBCLAUSE.search(rest)
    before_clause = [
        p for p in participles if clause is None or read.tokens[p].start < read.tokens[at + 1].start + clause.start()
    ]
    if loose or before_clause or not words.startswith(("who", "what", "which")):
        return {}
    if not read.is_noun_phrase(at + 1, at + 2) and read.tokens[at + 1].norm not in DETERMINERS:
        return {}
    found = {"should": f"{words} should {_BE[be]} {rest}"}
    of_noun = clause is None and read.is_noun_phrase(at + 1, size)
    if of_noun and words in {"who", "what"}:
        found["np"] = rest
    if words == "who" and be in {"is", "was"}:
        found["if_other"] = f"somebody else {'had been' if be == 'was' else 'were'} {rest}"
        found |= {"past": "yes"} if be == "was" else {}
        if of_noun:
            found["answerer"] = rest
    return found


def _passive(read: _Read, words: str, at: int, participles: list[int]) -> dict[str, str]:
    """'when was X opened to the public': a participle behind the subject."""
    be = read.tokens[at].norm
    size = len(read.tokens)
    ends = [p for p in participles if p > at + 1 and (p + 1 == size or read.tokens[p + 1].norm in PREPOSITIONS)]
    if len(participles) != 1 or not ends:
        return {}
    end = ends[0] - 1 if read.tokens[ends[0] - 1].norm in _ADVERBS else ends[0]
    if not read.is_noun_phrase(at + 1, end):
        return {}
    subject = read.between(at + 1, end)
    tail = read.after(ends[0])
    if be not in {"was", "were"}:
        return {"whereabouts": f"{subject} {be} {tail}"}
    return {
        "should": f"{words} should {subject} have been {tail}",
        "would": f"would {subject} have been {tail}",
        "event": f"{subject} {be} {tail}",
        "if_never": f"{subject} had never been {tail}",
        "inverted": read.after(at),
    }

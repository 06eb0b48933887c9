"""Analysis of a question: question word, focus, auxiliary and verb."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.text.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    can_be,
    lemma_of,
    verb_tags,
    word_set,
)
from demur.text.tokens import Token, tokenise


class WhWord(StrEnum):
    """The word or pair of words with which a question asks."""

    WHO = "who"
    WHOSE = "whose"
    WHAT = "what"
    WHICH = "which"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    HOW_MANY = "how many"
    HOW_MUCH = "how much"
    HOW_LONG = "how long"
    HOW_OLD = "how old"
    YES_NO = "yes or no"
    NONE = "none"


_HOW = {"many": WhWord.HOW_MANY, "much": WhWord.HOW_MUCH, "long": WhWord.HOW_LONG, "old": WhWord.HOW_OLD}
_SIMPLE = {w.value: w for w in WhWord if " " not in w.value} | {"whom": WhWord.WHO, "who's": WhWord.WHO}
_FOCUS_STOP = AUXILIARIES | word_set("and or that who which whom where when")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its grammatical parts.

    `fronted` is true if the question begins with the question word, or with one preposition and the question word.
    `focus` is the noun phrase after what, which or how many ('year', 'seasons of the rugrats'). `auxiliary` is the
    auxiliary verb after the focus, or None if the question has no auxiliary there. `verb` is the first verb that is not
    an auxiliary, as written.
    """

    text: str
    tokens: tuple[Token, ...]
    wh: WhWord
    fronted: bool
    focus: str | None
    auxiliary: str | None
    verb: str | None
    lower_case: bool
    has_mark: bool

    @property
    def bare(self) -> str:
        """The question without its question mark."""
        return self.text.rstrip(" ?")

    @property
    def is_well_formed(self) -> bool:
        """True if the question begins with a question word or an auxiliary, and has a verb."""
        return self.fronted and (self.verb is not None or self.auxiliary is not None)


def _wh_at(tokens: tuple[Token, ...], position: int) -> tuple[WhWord, int] | None:
    """Return the question word at `position` and the position after it."""
    word = tokens[position].norm
    if word == "how":
        following = tokens[position + 1].norm if position + 1 < len(tokens) else ""
        pair = _HOW.get(following)
        return (pair, position + 2) if pair else (WhWord.HOW, position + 1)
    if word in _SIMPLE:
        return _SIMPLE[word], position + 1
    return None


def _find_wh(tokens: tuple[Token, ...]) -> tuple[WhWord, int, int] | None:
    for position in (0, 1):
        if position < len(tokens) and (found := _wh_at(tokens, position)):
            return found[0], position, found[1]
    for position in range(len(tokens) - 1, 1, -1):
        found = _wh_at(tokens, position)
        if found and found[0] in (WhWord.WHO, WhWord.WHAT, WhWord.WHICH, WhWord.WHERE, WhWord.WHEN, WhWord.HOW_MANY):
            return found[0], position, found[1]
    return None


def _first_verb(tokens: tuple[Token, ...], start: int, after_auxiliary: str | None) -> int | None:
    """Return the position of the first full verb from `start`. Full verbs are recognised by their form.

    Words that are probably nouns or names are skipped.
    """
    participle = after_auxiliary in {"is", "are", "was", "were", "be", "been", "has", "have", "had"}
    wanted = {"VBN", "VBG"} if participle else {"VB"} if after_auxiliary else {"VBD", "VBZ", "VB"}
    for position in range(start, len(tokens)):
        token = tokens[position]
        tags = verb_tags(token.norm)
        if not tags & wanted or token.norm in AUXILIARIES or (token.is_capitalised and position > 0):
            continue
        before = tokens[position - 1].norm if position else ""
        if (
            before in DETERMINERS
            or before in {"of", "in", "at", "for"}
            or (after_auxiliary and position == start and can_be(token.norm, "NOUN"))
        ):
            continue
        return position
    return None


@lru_cache(maxsize=2048)
def read_question(text: str) -> Question:
    """Analyse a question. The text may be in lower case and without a question mark, as in the data set NQ."""
    tokens = tokenise(text)
    bare_tokens = tuple(t for t in tokens if t.is_word)
    lower = not any(c.isupper() for c in text)
    mark = text.rstrip().endswith("?")
    found = _find_wh(bare_tokens)
    opens = bare_tokens[0].norm if bare_tokens else ""
    if opens in AUXILIARIES:
        verb_at = _first_verb(bare_tokens, 1, opens)
        verb = bare_tokens[verb_at].text if verb_at else None
        return Question(text, tokens, WhWord.YES_NO, True, None, opens, verb, lower, mark)
    if found is None:
        return Question(text, tokens, WhWord.NONE, False, None, None, None, lower, mark)
    wh, at, position = found
    focus_end = position
    if wh in (WhWord.WHAT, WhWord.WHICH, WhWord.WHOSE, WhWord.HOW_MANY, WhWord.HOW_MUCH):
        while focus_end < len(bare_tokens) and not _ends_focus(bare_tokens, focus_end, position):
            focus_end += 1
    focus = text[bare_tokens[position].start : bare_tokens[focus_end - 1].end] if focus_end > position else None
    has_auxiliary = focus_end < len(bare_tokens) and bare_tokens[focus_end].norm in AUXILIARIES
    auxiliary = bare_tokens[focus_end].norm if has_auxiliary else None
    body_start = focus_end + 1 if has_auxiliary else focus_end
    verb_at = _first_verb(bare_tokens, body_start, auxiliary)
    fronted = at == 0 or at == 1 and bare_tokens[0].norm in FUNCTION_WORDS
    verb = bare_tokens[verb_at].text if verb_at is not None else None
    return Question(text, tokens, wh, fronted, focus, auxiliary, verb, lower, mark)


def _ends_focus(tokens: tuple[Token, ...], position: int, start: int) -> bool:
    word = tokens[position].norm
    if word in _FOCUS_STOP:
        return True
    if position == start or tokens[position].is_capitalised:
        return False
    tags = verb_tags(word)
    return bool(tags & {"VBD", "VBZ"}) and tokens[position - 1].norm not in DETERMINERS | {"of"}


_CONTENT_DROP = FUNCTION_WORDS | word_set("many much year name kind type")


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """Return the words of `text` that carry meaning, in their dictionary form ('plays' and 'played' are 'play')."""
    norms = (t.norm for t in tokenise(text) if t.is_word)
    return frozenset(lemma_of(n) for n in norms if n not in _CONTENT_DROP and len(n) > 1)

"""Where the subject of an inverted question ends and its verb begins."""

from demur.programs.text.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from demur.programs.text.tokens import Token, tokenise

_RELATIVE = word_set("who whom whose which that where when")
_BEFORE_VERB = word_set(
    "first last also still only never always usually typically originally previously currently formerly "
    "officially mainly mostly initially finally once actually"
)
_NOT_BEFORE = DETERMINERS | PREPOSITIONS | frozenset({"both", "and", "or"})
_OPENS_OBJECT = PREPOSITIONS | DETERMINERS
_MODALS = word_set("can could may might must shall should will would")
_LIGHT = word_set("take make have get go come give")
_ENDS_CLAUSE = word_set("located held found filmed born made built based set shot")


def clause_tokens(text: str) -> tuple[Token, ...]:
    """Return the words of a clause without its punctuation."""
    return tuple(t for t in tokenise(text) if t.is_word)


def _usable(words: tuple[Token, ...], at: int, tags: frozenset[str]) -> bool:
    word, before = words[at], words[at - 1]
    if not verb_tags(word.norm) & tags or word.is_capitalised or word.norm in PREPOSITIONS | _MODALS:
        return False
    if at == len(words) - 1 and word.norm in _ENDS_CLAUSE:
        return True
    closes = "VB" in tags and any(w.norm in _RELATIVE for w in words[: at - 1])  # 'the state where X is stop'
    auxiliary = before.norm in AUXILIARIES and (word.norm in AUXILIARIES or "VB" in tags) and not closes
    return not (before.norm in _NOT_BEFORE or before.text.endswith(("'s", "’s", "s'", "'m")) or auxiliary)


def _after_last_comma(text: str, usable: list[int]) -> int | None:
    """Return the verb in a short tail after the last comma: 'X, who missed a season, host'."""
    words, comma = clause_tokens(text), text.rfind(",")
    tail = [i for i in usable if words[i].start > comma]
    return tail[0] if comma >= 0 and tail and len(words) - tail[0] <= 2 else None


def base_verb_at(text: str) -> int | None:
    """Return the position among `clause_tokens` of the verb that goes with a fronted do, does, did or modal."""
    words = clause_tokens(text)
    usable = [i for i in range(1, len(words)) if _usable(words, i, frozenset({"VB"}))]
    tail = _after_last_comma(text, usable)
    if tail is not None:
        return tail
    for place, at in enumerate(usable):
        adverb = words[at - 1].norm in _BEFORE_VERB and at > 1 and words[at - 2].norm not in DETERMINERS
        if not can_be(words[at].norm, "NOUN") or words[at].norm in _LIGHT or adverb:
            return at
        later = usable[place + 1 :]
        compound = at + 1 in later or can_be(words[at - 1].norm, "ADJ") and bool(later)
        certain = [i for i in later if not can_be(words[i].norm, "NOUN")]
        blocked = certain and any(w.norm in PREPOSITIONS or w.norm in DETERMINERS for w in words[at + 1 : certain[0]])
        if not compound and (not certain or blocked):
            return at
    return usable[-1] if usable else None


def participle_at(text: str) -> int | None:
    """Return the position among `clause_tokens` of the participle that goes with a fronted form of be or have."""
    words = clause_tokens(text)
    usable = [i for i in range(1, len(words)) if _usable(words, i, frozenset({"VBN", "VBG"}))]
    usable = [i for i in usable if not _attributive(words, i)]
    if not usable:
        return None
    tail = _after_last_comma(text, usable)
    if tail is not None or words[usable[0]].norm in {"being", "been"}:
        return tail if tail is not None else usable[0]
    if any("VBN" in verb_tags(words[i].norm) for i in usable):
        usable = [i for i in usable if "VBN" in verb_tags(words[i].norm)]
    for at in reversed(usable):
        opened = [i for i in range(at) if words[i].norm in _RELATIVE]
        if not (opened and any(i < opened[-1] for i in usable)):
            return at
    return usable[-1]


def _attributive(words: tuple[Token, ...], at: int) -> bool:
    """Return whether the participle at `at` stands before a noun that it describes."""
    if at + 1 >= len(words):
        return False
    following = words[at + 1]
    if following.norm in _OPENS_OBJECT or following.norm in AUXILIARIES:
        return False
    before = words[at - 1]
    leads = before.norm in DETERMINERS or can_be(before.norm, "ADJ") or before.norm in _BEFORE_VERB
    return leads and can_be(following.norm, "NOUN") and "VBG" not in verb_tags(following.norm)


def split_before(text: str, at: int) -> tuple[str, str]:
    """Return the text before and from token `at`, adverbs that belong to the verb included in the second part."""
    words = clause_tokens(text)
    while at > 1 and words[at - 1].norm in _BEFORE_VERB and not words[at - 1].is_capitalised:
        at -= 1
    return text[: words[at].start].strip(), text[words[at].start :].strip()

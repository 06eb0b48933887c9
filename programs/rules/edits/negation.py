"""Saying the opposite of a sentence."""

import re

from programs.rules.analysis.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from programs.rules.analysis.tokens import Token, tokenise
from programs.rules.edits.grammar import verb_form

_NEGATED = re.compile(r"\b(?:not|never|no|none|neither|nor|nobody|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)
_CLAUSE = word_set("that which who whose whom when where while because although if since")


def negate(sentence: str) -> str | None:
    """Return the sentence with its main verb denied, None where it is denied already or no main verb is found.

    'The album was released in May.' gives 'The album was not released in May.'
    """
    if _NEGATED.search(sentence):
        return None
    tokens = [t for t in tokenise(sentence) if t.is_word or t.text == ","]
    found = _main_verb(tokens)
    if found is None:
        return None
    token = tokens[found]
    if token.norm in AUXILIARIES and token.norm not in {"been", "being", "be"}:
        return f"{sentence[: token.end]} not{sentence[token.end :]}"
    tags = verb_tags(token.norm)
    helper = "did" if "VBD" in tags else "does" if "VBZ" in tags else "do"
    return f"{sentence[: token.start]}{helper} not {verb_form(token.norm, 'VB')}{sentence[token.end :]}"


def _takes_object(tokens: list[Token], position: int) -> bool:
    """Say whether what follows can only be an object, so that 'plays' is a verb there and no noun."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    return following is not None and (following.norm in DETERMINERS or following.is_capitalised)


def _main_verb(tokens: list[Token]) -> int | None:
    """Return the position of the first finite verb outside a relative clause or an introductory phrase."""
    inside = False
    opener = bool(tokens) and tokens[0].norm in PREPOSITIONS | _CLAUSE
    for position, token in enumerate(tokens):
        if token.text == ",":
            inside, opener = (not inside if position and not opener else inside), False
            continue
        if token.norm in _CLAUSE and position:
            return None
        if inside or opener or (token.is_capitalised and position):
            continue
        before = tokens[position - 1].norm if position else ""
        if token.norm in AUXILIARIES and position:
            return position
        tags = verb_tags(token.norm)
        finite = tags & {"VBD", "VBZ"}
        if finite and position and before not in DETERMINERS | PREPOSITIONS:
            participle_only = "VBN" in tags and position + 1 < len(tokens) and tokens[position + 1].norm in {"by"}
            nominal = can_be(token.norm, "NOUN") and "VBD" not in tags and not _takes_object(tokens, position)
            if not participle_only and not nominal:
                return position
    return None

"""Removal of the sentences that have the answer, and of sentences that refer to removed sentences."""

import re

from demur.rules.edits.text import excise_sentences
from demur.text.analysis import PassageAnalysis, leans_back
from demur.text.lexicon import can_be, word_set
from demur.text.names import NameKind
from demur.text.spans import Sentence
from demur.text.tokens import tokenise

_BACK = word_set("he she it they this that these those such his her its their")
_PERSONAL = word_set("he she they his her their him them")
_SUBORDINATE = word_set("while when after before as although though since during upon once in at on with")
_SUBJECTS = word_set("he she they")
_ADDING = word_set("also similarly likewise additionally furthermore moreover conversely however")
_TIMES = word_set("days years months weeks times decades centuries hours minutes")
_BEARERS = (NameKind.PERSON, NameKind.ORGANISATION, NameKind.PLACE)
_EVENT_NOUNS = word_set("sudden move change decision step act event result effect process practice law plan policy")
_OPENING_WORDS = 8
_ALL_OF_THEM = re.compile(r"(?:All|Both|None|Some|Most|Each|One)(?: \w+)? of (?:these|those|them)\b")


def leaning(passage: PassageAnalysis, gone: set[int]) -> set[int]:
    """Return `gone`, and the indices of sentences that refer back to a removed sentence."""
    wider = set(gone)
    for sentence in passage.sentences:
        first = next((t.norm for t in tokenise(sentence.text) if t.is_word), "")
        if sentence.index - 2 in wider and _ALL_OF_THEM.match(sentence.text):
            wider.add(sentence.index)
        if sentence.index - 1 not in wider:
            continue
        orphaned = all(i in wider for i in range(sentence.index))
        if leans_back(sentence.text) and first in _BACK or _points_back(passage, sentence, orphaned):
            wider.add(sentence.index)
    return wider


def _points_back(passage: PassageAnalysis, sentence: Sentence, orphaned: bool) -> bool:
    """Return whether the opening words point at something in an earlier sentence, such as 'of those workers'.

    A personal pronoun points back if all earlier sentences were removed (`orphaned`), and if the pronoun cannot stand
    for an earlier word of its own sentence.
    """
    words = [t for t in tokenise(sentence.text) if t.is_word][:_OPENING_WORDS]
    if words and words[0].norm in _ADDING:
        return True
    for at, token in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        if at and token.norm == "this" and following is not None and following.norm in _EVENT_NOUNS:
            return True
        if token.norm == "only" and following is not None and following.norm == "other":
            return True
        if token.norm == "another" and following is not None and following.norm in {"example", "application", "reason"}:
            return True
        if token.norm in {"those", "these"} and following is not None and can_be(following.norm, "NOUN"):
            return following.norm not in {"who", "that", "which", "of"} and following.norm not in _TIMES
        if orphaned and token.norm in _PERSONAL:
            start = sentence.span.start
            named = any(start <= n.span.start < start + token.start and n.kind in _BEARERS for n in passage.names)
            meant = any(can_be(w.norm, "NOUN") and w.text.islower() for w in words[:at])
            introduced = words[0].norm in _SUBORDINATE and token.norm in _SUBJECTS  # 'while working at home, he ...'
            return not (named or meant and not introduced)
    return False


def without_sentences(passage: PassageAnalysis, gone: set[int]) -> str | None:
    """Return the passage without the sentences `gone`; None if `gone` is empty, or fewer than eight words remain."""
    cut = [s for s in passage.sentences if s.index in gone]
    left = excise_sentences(passage.text, cut) if cut else ""
    return left if len(left.split()) >= 8 else None


def answer_indices(passage: PassageAnalysis) -> set[int]:
    """Return the indices of the sentences that have an accepted answer."""
    return {s.index for s in passage.answer_sentences}

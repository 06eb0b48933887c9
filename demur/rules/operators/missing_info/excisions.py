"""MEDIUM and HIGH: the sentence or every word of the answer is cut, or the text breaks off before it."""

import re

from demur.rules.edits.answer_phrases import answer_phrases
from demur.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.rules.operators.missing_info.cutting import everywhere
from demur.rules.operators.registry import Declined, Draft, Pull, operator
from demur.text.analysis import PassageAnalysis
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.questions import content_words
from demur.text.spans import Sentence
from demur.text.tokens import tokenise


@operator("missing_info.chunk_cut_before_the_answer")
def chunk_cut_before_the_answer(pull: Pull) -> Draft | Declined:
    """Let every passage that answers break off right before it first gives the answer."""

    def edit(passage: PassageAnalysis) -> str | None:
        return _cut_in(passage, passage.answer_sentences[0])

    return everywhere(pull, edit, "The passage breaks off before the answer, as a badly placed chunk boundary does.")


def _cut_in(passage: PassageAnalysis, sentence: Sentence) -> str | None:
    found = next(p for p in answer_phrases(passage) if sentence.span.covers(p.span))
    lead = passage.text[sentence.span.start : found.span.start].rstrip(' ,("“')
    if len(lead.split()) < 3:
        return None
    before = [s for s in passage.sentences if s.index < sentence.index]
    text = " ".join([*(s.text for s in before), lead])
    return text if len(text.split()) >= max(8, 0.2 * len(passage.text.split())) else None


_LEAST_LEFT = 0.35
"""The share of a passage that the purge leaves, at least."""
_LEADS_ON = re.compile(r"(?:In addition|Also|Additionally|However|Moreover|Furthermore|But|And|Then|Thus|Therefore)\b")


@operator("missing_info.answer_token_purge", last=True)
def answer_token_purge(pull: Pull) -> Draft | Declined:
    """Cut every sentence in which any word of the answer stands."""
    analysis = pull.analysis
    asked = content_words(analysis.question.text)
    words = {t.norm for a in analysis.base.answers for t in tokenise(a) if t.is_word}
    tokens = {w for w in words if w not in FUNCTION_WORDS and w not in asked and (len(w) > 2 or w.isdigit())}

    def edit(passage: PassageAnalysis) -> str | None:
        gone = {s.index for s in passage.sentences if tokens & {t.norm for t in tokenise(s.text)}}
        left = swap_sentences(passage, leaning(passage, gone | answer_indices(passage)))
        most = left is not None and len(left.split()) >= _LEAST_LEFT * len(passage.text.split())
        restated = left is not None and any(len(asked & content_words(t)) > len(asked) / 3 for t in left.split(". "))
        return left if most and left is not None and not restated and not _LEADS_ON.match(left) else None

    return everywhere(pull, edit, "Every sentence with a word of the answer was cut out.")

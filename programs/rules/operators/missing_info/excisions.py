"""MEDIUM and HIGH: the clause, the sentence, or every word of the answer is cut; or the text breaks off before it."""

import re

from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.grammar import tidy_around
from demur.programs.rules.operators.missing_info.cutting import everywhere
from demur.programs.rules.operators.registry import Declined, Draft, Pull, operator
from demur.programs.text.analysis import PassageAnalysis
from demur.programs.text.lexicon import AUXILIARIES, FUNCTION_WORDS, verb_tags
from demur.programs.text.questions import content_words
from demur.programs.text.spans import Sentence, Span
from demur.programs.text.tokens import tokenise


@operator("missing_info.answer_clause_excised")
def answer_clause_excised(pull: Pull) -> Draft | Declined:
    """Cut the clause or sentence that answers, and every other mention of the answer with its sentence."""

    def edit(passage: PassageAnalysis) -> str | None:
        return _clauses_cut(passage) or swap_sentences(passage, leaning(passage, answer_indices(passage)))

    return everywhere(pull, edit, "The clause or sentence that answers was cut out.")


_TAIL = re.compile(r",? (?:and|but|while|where|which|with|when|who) (?P<body>[^;]*?)(?=[.!?][\"”)]?$)")


def _clauses_cut(passage: PassageAnalysis) -> str | None:
    """Cut the smallest clause around every mention; None where a mention stands in no clause that can go."""
    spans: list[Span] = []
    for found in answer_phrases(passage):
        if any(s.covers(found.span) for s in spans):
            continue
        span = _clause(passage, found)
        if span is None or any(s.overlaps(span) for s in spans):
            return None
        spans.append(span)
    text = passage.text
    for span in sorted(spans, reverse=True):
        text = tidy_around(text[: span.start] + text[span.end :], span.start, span.start)
    return text if len(text.split()) >= 8 else None


def _clause(passage: PassageAnalysis, found: Phrase) -> Span | None:
    sentence = passage.sentence_at(found.span)
    for modifier in passage.modifiers:
        if modifier.span.covers(found.span) and modifier.kind.value in {"parenthetical", "side clause"}:
            end = modifier.span.end
            return Span(modifier.span.start, end)
    for match in _TAIL.finditer(sentence.text):
        start = sentence.span.start + match.start()
        words = [t for t in tokenise(match["body"]) if t.is_word][:7]
        verbal = any(verb_tags(w.norm) & {"VBD", "VBZ"} or w.norm in AUXILIARIES for w in words[:5])
        head = [t for t in tokenise(sentence.text[: match.start()]) if t.is_word]
        whole = any(verb_tags(t.norm) & {"VBD", "VBZ"} or t.norm in AUXILIARIES for t in head) and len(head) >= 5
        comma = match.group().startswith(",")
        if (
            comma
            and start < found.span.start
            and verbal
            and whole
            and not any(
                start <= other.span.start for other in answer_phrases(passage) if other.span.start < found.span.start
            )
        ):
            return Span(start, sentence.span.start + match.end())
    return None


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
        told = left is not None and any(len(asked & content_words(t)) > len(asked) / 3 for t in left.split(". "))
        return left if most and left is not None and not told and not _LEADS_ON.match(left) else None

    return everywhere(pull, edit, "Every sentence with a word of the answer was cut out.")

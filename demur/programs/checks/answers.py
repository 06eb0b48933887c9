"""Checks of the accepted answer in a perturbation: kept, removed, or contradicted by a rival answer."""

import re
from typing import Final

from demur.levers.instances import BaseInstance
from demur.levers.models import Lever
from demur.levers.vocabulary import AnswerFate
from demur.programs.checks.diff import InstanceDiff, TextDiff
from demur.programs.checks.results import CheckName, CheckResult, Evidence, failed, passed, undecidable
from demur.programs.checks.rivals import NEGATION, bears, equal_rivals, refers_back, rivals
from demur.text.analysis import Analysis
from demur.text.answers import AnswerMention, AnswerType, MentionKind, find_answers
from demur.text.spans import Sentence
from demur.text.support import TextPart, supports

NO_RIVALS: Final = "rival values and denials are looked for in English only"


def answer_check(base: BaseInstance, analysis: Analysis, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Check that the answer is kept, removed or contradicted by a rival answer, as the lever declares."""
    name = {
        AnswerFate.REMOVED: CheckName.ANSWER_REMOVED,
        AnswerFate.RIVALLED: CheckName.BOTH_SIDES_PRESENT,
    }.get(lever.answer, CheckName.ANSWER_KEPT)
    if lever.answer is AnswerFate.STRUCTURAL:
        return undecidable(name, "the lever's defect is structural; no search can find it")
    if analysis.answer_type is AnswerType.YES_NO:
        return undecidable(name, "a yes or no cannot be searched for")
    if not any(p.gives_answer for p in analysis.passages):
        return undecidable(name, "no accepted answer stands in the base instance's passages")
    if lever.answer is AnswerFate.REMOVED:
        return answer_removed(base, found)
    if lever.answer is AnswerFate.RIVALLED:
        return both_sides_present(base, analysis, found)
    return answer_kept(base, analysis, found, lever)


def _mentions(base: BaseInstance, found: InstanceDiff, *, signal_only: bool) -> list[tuple[int, AnswerMention]]:
    got = []
    for passage in base.passages:
        if signal_only and not passage.relevant:
            continue
        text = found.passages[passage.index].new if passage.index in found.passages else passage.text
        got += [(passage.index, m) for m in find_answers(text, base.answers, base.language)]
    return got


def _spans(mentions: list[tuple[int, AnswerMention]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(i, m.span.start, m.span.end, m.text) for i, m in mentions[:5])


def answer_removed(base: BaseInstance, found: InstanceDiff) -> CheckResult:
    """Check that no passage, noise included, gives an accepted answer, an alias or a trivial paraphrase.

    If the question offers the answer as one of several options, passages may name the answer without giving it. Code
    cannot decide this case.
    """
    if _offers_an_answer(base):
        return undecidable(CheckName.ANSWER_REMOVED, "the question offers the accepted answer as one of several")
    left = _mentions(base, found, signal_only=False)
    if left:
        index, mention = left[0]
        return failed(
            CheckName.ANSWER_REMOVED,
            f"passage {index} still says '{mention.text}' ({mention.kind} of '{mention.answer}')",
            _spans(left),
        )
    return passed(CheckName.ANSWER_REMOVED, "no accepted answer, alias or trivial paraphrase in any passage")


def _offers_an_answer(base: BaseInstance) -> bool:
    """Return whether the question names an accepted answer as one of several options.

    For languages without word lists, return whether the question names an accepted answer at all.
    """
    if supports(base.language, TextPart.WORDS) and re.search(r"\bor\b", base.question) is None:
        return False
    return any(m.kind is not MentionKind.PARTIAL for m in find_answers(base.question, base.answers, base.language))


def answer_kept(base: BaseInstance, analysis: Analysis, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Check that a signal passage still gives an accepted answer.

    In English, also check that no added statement gives another answer with equal certainty.
    """
    name = CheckName.ANSWER_KEPT
    had = [m for p in analysis.signal for m in p.answers]
    if not had:
        return undecidable(name, "no accepted answer stands in the base instance's signal passages")
    kept = _mentions(base, found, signal_only=True)
    if all(m.kind is MentionKind.PARTIAL for _, m in kept) and any(m.kind is not MentionKind.PARTIAL for m in had):
        return failed(name, "no accepted answer stands in a signal passage any more", _spans(kept))
    if not supports(base.language, TextPart.WORDS):
        return passed(name, f"'{kept[0][1].text}' stands in passage {kept[0][0]}; {NO_RIVALS}", _spans(kept))
    for index, part in found.passages.items():
        for sentence, value in equal_rivals(analysis, part):
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            if lever.answer is AnswerFate.KEPT_WITH_WEAKER_RIVAL:
                return undecidable(name, f"passage {index} now also says '{value}'; code can't weigh the two", spans)
            return failed(name, f"passage {index} now also says '{value}', with equal weight", spans)
    return passed(name, f"'{kept[0][1].text}' stands in passage {kept[0][0]}", _spans(kept))


def _concerns(base: BaseInstance, analysis: Analysis, part: TextDiff, sentence: Sentence) -> bool:
    """Return whether a sentence is about the question or contains the answer."""
    about = bears(analysis, sentence.text) or refers_back(part.new, sentence, analysis)
    return about or bool(find_answers(sentence.text, base.answers))


def both_sides_present(base: BaseInstance, analysis: Analysis, found: InstanceDiff) -> CheckResult:
    """Check that a signal passage gives the answer and a changed passage contradicts it.

    For languages other than English, code cannot decide whether added text contradicts the answer.
    """
    name = CheckName.BOTH_SIDES_PRESENT
    kept = _mentions(base, found, signal_only=True)
    if not kept:
        return failed(name, "no accepted answer stands in a signal passage: one side of the conflict is missing")
    touched = [(i, s, part) for i, part in found.passages.items() for s in part.touched_sentences]
    if not touched:
        return failed(name, "no text was added that could speak against the answer")
    if not supports(base.language, TextPart.WORDS):
        return undecidable(name, f"text was added; {NO_RIVALS}", _spans(kept[:1]))
    for index, part in found.passages.items():
        for sentence, value in rivals(analysis, part):
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            return passed(name, f"'{kept[0][1].text}' and '{value}' (passage {index})", _spans(kept[:1]) + spans)
    for index, sentence, part in touched:
        if _concerns(base, analysis, part, sentence) and NEGATION.search(sentence.text):
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            return passed(name, f"passage {index} denies what it is about", _spans(kept[:1]) + spans)
    index, sentence, _ = touched[0]
    spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
    if not any(_concerns(base, analysis, part, sentence) for _, sentence, part in touched):
        return failed(name, "the text added shares no matter with the question or the answer's sentence", spans)
    return undecidable(name, "text was added, but no rival value and no denial is found in it", spans)

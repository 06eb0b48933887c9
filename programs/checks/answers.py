"""Checks on how the answer stands after the change: kept, removed, or rivalled."""

import re

from levers.models import Lever
from levers.vocabulary import AnswerFate
from programs.checks.diff import InstanceDiff, TextDiff
from programs.checks.results import CheckName, CheckResult, Evidence, failed, passed, undecidable
from programs.instances import BaseInstance
from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.answers import AnswerMention, AnswerType, MentionKind, find_answers
from programs.rules.analysis.dates import find_dates
from programs.rules.analysis.names import NameKind, find_names
from programs.rules.analysis.quantities import find_numbers
from programs.rules.analysis.questions import content_words
from programs.rules.analysis.spans import Sentence
from programs.rules.analysis.tokens import sentences, words

_WEAK = re.compile(
    r"\b(?:rumou?rs?|rumou?red|alleged(?:ly)?|unofficial(?:ly)?|unverified|unconfirmed|unsourced|anonymous(?:ly)?|"
    r"fans?|fan-made|blogs?|blogger|forums?|tweets?|posts?|comment|hearsay|gossip|tabloids?|some (?:claim|say|people)|"
    r"claims?|claimed|supposed(?:ly)?|purported(?:ly)?|reportedly|mistaken(?:ly)?|erroneous(?:ly)?|incorrect(?:ly)?|"
    r"disputed|discredited|retracted|draft|early|earlier|older|outdated|preliminary|superseded|informal(?:ly)?|"
    r"colloquial(?:ly)?|nicknamed?|so-called|joking(?:ly)?|roughly|approximately|"
    r"(?:about|around|nearly|almost|some|over|under)(?= (?:the )?[\d$£€]| [a-z]+ (?:hundred|thousand|million|billion))|"
    r"rounded|loosely|may|might|perhaps|possibly|probably|estimates?|estimated|recalls?|recalled|misremember\w*|"
    r"contrary to|legend|folklore|myth|circa|typo|misprint\w*|pamphlet|leaflet|caption)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|cannot|without|false|untrue|den(?:y|ies|ied)|refut\w+|contradict\w*|"
    r"contrary|dispute[sd]?|instead|rather|disagree\w*|conflict\w*|different|another|only|both)\b|n['’]t\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:it|its|he|she|his|her|they|their|them|this|that|these|those|there)\b", re.IGNORECASE)
_NAME_KINDS = {
    AnswerType.PERSON: {NameKind.PERSON, NameKind.OTHER},
    AnswerType.PLACE: {NameKind.PLACE, NameKind.OTHER},
    AnswerType.ORGANISATION: {NameKind.ORGANISATION, NameKind.OTHER},
    AnswerType.TITLE: {NameKind.TITLE, NameKind.OTHER},
    AnswerType.LIST: set(NameKind),
}


def answer_check(base: BaseInstance, analysis: Analysis, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Make the answer check that the lever's declared fate of the answer asks for."""
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
        got += [(passage.index, m) for m in find_answers(text, base.answers)]
    return got


def _spans(mentions: list[tuple[int, AnswerMention]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(i, m.span.start, m.span.end, m.text) for i, m in mentions[:5])


def answer_removed(base: BaseInstance, found: InstanceDiff) -> CheckResult:
    """Check that no passage, noise included, gives an accepted answer, an alias or a trivial paraphrase."""
    left = _mentions(base, found, signal_only=False)
    if left:
        index, mention = left[0]
        return failed(
            CheckName.ANSWER_REMOVED,
            f"passage {index} still says '{mention.text}' ({mention.kind} of '{mention.answer}')",
            _spans(left),
        )
    return passed(CheckName.ANSWER_REMOVED, "no accepted answer, alias or trivial paraphrase in any passage")


def answer_kept(base: BaseInstance, analysis: Analysis, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Check that an accepted answer still stands in a signal passage, and that no equal rival was added."""
    name = CheckName.ANSWER_KEPT
    had = [m for p in analysis.signal for m in p.answers]
    if not had:
        return undecidable(name, "no accepted answer stands in the base instance's signal passages")
    kept = _mentions(base, found, signal_only=True)
    if all(m.kind is MentionKind.PARTIAL for _, m in kept) and any(m.kind is not MentionKind.PARTIAL for m in had):
        return failed(name, "no accepted answer stands in a signal passage any more", _spans(kept))
    for index, part in found.passages.items():
        for sentence, value in _rivals(analysis, part, strict=True):
            if _is_weak(analysis, sentence.text):
                continue
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            if lever.answer is AnswerFate.KEPT_WITH_WEAKER_RIVAL:
                return undecidable(name, f"passage {index} now also says '{value}'; code can't weigh the two", spans)
            return failed(name, f"passage {index} now also says '{value}', with equal weight", spans)
    return passed(name, f"'{kept[0][1].text}' stands in passage {kept[0][0]}", _spans(kept))


def both_sides_present(base: BaseInstance, analysis: Analysis, found: InstanceDiff) -> CheckResult:
    """Check that the answer still stands in a signal passage and that a changed passage now speaks against it."""
    name = CheckName.BOTH_SIDES_PRESENT
    kept = _mentions(base, found, signal_only=True)
    if not kept:
        return failed(name, "no accepted answer stands in a signal passage: one side of the conflict is missing")
    touched = [(i, s, part) for i, part in found.passages.items() for s in part.touched_sentences]
    if not touched:
        return failed(name, "no text was added that could speak against the answer")
    for index, part in found.passages.items():
        for sentence, value in _rivals(analysis, part):
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            return passed(name, f"'{kept[0][1].text}' and '{value}' (passage {index})", _spans(kept[:1]) + spans)
    for index, sentence, part in touched:
        about = _bears(analysis, sentence.text) or _refers_back(part.new, sentence, analysis)
        if about and _NEGATION.search(sentence.text):
            spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
            return passed(name, f"passage {index} denies what it is about", _spans(kept[:1]) + spans)
    index, sentence, _ = touched[0]
    spans = (Evidence(index, sentence.span.start, sentence.span.end, sentence.text),)
    if not any(_bears(analysis, s.text) or _refers_back(part.new, s, analysis) for _, s, part in touched):
        return failed(name, "the text added shares no matter with the question or the answer's sentence", spans)
    return undecidable(name, "text was added, but no rival value and no denial is found in it", spans)


def _is_weak(analysis: Analysis, sentence: str) -> bool:
    """Say whether a sentence marks what it says as weaker than the answer's own sentence does."""
    marks = {m.group().casefold() for m in _WEAK.finditer(sentence)}
    own = analysis.answer_sentence.text.casefold() if analysis.answer_sentence else ""
    return any(not re.search(rf"\b{re.escape(mark)}\b", own) for mark in marks)


def _bears(analysis: Analysis, sentence: str, *, share: float = 0.25) -> bool:
    """Say whether a sentence is about what is asked: it shares words with the question or the answer's sentence."""
    said = content_words(sentence)
    asked = content_words(analysis.question.text)
    held = content_words(analysis.answer_sentence.text) if analysis.answer_sentence else frozenset()
    return len(said & asked) >= max(1.0, len(asked) * share) or len(said & held) >= max(2.0, len(held) * share)


def _refers_back(text: str, sentence: Sentence, analysis: Analysis) -> bool:
    """Say whether a sentence speaks, by a pronoun, of what the sentence before it says about the matter asked."""
    if sentence.index == 0 or not _BACK.search(sentence.text):
        return False
    before = next(s for s in sentences(text) if s.index == sentence.index - 1)
    return _bears(analysis, before.text) or _refers_back(text, before, analysis)


def _rivals(analysis: Analysis, part: TextDiff, *, strict: bool = False) -> list[tuple[Sentence, str]]:
    """Return added values of the answer's type in sentences about what is asked, with those sentences.

    When strict, the sentence must share at least half of its matter with the question or with the answer's
    sentence, and must not give the accepted answer itself.
    """
    found = []
    for sentence in part.touched_sentences:
        if strict:
            about = _bears(analysis, sentence.text, share=0.5) and not analysis.is_answer(sentence.text)
        else:
            about = _bears(analysis, sentence.text) or _refers_back(part.new, sentence, analysis)
        if not about:
            continue
        for value in _values(analysis.answer_type, sentence.text):
            at = sentence.text.find(value)
            fresh = any(
                a.start < sentence.span.start + at + len(value) and sentence.span.start + at < a.end for a in part.added
            )
            known = value in part.old or value.casefold() in analysis.question.text.casefold()
            if fresh and not known and not _says_the_same(value, analysis):
                found.append((sentence, value))
    return found


def _values(kind: AnswerType, text: str) -> list[str]:
    if kind is AnswerType.DATE:
        return [d.text for d in find_dates(text)]
    if kind in (AnswerType.NUMBER, AnswerType.MONEY):
        dates = [d.span for d in find_dates(text)]
        return [n.whole.of(text) for n in find_numbers(text) if not any(d.covers(n.span) for d in dates)]
    kinds = _NAME_KINDS.get(kind)
    if kinds is None:
        return [n.text for n in find_names(text)]
    return [n.text for n in find_names(text) if n.kind in kinds]


def _says_the_same(value: str, analysis: Analysis) -> bool:
    """Say whether a value is the answer, another form of a name in it, or a number that differs by rounding (5 %)."""
    if analysis.is_answer(value):
        return True
    if analysis.answer_type in (AnswerType.NUMBER, AnswerType.MONEY):
        ours = find_numbers(analysis.answer)
        return any(
            abs(n.value - own.value) <= 0.05 * abs(own.value) and (n.unit == own.unit or None in (n.unit, own.unit))
            for n in find_numbers(value)
            for own in ours
        )
    if analysis.answer_type is AnswerType.DATE:
        return False
    accepted = {t.norm for a in analysis.base.answers for t in words(a)}
    return bool({t.norm for t in words(value)} & accepted)

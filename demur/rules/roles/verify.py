"""The rules lane as verifier: what an editor sees who compares the perturbed instance with the original.

It knows no class by its words. What a lever says in its own frames, instruction and examples is never held against it,
so that a lever of one's own is not voted down for its wording.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.models import Lever
from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.signatures.verification import checks_that_apply
from demur.rules.remains import what_stays
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.case import Case, Check, Flaw
from demur.text import find_answers
from demur.text.questions import content_words
from demur.text.tokens import fold, sentences, words

NAME: Final = "editor"
RULES: Final = {NAME: None}
_OF_TEXTS: Final = frozenset(
    "entry version edition copy page source article erratum note footnote record account text correct confirm study "
    "statement print reprint link table illegible unreadable redact".split()
)
"""Words by which a text speaks of texts, in the dictionary form."""
_BRACKET: Final = re.compile(r"\[[^\]\d][^\]]*\]|\((?:\d+|no) rows?\)|\(empty [^)]*\)")
_SCARS: Final = (
    (re.compile(r"\b(?!had|that|bye|so|very)([a-z]+) \1\b"), "a word stands twice"),
    (
        re.compile(r"\bfrom \d{1,2} [A-Z][a-z]+ to \d{4}\b|\(\d{4} ?[–-] [A-Z][a-z]+ \d"),
        "half of a span of dates is cut",
    ),
    (re.compile(r"\b(?:a|an|the|of|to|in|by|with) ?[.,;)](?= |$)"), "a phrase has lost its end"),
    (re.compile(r" [,.;](?= |$)|,,|\( |\(\)"), "punctuation is left over"),
    (re.compile(r"\b(?:in|on|from|at) (?:in|on|from|at) "), "two prepositions stand side by side"),
    (
        re.compile(r"\bthe [1-9]\d\d? (?:exhibition|conference|edition|season|film|album|book|meeting)\b"),
        "no such year",
    ),
)
_PASTED: Final = 7
"""Words in a row that a question may take over from a passage, at most."""
_LIKE: Final = 0.6
"""The share of its content words that a question which is to be answered keeps, at least."""
_OLD_NUMBER: Final = re.compile(r"\b(?:first|second|both|third|either|former|latter)\b", re.IGNORECASE)


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the verdict of the editor.

    Each check of a verdict is false where a fault was found; it is PASS where there is none.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    case = Case.of(inputs, catalogue)
    return _verdict(case, tuple(_faults(case, catalogue.named(inputs["lever"]))))


def _verdict(case: Case, faults: tuple[Flaw, ...]) -> Outputs:
    """Return the output fields of VerifyPerturbation for a case with these faults."""
    found = {fault.check for fault in faults}
    applying = checks_that_apply(case.intensity, strategy=case.has_strategy)
    if found - {Check(check) for check in applying}:
        found.add(Check.LEVER)
    left = [index for index, text in case.texts if find_answers(text, case.base.answers)]
    places = f"passage{'s' if len(left) > 1 else ''} {', '.join(map(str, left))}"
    predicted = _predicted(case, found)
    return {
        **{check.value: check not in found if check in applying else None for check in Check},
        "refusal_analysis": _reading(predicted, faults),
        "constraint_analysis": f"An accepted answer stands in {places}." if left else "No passage says an answer.",
        "predicted_behaviour": predicted,
        "observed_intensity": _observed(case, found),
        "issues": _issues(faults),
        "overall": "FAIL" if faults else "PASS",
    }


def _predicted(case: Case, found: set[Check]) -> Code:
    if Check.BEHAVIOUR not in found:
        return case.expected if Check.REASON not in found else Code.OTHER
    return Code.ANSWER_CORRECTLY if case.to_be_refused else Code.MISSING


def _observed(case: Case, found: set[Check]) -> Intensity:
    if not found & {Check.INTENSITY, Check.BEHAVIOUR}:
        return case.intensity
    return Intensity.LOW if case.to_be_refused else Intensity.MEDIUM


def _reading(predicted: Code, faults: Sequence[Flaw]) -> str:
    if not predicted.is_refusal:
        return "The passages lead to an answer."
    reasons = [f.issue for f in faults if f.check in (Check.BEHAVIOUR, Check.REASON)]
    return f"One would refuse with {predicted}" + (f": {reasons[0]}." if reasons else ".")


def _issues(faults: Sequence[Flaw]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fault.issue for fault in faults))


def _faults(case: Case, lever: Lever | None) -> Iterator[Flaw]:
    if not case.changed and case.question == case.base.question:
        yield Flaw(Check.LEVER, "nothing was changed")
        yield Flaw(Check.BEHAVIOUR if case.to_be_refused else Check.TARGET, "nothing was changed")
        return
    yield from _target(case)
    yield from _answer(case)
    yield from _wording(case, _own_words(lever))
    yield from _question(case)
    kept = content_words(f"{case.base.question} {' '.join(case.base.answers)}")
    if lever is not None and lever.keeps_subject and not kept & content_words(case.question):
        yield Flaw(Check.LEVER, "the subject of the original question is gone")


def _own_words(lever: Lever | None) -> frozenset[str]:
    """Return the words of a lever's frames, instruction and examples, with which its text may be written."""
    if lever is None:
        return frozenset()
    texts = [lever.instruction, *(frame.text for frame in lever.frames)]
    texts += [text for example in lever.examples for text in example.change.passages.values()]
    return content_words(" ".join(texts))


def _target(case: Case) -> Iterator[Flaw]:
    asks = case.question != case.base.question
    wrong = {
        Target.QUERY: bool(case.changed) or not asks,
        Target.CONTEXT: asks or not case.changed,
        Target.QUERY_AND_CONTEXT: not asks or not case.changed,
        Target.QUERY_OR_CONTEXT: asks and bool(case.changed),
    }[case.target]
    if wrong:
        yield Flaw(Check.TARGET, "something else than the target was changed, or the target was not")


def _answer(case: Case) -> Iterator[Flaw]:
    """Yield where the accepted answer is there and should not be, or the other way round."""
    had = any(p.gives_answer for p in case.analysis.signal)
    has = any(find_answers(text, case.base.answers) for _, text in case.texts)
    if not case.to_be_refused and had and not has:
        yield Flaw(Check.ANSWER, "no passage says an accepted answer any more")
    if case.lever_class is LeverClass.MISSING_INFO and case.to_be_refused:
        stays = "an accepted answer stays" if has else what_stays(case.analysis, case.changed)
        if stays is not None:
            yield Flaw(Check.UNCERTAINTY, stays)
            yield Flaw(Check.BEHAVIOUR, stays)
    if case.lever_class is LeverClass.CONTRADICTION and case.to_be_refused and not any(_fresh(case)):
        yield Flaw(Check.UNCERTAINTY, "no passage states anything new")
        yield Flaw(Check.BEHAVIOUR, "the passages still lead to one answer")


def _fresh(case: Case) -> list[str]:
    """Return the sentences of the changed passages that the original did not have."""
    old = {s.text.strip() for p in case.base.passages for s in sentences(p.text)}
    return [s.text for text in case.changed.values() for s in sentences(text) if s.text.strip() not in old]


def _strangers(case: Case, own: frozenset[str]) -> Iterator[str]:
    """Yield added sentences that share no word with the question and with the passage, most of which is still there."""
    for index, text in case.changed.items():
        before = next(p.text for p in case.base.passages if p.index == index)
        held = content_words(before)
        about = held | content_words(f"{case.base.question} {' '.join(case.base.answers)}") | own
        if len(held & content_words(text)) < len(held) / 2:
            continue
        for sentence in sentences(text):
            said = content_words(sentence.text)
            if sentence.text.strip() not in before and len(said) > 2 and not said & about:
                yield sentence.text


def _wording(case: Case, own: frozenset[str]) -> Iterator[Flaw]:
    """Yield what an editor would strike out of the passages."""
    before = " ".join(p.text for p in case.base.passages)
    about = content_words(f"{before} {case.base.question} {' '.join(case.base.answers)}")
    if any(_strangers(case, own)):
        yield Flaw(Check.QUALITY, "a sentence has nothing to do with its passage")
    for text in _fresh(case):
        if ((content_words(text) - about) & _OF_TEXTS) - own and not _replaces_all(case):
            yield Flaw(Check.QUALITY, "a text speaks of itself or of other texts")
        bracket = _BRACKET.search(text)
        marked = bracket is not None and bracket.group() not in before and not _replaces_all(case)
        if marked and bracket is not None and not content_words(bracket.group()) <= own:
            yield Flaw(Check.QUALITY, "a bracket marks what was done")
        if not case.disfluent and not _replaces_all(case):
            yield from (
                Flaw(Check.QUALITY, why) for scar, why in _SCARS if scar.search(text) and not scar.search(before)
            )
    for part in case.found.passages.values():
        for span in part.removed:
            if re.match(r"\(\w{1,3}\)$", span.of(part.old).strip()) and part.old[span.start - 1 : span.start].isalnum():
                yield Flaw(Check.QUALITY, "a bracket was cut that belongs to a word")
    counted = case.lever_class in (LeverClass.CONTRADICTION, LeverClass.AMBIGUITY) and case.to_be_refused
    small = any(re.fullmatch(r"(?:two|three|2|3)(?: \w+)?", answer) for answer in case.base.answers)
    if counted and small and case.changed and _OLD_NUMBER.search(before):
        yield Flaw(Check.UNCERTAINTY, "what is counted one by one still tells the number")


def _replaces_all(case: Case) -> bool:
    """Return whether whole passages of another text were put in, whose wording is that text's own."""
    return case.lever_class is LeverClass.MISSING_INFO and any(
        not content_words(text) & content_words(p.text)
        for p in case.base.passages
        if (text := case.changed.get(p.index, p.text)) != p.text
    )


def _question(case: Case) -> Iterator[Flaw]:
    """Yield what is wrong with a changed question."""
    if case.question == case.base.question:
        return
    old = content_words(case.base.question)
    new = content_words(case.question)
    if not case.to_be_refused and case.lever_class is not LeverClass.AMBIGUITY and len(old & new) < _LIKE * len(old):
        yield Flaw(Check.ANSWER, "the question no longer asks what it asked")
    if case.lever_class in (LeverClass.EPISTEMIC, LeverClass.GRANULARITY) and case.to_be_refused and new <= old:
        yield Flaw(Check.BEHAVIOUR, "the question still asks what it asked")
    given = [t.norm for t in words(case.question)]
    asked = fold(case.base.question)
    runs = (" ".join(given[i : i + _PASTED]) for i in range(len(given) - _PASTED + 1))
    passages = " ".join(" ".join(t.norm for t in words(p.text)) for p in case.base.passages)
    if any(run in passages and run not in asked for run in runs):
        yield Flaw(Check.QUALITY, "a clause of a passage was pasted into the question")
    for scar, why in _SCARS:
        if scar.search(case.question) and not scar.search(case.base.question):
            yield Flaw(Check.QUALITY, why)

"""What the recipes of this class share: the asked fact, its answer and a rival, and where the conflict is written."""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from demur.levers.vocabulary import Layout
from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.edits.rival_values import OFFICES, is_personal, rival_value, spoken_answer
from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.strategy import choose_noise_passage
from demur.programs.rules.edits.text import insert_sentence
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.text.analysis import Analysis, leans_back
from demur.programs.text.asked_fact import AskedFact, FactKind, Role
from demur.programs.text.lexicon import can_be, verb_tags
from demur.programs.text.quantities import find_numbers
from demur.programs.text.tokens import fold

_LONGEST_RESTATEMENT = 40
_LONGEST_STATEMENT = 36
_LONGEST_SAID_TWICE = 14
_MOST_LISTED = 2
_ONE_NAME = re.compile(r"\b(?:first|middle|given|last|maiden|family) name\b|\bsurname\b", re.IGNORECASE)
_HALF_SAID = re.compile(r"(?:credited|loosely|seemingly|known)\b", re.IGNORECASE)
_MANY_MAY = re.compile(
    r"\binvolved in\b|\btook part\b|\b(?:some|one) of\b|\ban? (?:real|early|example|other|another)\b|\bexamples? of\b",
    re.IGNORECASE,
)
"""Questions to which more than one thing is a right answer, so that a second one contradicts nothing."""
_TWICE = re.compile(r"\b(during|in|on|at|by|of|the|to) \1\b")
_RUN_ON = re.compile(r", (?:(?:he|she|it|they) \w+|(?:is|was|are|were) (?:an?|the)\b|the late\b|this \w+ (?:is|was)\b)")


@dataclass(frozen=True, slots=True)
class Conflict:
    """The fact asked for, its answer and a rival; `rival` is None where the answer can only be denied."""

    fact: AskedFact
    answer: str
    rival: str | None
    personal: bool

    @property
    def original(self) -> str:
        """A clause that states the answer."""
        return self.fact.state(self.answer)

    @property
    def denial(self) -> str:
        """A clause that denies the answer."""
        return self.fact.deny(self.answer)

    @property
    def opposite(self) -> str:
        """A clause that states the rival, or denies the answer where there is no rival."""
        return self.fact.state(self.rival) if self.rival is not None else self.denial

    @property
    def is_long(self) -> bool:
        """True where the statement is too long to be said twice in one remark."""
        return len(self.original.split()) > _LONGEST_SAID_TWICE

    @property
    def opposite_again(self) -> str:
        """`opposite` as it stands after a clause that has told the fact: 'it was X' for a long one."""
        if self.rival is None:
            return self.denial_again
        if not self.is_long:
            return self.opposite
        polar = self.fact.kind is FactKind.POLAR
        return f"this {self._be} not so" if polar else f"it {self._be} {self.fact.fill(self.rival)}"

    @property
    def denial_again(self) -> str:
        """`denial` as it stands after a clause that has told the fact: 'this was not so' for a long one."""
        if not self.is_long:
            return self.denial
        return f"it {self._be} not {self.fact.fill(self.answer)}" if self.is_split else f"this {self._be} not so"

    @property
    def _be(self) -> str:
        return "was" if self.fact.past else "is"

    @property
    def is_split(self) -> bool:
        """True where the value can be brought to the front: 'it was X who ...'."""
        polar = self.fact.kind in (FactKind.POLAR, FactKind.COUNT)
        return not polar and (self.fact.kind is FactKind.EQUATION or self.fact.asked is not None)

    def holds(self, value: str, *, past: str, present: str) -> str:
        """Return 'it <verb> <value> who ...', with the verb for the fact's tense ('had to be' or 'has to be')."""
        verb, fact = past if self.fact.past else present, self.fact
        if fact.kind is FactKind.EQUATION:
            return f"{_without_be(fact.before)} {verb} {fact.fill(value)}"
        if not self.is_split:
            return f"it {verb} the case that {fact.state(value)}"
        link = "who" if fact.personal and fact.kind is FactKind.SUBJECT else "that"
        rest = f"{fact.before} {fact.after}".strip()
        return f"it {verb} {fact.fill(value)} {link} {rest}"


def _without_be(text: str) -> str:
    return re.sub(r" (?:is|are|was|were)$", "", text)


def read_conflict(analysis: Analysis, rng: random.Random) -> Conflict | Declined:
    """Return the asked fact, its answer and a rival; from the passage's sentence where the question won't turn."""
    fact = spoken_fact(analysis) or _told(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if _RUN_ON.search(f"{fact.before} {fact.after}"):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question strings several sentences together")
    if not any(p.gives_answer for p in analysis.signal) and fact.kind is not FactKind.POLAR:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    if len(fact.state(spoken_answer(analysis)).split()) > _LONGEST_STATEMENT:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement would be too long to repeat")
    if _things_accepted(analysis) > _MOST_LISTED:
        return Declined(
            DeclineReason.ANSWER_TYPE, "the answer is a list, and a statement about one of it decides nothing"
        )
    if _HALF_SAID.match(spoken_answer(analysis)) and fact.kind is not FactKind.COUNT:
        return Declined(DeclineReason.ANSWER_TYPE, "the accepted answer is no name or value")
    if _TWICE.search(fact.state(spoken_answer(analysis))):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement would say a word twice")
    rival = rival_value(analysis, fact, rng)
    if rival is not None and _MANY_MAY.search(analysis.question.text):
        rival = None
    if rival is None and len(spoken_answer(analysis).split(", ")) > _MOST_LISTED:
        return Declined(DeclineReason.ANSWER_TYPE, "a list of clauses can't be denied in one sentence")
    if rival is not None and _ONE_NAME.search(analysis.question.text):
        rival = rival.split()[0]
    if rival is not None and fact.asked is not None and _is_listed(analysis):
        rival = f"{rival} alone"
    if rival is not None and rival.lower() in OFFICES:
        rival = f"the {rival}"
    answer = _as_phrase(spoken_answer(analysis), fact)
    rival = None if "/" in answer else rival  # a made-up half beside a real one is no value
    return Conflict(fact, _small_number(answer), _small_number(rival) if rival else None, is_personal(analysis))


def _small_number(value: str) -> str:
    """Return a value that opens with a number word as it stands in mid-sentence: 'three additional species'."""
    opens = value[:1].isupper() and any(n.in_words and n.span.start == 0 for n in find_numbers(value))
    return value[0].lower() + value[1:] if opens else value


def _things_accepted(analysis: Analysis) -> int:
    """Return how many different names the accepted answers are, names that share a word counting once."""
    found: list[frozenset[str]] = []
    for answer in sorted(analysis.base.answers, key=len):
        words = frozenset(fold(answer).split())
        if answer[:1].isupper() and not any(words & one for one in found):
            found.append(words)
    return len(found)


def _as_phrase(answer: str, fact: AskedFact) -> str:
    """Return an answer that is a bare verb as an infinitive: 'the job is to dispense summary justice'."""
    words = answer.split()
    first = words[0]
    if answer.lower() in OFFICES:
        return f"the {answer}"
    bare = verb_tags(first) == {"VB"} and not can_be(first, "NOUN") and not can_be(first, "ADJ")
    return f"to {answer}" if fact.kind is FactKind.EQUATION and bare and len(words) > 1 else answer


def _is_listed(analysis: Analysis) -> bool:
    """Say whether the accepted answers are several things rather than several names of one."""
    parts = [fold(a) for a in analysis.base.answers]
    whole = any(all(o in one for o in parts) for one in parts)
    words = [frozenset(p.split()) for p in parts]
    names = all(a[:1].isupper() for a in analysis.base.answers)
    return len(parts) > 1 and names and not whole and any(not (a & b) for a in words for b in words)


def _told(analysis: Analysis) -> AskedFact | None:
    """Return the passage's answer sentence as a statement with a gap, where it stands on its own."""
    sentence = analysis.answer_sentence
    if sentence is None or len(sentence.text.split()) > _LONGEST_RESTATEMENT or leans_back(sentence.text):
        return None
    inside = [m for m in analysis.main.answers if sentence.span.covers(m.span)]
    if (
        " because " in sentence.text
        or len(inside) != 1
        or not sentence.text.endswith(".")
        or any(c in sentence.text for c in '“”";()')
    ):
        return None
    start = inside[0].span.start - sentence.span.start
    end = inside[0].span.end - sentence.span.start
    if start == 0:
        return None
    before, after = sentence.text[:start].rstrip(), sentence.text[end:].strip().rstrip(".")
    return AskedFact(FactKind.OBJECT, mid_sentence(before), after, Role.BARE, True, False, asked=None, noun=None)


def in_noise(analysis: Analysis) -> bool:
    """Say whether the conflict is written into a noise passage, away from the statement that it contradicts."""
    return analysis.base.layout is Layout.MULTI


def written(
    analysis: Analysis, rng: random.Random, said: str | Iterable[str], reasoning: str, note: str
) -> Draft | Declined:
    """Return the draft with one or more sentences added to the one passage that the class may change."""
    passage = choose_noise_passage(analysis, rng)
    if passage is None:
        return Declined(DeclineReason.NO_NOISE_PASSAGE)
    text = passage.text
    for sentence in [said] if isinstance(said, str) else said:
        text = insert_sentence(text, sentence)
    return Draft(analysis.question.text, {passage.index: text}, reasoning=reasoning, answer_note=note)

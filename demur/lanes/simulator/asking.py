"""The simulated asker and prover.

If a passage answers a question of the embedded corpora, the asker asks this question. About other passages, the asker
asks which number is missing in a sentence. No round can use these models outside of the simulator.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any, Final

from demur.corpora.corpus import read_corpus
from demur.levers.instances import AskedQuestion
from demur.levers.vocabulary import ENGLISH, QuestionKind
from demur.programs.checks.questions import gives_answer
from demur.text.stated import find_verbatim
from demur.text.tokens import sentences

Inputs = Mapping[str, Any]
ASKER: Final = "asker/simulated"
PROVER: Final = "prover/simulated"
_CORPORA: Final = ("single.jsonl", "multi.jsonl")
_GAP: Final = "____"
_GAPPED: Final = re.compile(rf"^What belongs into the gap of (?P<said>.*{_GAP}.*)\?$", re.DOTALL)
_FIRST: Final = re.compile(r"^Which comes first by its letters, (?P<one>.+) or (?P<other>.+)\?$")
_FIGURE: Final = re.compile(r"(?<![\w.,])\d+(?![\w.,]*\d)")
_SHORTEST: Final = 6
_LONGEST: Final = 25
"""The fewest and most words of a sentence that gets a gap."""
_SLIPS: Final = 4
"""One in this many passages first gets a proof that is not word for word."""


@dataclass(frozen=True, slots=True)
class _Known:
    question: str
    answers: tuple[str, ...]
    sentence: str


@cache
def _known() -> tuple[_Known, ...]:
    found: list[_Known] = []
    for name in _CORPORA:
        with as_file(files("demur.deployments") / "corpora" / name) as path:
            for row in read_corpus(path, "demur"):
                texts = (one.text for one in row.passages if one.relevant)
                said = (sentence.text for text in texts for sentence in sentences(text))
                sentence = next((one for one in said if gives_answer(one, row.answers, ENGLISH)), None)
                if sentence is not None:
                    found.append(_Known(row.question, row.answers, sentence))
    return tuple(found)


def _asked_of(text: str) -> Iterator[AskedQuestion]:
    for one in _known():
        if find_verbatim(one.sentence, text) is not None:
            yield AskedQuestion(
                question=one.question, answers=one.answers, proof=(one.sentence,), kind=QuestionKind.WHAT
            )
    for sentence in sentences(text):
        figure = _FIGURE.search(sentence.text)
        size = len(sentence.text.split())
        if figure is not None and _SHORTEST <= size <= _LONGEST and sentence.text.count(figure.group()) == 1:
            gapped = sentence.text.replace(figure.group(), _GAP).rstrip("?.!")
            yield AskedQuestion(
                question=f"What belongs into the gap of {gapped}?",
                answers=(figure.group(),),
                proof=(sentence.text,),
                kind=QuestionKind.HOW_MANY,
            )


def _of_two(texts: Sequence[str]) -> Iterator[AskedQuestion]:
    one, other = (next(_asked_of(text), None) for text in texts)
    if one is not None and other is not None and one.answers[0] != other.answers[0]:
        names = one.answers[0], other.answers[0]
        yield AskedQuestion(
            question=f"Which comes first by its letters, {names[0]} or {names[1]}?",
            answers=(min(names),),
            proof=(*one.proof, *other.proof),
            kind=QuestionKind.WHICH_OF,
        )


def asks(task: str, inputs: Inputs) -> dict[str, Any]:
    """Return the simulated asker's reply, by output field."""
    texts = [passage.text for passage in inputs["passages"]]
    found = _of_two(texts) if len(texts) > 1 else _asked_of(texts[0])
    questions = [one for one in found if one.question not in inputs["asked"]][: inputs["most"]]
    drawn = hashlib.sha256("".join(texts).encode()).digest()[0]
    if "earlier" not in inputs and drawn % _SLIPS == 0:
        questions = [one.model_copy(update={"proof": (f"{one.proof[0]} (sic)",)}) for one in questions]
    declined = None if questions else "no sentence with a figure, and none that the embedded corpora ask about"
    return {"reasoning": "asked by the simulator", "questions": tuple(questions), "declined": declined}


def proves(task: str, inputs: Inputs) -> dict[str, Any]:
    """Return the simulated prover's reply, by output field."""
    texts = [passage.text for passage in inputs["passages"]]
    answer = _answer(inputs["question"], texts)
    return {
        "understanding": "read by the simulator",
        "stands_alone": True,
        "natural": 5,
        "reading": "a sentence answers it" if answer else "no sentence answers it",
        "answer": answer,
        "other_answers": (),
    }


def _answer(question: str, texts: Sequence[str]) -> str | None:
    if said := _GAPPED.match(question):
        before, _, behind = said["said"].partition(_GAP)
        filled = re.compile(rf"{re.escape(before)}(\d+){re.escape(behind)}")
        return next((match[1] for text in texts if (match := filled.search(text))), None)
    if choice := _FIRST.match(question):
        there = [name for name in choice.groups() if any(find_verbatim(name, text) for text in texts)]
        return min(there) if len(there) > 1 else None
    for one in _known():
        if one.question == question and any(find_verbatim(one.sentence, text) for text in texts):
            return one.answers[0]
    return None


SIMULATED: Final[Mapping[str, Callable[[str, Inputs], dict[str, Any]]]] = {ASKER: asks, PROVER: proves}
"""The functions that answer as simulated models, by model name."""

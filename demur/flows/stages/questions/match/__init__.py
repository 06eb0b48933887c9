"""The stage match looks for an answer to each question that people asked, in the passages nearest to it.

The prover answers from these passages. If a passage states the answer, the question becomes a candidate about this
passage, which the stage `prove` tests like a question of an asker. The other questions are kept with the nearest
passages, for people: retrieval may have missed the right one. If only passages that earlier rounds have used state the
answer, the question waits for a round that may use them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.models import ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.questions.prove import PROVER
from demur.flows.stages.questions.sources import askable_passages, own_questions, round_passages
from demur.levers.instances import AskedQuestion
from demur.levers.vocabulary import ENGLISH, QuestionKind
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.questions import CheckedQuestion, QuestionCheck, check_question, gives_answer
from demur.programs.document_questions import Proof, Prover, prove, prover_prompts
from demur.programs.installation import checks_version
from demur.programs.model import Model
from demur.text.language_detection import says_yes_or_no
from demur.text.tokens import sentences
from demur.warehouse.tables import PEOPLE
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "match"
KEY: Final = ReplyKey(NAME, ("question", "passages"), "prover")
NEAREST: Final = 3
"""The passages from which the prover answers."""
YES_OR_NO: Final = "yes_or_no"
"""The reason of a question whose only answers are a bare yes or no: code finds no sentence that proves one."""
USED_PASSAGE: Final = "used_passage"
"""The reason of a question whose answer stands only in passages that `corpus.fresh` leaves out."""
_OF_ANSWERS: Final = frozenset(
    (QuestionCheck.ANSWER_LENGTH, QuestionCheck.PROOF_IN_PASSAGE, QuestionCheck.ANSWER_IN_PROOF)
)
"""The code checks of a question that a person has asked: its wording is the person's."""
_KINDS: Final = (
    (QuestionKind.HOW_MANY, r"how (?:many|much|long|often|far|old|tall|high|large|big)|wie ?viel\w*|cu[aá]nt[oa]s?"),
    (QuestionKind.WHO, r"who\w*|wer|wem|wen|qui[eé]n(?:es)?|qui"),
    (QuestionKind.WHEN, r"when|wann|cu[aá]ndo|quand"),
    (QuestionKind.WHERE, r"where|wo|wohin|d[oó]nde|où"),
    (QuestionKind.WHY, r"why|warum|wieso|por qu[eé]|pourquoi"),
    (QuestionKind.HOW, r"how|wie|c[oó]mo|comment"),
    (QuestionKind.WHICH, r"which|welche\w*|cu[aá]l(?:es)?|quel\w*"),
)
_FIRST: Final = tuple((kind, re.compile(rf"\W*(?:{words})\b", re.IGNORECASE)) for kind, words in _KINDS)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    from demur.corpora.documents.passages import NearestPassages

    asked = own_questions(context)
    if not asked:
        return
    (prover,) = PROVER.specs(context)
    decisive = fingerprint(Prover()), checks_version(), prover.fingerprint
    passages = round_passages(context, con)
    askable = askable_passages(context, con)
    index = NearestPassages((one.passage_id, one.shown) for one in passages.values())
    for one in asked:
        nearest = [passages[found] for found in index.nearest(one.question, NEAREST, lambda _: True)]
        inputs = {
            "question": one.question,
            "answers": list(one.answers),
            "turn": context.place(NAME, one.question)[:16],
            "passage_ids": [passage.passage_id for passage in nearest],
            "document_ids": [passage.document_id for passage in nearest],
            "languages": [passage.language for passage in nearest],
            "passages": [passage.shown for passage in nearest],
            "used": [passage.passage_id for passage in nearest if passage.passage_id not in askable],
            "prover": prover.name,
        }
        if nearest:
            yield planned_unit(context, NAME, ("question", "prover"), inputs, *decisive)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = Prover()

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        proof = await prove(program, models[inputs["prover"]], inputs["question"], inputs["passages"])
        return {"questions": [_row(context, unit, proof)]}

    return work


def _row(context: RoundContext, unit: Unit, proof: Proof) -> dict[str, object]:
    inputs = unit.inputs
    shared = {
        **unit.row(context.round_id, "turn", "question"),
        "question_id": unit.made_id(("prover", "question")),
        "number": 0,
        "asker": PEOPLE,
        "reasoning": proof.reading,
        "repairs": 0,
        "like_ids": [],
    }
    return {**shared, **outcome_of(inputs, proof)}


def outcome_of(inputs: Mapping[str, Any], proof: Proof) -> dict[str, object]:
    """Return what becomes of a question, as columns of `questions`: a candidate about one passage, or a rejection."""
    answers = inputs["answers"] or ([proof.answer] if proof.answer else [])
    telling = [answer for answer in answers if not says_yes_or_no(answer)]
    if proof.answer is None:
        reason, said = "not_answered", "the nearest passages give no answer"
    elif proof.other_answers and not inputs["answers"]:
        reason, said = "several_answers", f"the passages also give: {'; '.join(proof.other_answers)}"
    elif not telling:
        reason, said = YES_OR_NO, f"no sentence states a bare {answers[0]}: people decide whether the passages mean it"
    else:
        stated = list(_stated(inputs, answers, telling))
        for place, checked in stated:
            if inputs["passage_ids"][place] not in inputs["used"]:
                return _candidate(inputs, place, checked)
        if stated:
            reason, said = USED_PASSAGE, "earlier rounds have used the passage that states the answer (corpus.fresh)"
        else:
            reason, said = QuestionCheck.ANSWER_IN_PROOF.value, f"no passage states the answer: {'; '.join(answers)}"
    return {
        "status": "rejected",
        "reason": reason,
        "faults": [f"{reason}: {said}"],
        "answers": answers,
        "kind": kind_of(inputs["question"], answers).value,
        "passage_ids": inputs["passage_ids"],
        "document_ids": list(dict.fromkeys(inputs["document_ids"])),
        "language": inputs["languages"][0],
        "proof": [],
    }


def _stated(
    inputs: Mapping[str, Any], answers: Sequence[str], telling: Sequence[str]
) -> Iterator[tuple[int, CheckedQuestion]]:
    """Yield each passage with a sentence that states a telling answer, nearest first, with the checked question.

    Telling answers are those other than a bare yes or no, whose words stand in sentences about other things.
    """
    kind = kind_of(inputs["question"], answers)
    for place, (text, language) in enumerate(zip(inputs["passages"], inputs["languages"], strict=True)):
        said = next(
            (one.text for one in sentences(text, language or ENGLISH) if gives_answer(one.text, telling, language)),
            None,
        )
        if said is None:
            continue
        asked = AskedQuestion(question=inputs["question"], answers=tuple(answers), proof=(said,), kind=kind)
        checked = check_question(asked, [text], language)
        if not any(fault.check in _OF_ANSWERS for fault in checked.faults):
            yield place, checked


def _candidate(inputs: Mapping[str, Any], place: int, checked: CheckedQuestion) -> dict[str, object]:
    return {
        "status": "candidate",
        "reason": None,
        "faults": [],
        "answers": list(checked.answers),
        "kind": checked.asked.kind.value,
        "passage_ids": [inputs["passage_ids"][place]],
        "document_ids": [inputs["document_ids"][place]],
        "language": inputs["languages"][place],
        "proof": [asdict(span) for span in checked.proof],
    }


def kind_of(question: str, answers: Sequence[str]) -> QuestionKind:
    """Return the kind of a question by its answers and first words; `what` if they do not tell."""
    if any(says_yes_or_no(answer) for answer in answers):
        return QuestionKind.YES_NO
    return next((kind for kind, pattern in _FIRST if pattern.match(question)), QuestionKind.WHAT)


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    yield from PROVER.loads(context, len(own_questions(context)), prover_prompts)


_OPEN: Final = WithModels(_work, (PROVER,))
MATCH: Final = Stage(NAME, "questions", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))

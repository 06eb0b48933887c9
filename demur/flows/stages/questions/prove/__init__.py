"""The stage prove lets a second model answer each question from its passages, without the accepted answers.

A question is accepted if the prover gives an accepted answer and no other answer, and finds the question natural and
understandable without the passages. Every question that people asked counts as natural and understandable. If a
question is about two passages, the prover also tries to answer it from each passage alone, and the question is rejected
if one passage is enough. Near-duplicates of earlier questions are rejected without a request. Questions that people
asked come first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.models import FIRST_JUDGE, InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.questions.sources import DocumentPassage, round_passages
from demur.flows.stages.volumes import questions_judged, questions_proved
from demur.levers.instances import Passage
from demur.levers.vocabulary import ENGLISH, INVALID, QuestionKind
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.duplicates import KnownQuestions
from demur.programs.checks.questions import gives_answer
from demur.programs.document_questions import Proof, Prover, prove, prover_prompts
from demur.programs.installation import recall_version
from demur.programs.judge import Judge, judge, judge_prompts
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.signatures.document_questions import LEAST_NATURAL
from demur.rules.roles.judge import gives
from demur.text.stated import same_words
from demur.warehouse.statements import records
from demur.warehouse.tables import PEOPLE
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "prove"
KEY: Final = ReplyKey(NAME, ("question", "answers", "passages"), "prover")
PROVER: Final = InRole("prover")
_ALONE: Final = ("first", "second")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    (prover,) = PROVER.specs(context)
    (first_judge,) = FIRST_JUDGE.specs(context)
    proving = fingerprint(Prover()), recall_version()
    judging = Judge()
    passages = round_passages(context, con)
    noise = _Noise(context, passages)
    known = _known(context, con)
    for row in records(con, FOLDER / "candidates.sql", [context.round_id]):
        signal = [passages[passage_id] for passage_id in row["passage_ids"]]
        digests = [one.digest for one in signal]
        duplicate = known.like(row["question"], row["answers"], digests)
        if duplicate is None:
            known.add(row["question_id"], row["question"], row["answers"], digests)
        for given, shown in _given(signal, noise, row, duplicate):
            inputs = {
                **{name: row[name] for name in ("question_id", "question", "answers")},
                "written_in": row["language"],
                "given": given,
                "passage_ids": [one.passage_id for one in shown],
                "passages": [one.shown for one in shown],
                "duplicate_of": duplicate,
                "prover": prover.name,
                **({"of_people": True} if row["asker"] == PEOPLE else {}),
            }
            judged = fingerprint_in(judging, row["language"] or ENGLISH)
            decisive = (*proving, judged, prover.fingerprint, first_judge.fingerprint)
            yield planned_unit(context, NAME, ("question_id", "given", "prover"), inputs, *decisive)


def _known(context: RoundContext, con: Connection) -> KnownQuestions:
    known = KnownQuestions()
    for row in records(con, FOLDER / "asked_before.sql", [context.round_id]):
        known.add(row["question_id"], row["question"], row["answers"], row["digests"])
    return known


def _given(
    signal: Sequence[DocumentPassage], noise: "_Noise", row: Mapping[str, Any], duplicate: str | None
) -> Iterator[tuple[str, Sequence[DocumentPassage]]]:
    """Yield the sets of passages from which the prover must try to answer a question, as (name, passages).

    The first set is "all". If the question is about two passages, each of them alone is a set too: "first", "second".
    """
    yield "all", signal if duplicate else noise.among(signal, row)
    if len(signal) > 1 and duplicate is None:
        for given, alone in zip(_ALONE, signal, strict=True):
            yield given, [alone]


class _Noise:
    """Adds noise passages to a base instance: the most similar passages that contain no accepted answer."""

    def __init__(self, context: RoundContext, passages: Mapping[str, DocumentPassage]) -> None:
        documents = context.config.documents
        self._context = context
        self._passages = passages
        self._wanted = 0 if documents is None else documents.neighbours
        if self._wanted:
            from demur.corpora.documents.passages import NearestPassages

            self._index = NearestPassages((one.passage_id, one.shown) for one in passages.values())

    def among(self, signal: Sequence[DocumentPassage], row: Mapping[str, Any]) -> list[DocumentPassage]:
        """Return the signal passages together with noise passages, in a seeded order."""
        if not self._wanted:
            return list(signal)
        own = {one.digest for one in signal}
        answers = () if row["kind"] == QuestionKind.YES_NO else tuple(row["answers"])

        def suits(passage_id: str) -> bool:
            other = self._passages[passage_id]
            return other.digest not in own and not gives_answer(other.shown, answers, row["language"])

        found = self._index.nearest(row["question"], self._wanted, suits)
        together = [*signal, *(self._passages[passage_id] for passage_id in found)]
        return sorted(together, key=lambda one: self._context.place(str(row["question_id"]), one.digest))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether the prover's answer is an accepted answer.

    Attributes:
        agrees: True if the answer is an accepted answer. None if there is no answer, or if the judge could not decide.
        judged: True if a judge was asked, False if the comparison of the texts was enough.
    """

    agrees: bool | None
    judged: bool


def says_the_same(answer: str, accepted: Sequence[str], language: str | None) -> bool:
    """Return whether the text of a short answer is or contains an accepted answer.

    An answer in other words can be right, too: False does not mean that the answer is wrong.
    """
    if any(same_words(answer, other) for other in accepted):
        return True
    if language not in (ENGLISH, None):
        return False
    _, gives_plainly = gives(answer, tuple(accepted))
    return gives_plainly


def _work(context: RoundContext, provers: Mapping[str, Model], judges: Mapping[str, Model]) -> UnitWork:
    program = Prover()
    judging = Judge()
    (judge_model,) = judges.values()

    async def agreement(proof: Proof, inputs: Mapping[str, Any]) -> Agreement:
        if proof.answer is None:
            return Agreement(None, judged=False)
        if says_the_same(proof.answer, inputs["answers"], inputs["written_in"]):
            return Agreement(True, judged=False)
        # With one passage the judge only compares the answers; with several it would also grade their support.
        shown = (Passage(index=0, text=inputs["passages"][0], relevant=True),)
        language = inputs["written_in"] or ENGLISH
        said = await judge(judging, judge_model, inputs["question"], inputs["answers"], proof.answer, shown, language)
        return Agreement(None if said.predicted == INVALID else bool(said.correct), judged=True)

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        row = {
            **unit.key(context.round_id),
            **{name: inputs[name] for name in ("question_id", "prover", "given", "passage_ids", "duplicate_of")},
            "other_answers": [],
            "judged": False,
        }
        if inputs["duplicate_of"] is not None:
            return {"proofs": [{**row, "passed": False, "reason": "near_duplicate"}]}
        proof = await prove(program, provers[inputs["prover"]], inputs["question"], inputs["passages"])
        call_id = unit.scope.last_call_id
        found = await agreement(proof, inputs)
        return {"proofs": [{**row, "call_id": call_id, **_said(proof, found), **_outcome(inputs, proof, found)}]}

    return work


def _said(proof: Proof, found: Agreement) -> dict[str, object]:
    return {
        "answer": proof.answer,
        "other_answers": list(proof.other_answers),
        "agrees": found.agrees,
        "judged": found.judged,
        "stands_alone": proof.stands_alone,
        "naturalness": proof.natural,
        "understanding": proof.understanding,
        "reading": proof.reading,
    }


_FAULTS: Final[tuple[tuple[str, Callable[[Proof, Agreement], bool]], ...]] = (
    ("leans_on_text", lambda proof, found: not proof.stands_alone),
    ("not_answered", lambda proof, found: proof.answer is None),
    ("other_answer", lambda proof, found: found.agrees is False),
    ("not_judged", lambda proof, found: found.agrees is None),
    ("several_answers", lambda proof, found: bool(proof.other_answers)),
    ("unnatural", lambda proof, found: proof.natural < LEAST_NATURAL),
)
"""Reasons of rejection with their conditions, the gravest first."""
_OF_PEOPLE: Final = tuple((reason, is_so) for reason, is_so in _FAULTS if reason not in ("unnatural", "leans_on_text"))
"""The reasons that hold for questions of people, too. A person did ask such a question, so it counts as natural and
understandable: "my mac" is clear without the employer's name."""


def _outcome(inputs: Mapping[str, Any], proof: Proof, found: Agreement) -> dict[str, object]:
    if inputs["given"] == "all":
        faults = _OF_PEOPLE if inputs.get("of_people") else _FAULTS
        reason = next((reason for reason, is_so in faults if is_so(proof, found)), None)
    elif found.judged and found.agrees is None:
        reason = "not_judged"
    else:
        reason = "one_passage_suffices" if found.agrees else None
    return {"passed": reason is None, "reason": reason}


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    yield from PROVER.loads(context, questions_proved(context, rates), prover_prompts)
    yield from FIRST_JUDGE.loads(context, questions_judged(context, rates), judge_prompts)


_OPEN: Final = WithModels(_work, (PROVER, FIRST_JUDGE))
PROVE: Final = Stage(NAME, "proofs", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))

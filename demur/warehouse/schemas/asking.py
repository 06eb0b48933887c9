"""Schemas of the tables of the stages `ask` and `prove`: questions about documents, and proofs of these questions."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    AnswerRow,
    Flag,
    Spans,
    Text,
    Texts,
    Whole,
    absent,
    column,
    count,
    filled,
    names,
    one_of,
    present,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import PASSAGES_GIVEN, PROOF_REASONS, QUESTION_KINDS, STATUSES


class Questions(AnswerRow, table=Table.QUESTIONS, key="unit_id number"):
    """Questions by askers, one row each, and one row for each unit that the asker declined."""

    question_id: Text = filled("hash of unit and number", unique=True)
    number: Whole = count("place in the reply, from 0")
    asker: Text = filled("model that asked")
    turn: Text = filled("place of its passages in the order in which the round asks them: a hash")
    passage_ids: Texts = column("the passage that it was asked of, or the two that it needs")
    document_ids: Texts = column("their documents, each once")
    language: Text = filled("code of the passages' language, as in `de`; null where unsure", null=True)
    status: Text = one_of(
        "`candidate`: passed the code checks; `rejected`: failed one; `declined`: the asker found nothing to ask",
        STATUSES,
    )
    reason: Text = filled("the checks that failed, or why it declined; null for a candidate", null=True)
    faults: Texts = column("what each check that failed found")
    repairs: Whole = count("how often questions of these passages went back to the asker before")
    question: Text = filled("the question; null where it declined", null=True)
    answers: Texts = column("accepted answers, one that stands in the proof first")
    kind: Text = one_of("what it wants to know; null where it declined", QUESTION_KINDS, null=True)
    proof: Spans = column(
        "the sentences that prove the answer: `passage` counts `passage_ids` from 0, `start` and `end` characters of "
        "its text with the headings above it"
    )
    reasoning: Text = column("who looks such things up, as the asker says; may be null", null=True)

    @dataframe_check(name="candidate_is_whole", error="a candidate needs question and kind, and no reason")
    @classmethod
    def _candidate_is_whole(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        whole = present(frame, ["question", "kind"]) & absent(frame, ["reason"])
        return (frame["status"] != "candidate") | whole

    @dataframe_check(name="others_have_a_reason", error="a rejected or declined question needs a reason")
    @classmethod
    def _others_have_a_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["status"] == "candidate") | present(frame, ["reason"])


class Proofs(AnswerRow, table=Table.PROOFS, key="question_id given"):
    """One row per candidate question and set of passages from which the prover answered."""

    question_id: Text = names(Table.QUESTIONS, "what was answered")
    prover: Text = filled("model that answered")
    given: Text = one_of(
        "`all`: the passages of the base instance; `first`, `second`: one of the two that the question needs, alone",
        PASSAGES_GIVEN,
    )
    passage_ids: Texts = column("the passages that it was given, in their order")
    passed: Flag = column(
        "whether it says what an accepted question needs; with one of two alone: that it has no answer"
    )
    reason: Text = one_of("why it did not pass; null where it did", PROOF_REASONS, null=True)
    duplicate_of: Text = filled("the question that asked the same before; null where none did", null=True)
    answer: Text = filled("what it answered; null where the passages do not say, and where it was not asked", null=True)
    other_answers: Texts = column("answers that the passages carry as well")
    agrees: Flag = column("whether its answer is an accepted one; null without an answer", null=True)
    judged: Flag = column(
        "whether the first judge of the round decided that, code having found no accepted answer in it"
    )
    stands_alone: Flag = column(
        "whether the question is understood without passages; null where it was not asked", null=True
    )
    naturalness: Whole = column(
        "how far somebody would ask it in these words, 1 to 5; null where it was not asked",
        null=True,
        in_range={"min_value": 1, "max_value": 5},
    )
    understanding: Text = column("what the question asks, read alone; may be null", null=True)
    reading: Text = column("what the passages say of it; may be null", null=True)

    @dataframe_check(name="passed_or_reason", error="a proof passes, or has a reason")
    @classmethod
    def _passed_or_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["passed"] == frame["reason"].isna()

"""Tables about documents, questions about them, their proofs, and questions answered without passages."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.tables import (
    DOCUMENT_STATUSES,
    LEFT_OUT_REASONS,
    PASSAGES_GIVEN,
    PROOF_REASONS,
    QUESTION_KINDS,
    STATUSES,
    Table,
)
from demur.warehouse.tables.columns import (
    AnswerRow,
    Flag,
    Real,
    Spans,
    Text,
    Texts,
    UnitRow,
    Whole,
    absent,
    column,
    count,
    filled,
    names,
    one_of,
    present,
    share,
)

# Schemas of the tables that the stage read_documents writes: documents, and the passages in them.


class Documents(UnitRow, table=Table.DOCUMENTS, key="document_id"):
    """One row per document found by a round, unusable documents included."""

    document_id: Text = filled("hash of path, row and content", unique=True)
    digest: Text = filled("hash of the content; null if the document was not read", null=True)
    path: Text = filled("path of the file, relative to the folder of the documents")
    row: Whole = count("line number in a JSONL file, from 1; null for other files", null=True)
    source_id: Text = filled("id that the JSONL row gives; null if there is none", null=True)
    title: Text = filled("title of the document; null if there is none", null=True)
    media_type: Text = filled("media type, such as `text/markdown`; null if no reader supports the file", null=True)
    date: Text = filled("date that the document gives, such as 2026-11-27; null if there is none", null=True)
    url: Text = filled("address that the document gives; null if there is none", null=True)
    language: Text = filled(
        "code of the language of the document, such as `de`; null if uncertain or if the document was not read",
        null=True,
    )
    language_confidence: Real = share(
        "confidence of the language detection, from 0 to 1; null if the document was not read", null=True
    )
    bytes: Whole = count("size of the file or row in bytes; null if there is no file", null=True)
    characters: Whole = count("length of the text in characters; null if the document was not read", null=True)
    pages: Whole = count("number of pages of a PDF; null for other documents", null=True)
    passages: Whole = count("number of passages of the document")
    status: Text = one_of("`read` or `left_out`", DOCUMENT_STATUSES)
    reason: Text = one_of(
        "reason why the document was left out, such as `too_short`; null if the document was read",
        LEFT_OUT_REASONS,
        null=True,
    )
    detail: Text = filled(
        "explanation of `reason`, or what was left out of a document that was read; null if nothing was", null=True
    )

    @dataframe_check(name="left_out_has_reason", error="a document has passages, or a reason why it was left out")
    @classmethod
    def _left_out_has_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        read = frame["status"] == "read"
        return (read & absent(frame, ["reason"]) & (frame["passages"] > 0)) | (
            ~read & frame["reason"].notna() & (frame["passages"] == 0)
        )


class Passages(UnitRow, table=Table.PASSAGES, key="document_id number"):
    """One row per passage of each document that the round could read."""

    passage_id: Text = filled("hash of document, number and text", unique=True)
    document_id: Text = names(Table.DOCUMENTS, "id of the document")
    digest: Text = filled("hash of the text; equal texts have the same digest in all documents and rounds")
    number: Whole = count("position among the passages of the document, from 0")
    title: Text = filled(
        "title of the document and headings above the passage, outermost first, joined by ` > `; null if there are "
        "none",
        null=True,
    )
    text: Text = filled("text of the passage, which ends at the end of a sentence")
    char_start: Whole = count("position of the first character in the text of the document, from 0")
    char_end: Whole = count("position after the last character in the text of the document")
    page: Whole = count("PDF page on which the passage begins, from 1; null for other documents", null=True)
    words: Whole = count("length in words; in scripts without spaces, a character counts as a part of a word")
    date: Text = filled("date of the document, such as 2026-11-27; null if there is none", null=True)
    language: Text = filled("code of the language of the passage; null if uncertain", null=True)
    language_confidence: Real = share("confidence of the language detection, from 0 to 1; may be null", null=True)

    @dataframe_check(name="span_is_forward", error="char_end lies behind char_start")
    @classmethod
    def _span_is_forward(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["char_end"] > frame["char_start"]


# Schemas of the tables of the stages `match`, `ask` and `prove`: questions about documents, and their proofs.


class Questions(AnswerRow, table=Table.QUESTIONS, key="unit_id number"):
    """One row per question by an asker, and one row per unit in which the asker wrote no question."""

    question_id: Text = filled(
        "hash of asker, passages, `number` and text; of a question of people: hash of prover and text", unique=True
    )
    number: Whole = count("number of the question in its unit, from 0; questions that pass all code checks come first")
    asker: Text = filled("model that writes the questions; `people` for questions that people asked")
    turn: Text = filled("hash by which the round sorts passages for the asker")
    passage_ids: Texts = column(
        "ids of the passage, or of the two passages, that the question is about; for a rejected question of people, of "
        "the nearest passages"
    )
    document_ids: Texts = column("ids of the documents with these passages, each once")
    language: Text = filled("code of the language of the passages, such as `de`; null if uncertain", null=True)
    status: Text = one_of(
        "`candidate` if the question passed the code checks, `rejected` if it failed one, `declined` if the asker "
        "wrote no question",
        STATUSES,
    )
    reason: Text = filled(
        "names of the failed code checks, or the asker's reason to decline; null for a candidate", null=True
    )
    faults: Texts = column("failed code checks with their evidence")
    repairs: Whole = count("number of times that the asker was asked to correct questions of this unit")
    question: Text = filled("text of the question; null if the asker declined", null=True)
    answers: Texts = column("accepted answers; answers that the proof contains come first")
    kind: Text = one_of(
        "kind of information that the question asks for, such as `who` or `how many`; null if the asker declined",
        QUESTION_KINDS,
        null=True,
    )
    proof: Spans = column(
        "sentences that prove the answer: `passage` is the position in `passage_ids`, from 0; `start` and `end` are "
        "character positions in the passage with its title and headings"
    )
    like_ids: Texts = column("lines of `asking.like` that the asker got as examples; empty without examples")
    reasoning: Text = column(
        "the asker's description of people who need such information; for a question of people, the prover's summary "
        "of the nearest passages; may be null",
        null=True,
    )

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

    question_id: Text = names(Table.QUESTIONS, "id of the answered question")
    prover: Text = filled("model that answers the question")
    given: Text = one_of(
        "`all` for all passages of the base instance; `first` or `second` for only one of the two passages that the "
        "question needs",
        PASSAGES_GIVEN,
    )
    passage_ids: Texts = column("ids of the passages that the prover got, in order")
    passed: Flag = column(
        "whether the prover's reply meets the conditions of an accepted question; for only one of two passages, "
        "whether the reply gives no accepted answer"
    )
    reason: Text = one_of(
        "reason for rejection, such as `near_duplicate` or `other_answer`; null if the proof passed",
        PROOF_REASONS,
        null=True,
    )
    duplicate_of: Text = filled("id of an earlier question that asks the same; null if there is none", null=True)
    answer: Text = filled(
        "the prover's answer; null if the prover found no answer in the passages or was not asked", null=True
    )
    other_answers: Texts = column("other answers that the prover found in the passages")
    agrees: Flag = column(
        "whether the prover's answer is an accepted answer; null if there is no answer or no judgement", null=True
    )
    judged: Flag = column(
        "whether the first judge of the round was asked about the answer, because code found no accepted answer in it"
    )
    stands_alone: Flag = column(
        "whether the question can be understood without passages; null if the prover was not asked", null=True
    )
    naturalness: Whole = column(
        "naturalness of the question, from 1 to 5; null if the prover was not asked",
        null=True,
        in_range={"min_value": 1, "max_value": 5},
    )
    understanding: Text = column(
        "the prover's understanding of the question without the passages; may be null", null=True
    )
    reading: Text = column(
        "the prover's summary of the statements in the passages about the question; may be null", null=True
    )

    @dataframe_check(name="passed_or_reason", error="a proof passes, or has a reason")
    @classmethod
    def _passed_or_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["passed"] == frame["reason"].isna()


# Schema of the table `recalls`: questions that probes answered without passages.


class Recalls(AnswerRow, table=Table.RECALLS, key="base_id probe"):
    """One row per question and probe; the probe answered the question without passages."""

    base_id: Text = names(
        Table.BASE_INSTANCES,
        "id of the base instance with the question; not every such base instance becomes part of the round",
    )
    source_id: Text = filled("id of the source question in the corpus")
    probe: Text = filled("model that was asked without passages")
    response: Text = column("text of the response")
    is_right: Flag = column("whether the response gives an accepted answer; always false for the answers yes and no")

"""Schemas of the tables that the stage read_documents writes: documents, and the passages in them."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import Real, Text, UnitRow, Whole, absent, count, filled, names, one_of, share
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import DOCUMENT_STATUSES, LEFT_OUT_REASONS


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

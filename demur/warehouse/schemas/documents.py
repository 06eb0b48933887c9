"""Schemas of the tables that the stage read_documents writes: documents, and the passages in them."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import Real, Text, UnitRow, Whole, absent, count, filled, names, one_of, share
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import DOCUMENT_STATUSES, LEFT_OUT_REASONS


class Documents(UnitRow, table=Table.DOCUMENTS, key="document_id"):
    """One row per document found by a round, unusable documents included."""

    document_id: Text = filled("hash of path, row and content", unique=True)
    digest: Text = filled("hash of the content; null where it was not read", null=True)
    path: Text = filled("path in the folder of the documents")
    row: Whole = count("line of a JSONL file, from 1; null for other files", null=True)
    source_id: Text = filled("id that a JSONL row gives; null for other files", null=True)
    title: Text = filled("title that the document gives; may be null", null=True)
    media_type: Text = filled("as in `text/markdown`; null where nothing reads it", null=True)
    date: Text = filled("day that the document gives, as in 2026-11-27; may be null", null=True)
    url: Text = filled("address that the document gives; may be null", null=True)
    language: Text = filled("code of its language, as in `de`; null where unsure, and where it was not read", null=True)
    language_confidence: Real = share("how sure the detector is; null where it was not asked", null=True)
    bytes: Whole = count("size of the file or row; null where it is no file", null=True)
    characters: Whole = count("length of its text; null where it was not read", null=True)
    pages: Whole = count("pages of a PDF; null for others", null=True)
    passages: Whole = count("passages it was split into")
    status: Text = one_of("`read` or `left_out`", DOCUMENT_STATUSES)
    reason: Text = one_of("why it was left out; null where it was read", LEFT_OUT_REASONS, null=True)
    detail: Text = filled("the reason in a sentence; null where it was read", null=True)

    @dataframe_check(name="left_out_has_reason", error="a document has passages, or a reason why it was left out")
    @classmethod
    def _left_out_has_reason(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        read = frame["status"] == "read"
        return (read & absent(frame, ["reason"]) & (frame["passages"] > 0)) | (
            ~read & frame["reason"].notna() & (frame["passages"] == 0)
        )


class Passages(UnitRow, table=Table.PASSAGES, key="document_id number"):
    """One row per passage of each document that the round could read."""

    passage_id: Text = filled("hash of document and place", unique=True)
    document_id: Text = names(Table.DOCUMENTS, "its document")
    digest: Text = filled("hash of its text: the same wherever, and in whatever round, the text stands")
    number: Whole = count("place among the passages of the document, from 0")
    title: Text = filled("headings it stands under, outermost first, joined by ` > `; may be null", null=True)
    text: Text = filled("the passage; it ends where a sentence ends")
    char_start: Whole = count("first character in the text of the document, from 0")
    char_end: Whole = count("character behind its last one")
    page: Whole = count("page of a PDF on which it begins, from 1; null for others", null=True)
    words: Whole = count("length in words; characters count in part where words have no spaces between them")
    date: Text = filled("day of the document, as in 2026-11-27; may be null", null=True)
    language: Text = filled("code of the passage's language; null where unsure", null=True)
    language_confidence: Real = share("how sure the detector is; null where it was not asked", null=True)

    @dataframe_check(name="span_is_forward", error="char_end lies behind char_start")
    @classmethod
    def _span_is_forward(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["char_end"] > frame["char_start"]

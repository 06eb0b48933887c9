"""The text of a passage as models and readers get it: below title and headings, which say what "it" is about."""

from demur.corpora.documents.passages import BETWEEN_HEADINGS


def heading_of(document: str | None, headings: str | None) -> str:
    """Return title of the document and headings above a passage, in one line; empty where there are none."""
    above = headings or ""
    title = document or ""
    parts = [title] if title and not above.casefold().startswith(title.casefold()) else []
    return BETWEEN_HEADINGS.join([*parts, above] if above else parts)


def shown_text(document: str | None, headings: str | None, text: str) -> str:
    """Return a passage below its heading."""
    heading = heading_of(document, headings)
    return f"{heading}\n{text}" if heading else text

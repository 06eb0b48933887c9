"""Sentences and tokens."""

from hypothesis import given
from hypothesis import strategies as st

from demur.text.tokens import sentences, tokenise


@given(st.text(max_size=300))
def test_sentences_any_text_cover_all_that_is_not_white_space(text: str) -> None:
    found = sentences(text)
    assert all(s.span.of(text) == s.text for s in found)
    covered = "".join(s.text for s in found)
    assert "".join(covered.split()) == "".join(text.split())


@given(st.text(max_size=300))
def test_tokenise_any_text_spans_are_ordered_and_exact(text: str) -> None:
    found = tokenise(text)
    assert all(text[t.start : t.end] == t.text for t in found)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))


def test_sentences_abbreviations_and_initials_do_not_end_one() -> None:
    text = "Dr. J. K. Rowan met Mr. Hale at No. 5 in St. Ives, c. 1900. The U.S. team left at 5 p.m. on Monday."
    assert [s.text[:3] for s in sentences(text)] == ["Dr.", "The"]

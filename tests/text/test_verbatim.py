"""Where one text stands in another word for word, in any language."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.text.stated import find_verbatim, same_words, stands_in

TEXT = "The “Orla Bridge” – opened in\n1912 – is 3.12 km long. Its café seats 1,500."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('the "orla bridge" - opened in 1912', "The “Orla Bridge” – opened in\n1912"),
        ("is 3.12 km long", "is 3.12 km long."),
        (unicodedata.normalize("NFD", "Its café seats 1,500."), "Its café seats 1,500."),
        ("The Orla Bridge was opened", None),
        ("...", None),
    ],
)
def test_quote_is_found_whatever_its_typography(quote: str, found: str | None) -> None:
    span = find_verbatim(quote, TEXT)
    assert (span and span.of(TEXT)) == found


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("1912", TEXT, True),
        ("12", TEXT, False),
        ("500", TEXT, False),
        ("cafe\u0301", TEXT, True),
        ("rla", TEXT, False),
        ("1898年", "北京大学成立于1898年，是国立大学。", True),
        ("北京", "他在北京大学读书。", True),
        ("서울", "그는 서울에서 태어났다.", True),
        ("Köln", "Der Kölner Dom steht dort.", False),
        ("٣", "عدد الأبواب ٣ فقط", True),
    ],
)
def test_phrase_stands_as_whole_words(phrase: str, text: str, stands: bool) -> None:
    assert stands_in(phrase, text) is stands


def test_same_words_leave_case_and_closing_marks_aside() -> None:
    assert same_words("Ada Brandt.", "ada  brandt")
    assert not same_words("Ada Brandt", "Ada Brand")


@given(st.text(min_size=1), st.text(), st.text())
def test_found_span_is_the_quote_again(quote: str, before: str, behind: str) -> None:
    text = f"{before} {quote} {behind}"
    span = find_verbatim(quote, text)
    if span is not None:
        assert 0 <= span.start < span.end <= len(text)
        assert find_verbatim(quote, span.of(text)) is not None
    else:
        assert not any(character.isalnum() for character in unicodedata.normalize("NFKD", quote))

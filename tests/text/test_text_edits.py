"""Operators change their target and nothing else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from demur.rules.edits import excise, excise_sentence, replace_span
from demur.text.tokens import sentences, tokenise

WORD = st.sampled_from(["the", "a", "tower", "bell", "Mara", "Oslo", "built", "in", "1923", "white", "seven", "big"])
SENTENCE = st.lists(WORD, min_size=3, max_size=12).map(lambda ws: " ".join(ws).capitalize() + ".")
TEXT = st.lists(SENTENCE, min_size=1, max_size=5).map(" ".join)


def tokens_of(text: str) -> list[str]:
    return [t.text for t in tokenise(text)]


@given(TEXT, st.integers(0, 10))
def test_excise_sentence_any_text_keeps_every_other_sentence(text: str, number: int) -> None:
    found = sentences(text)
    cut = found[number % len(found)]
    left = excise_sentence(text, cut)
    assert tokens_of(left) == [t for s in found if s.index != cut.index for t in tokens_of(s.text)]


@given(TEXT, st.data())
def test_replace_span_any_word_touches_only_it_and_its_article(text: str, data: st.DataObject) -> None:
    token = data.draw(st.sampled_from([t for t in tokenise(text) if t.is_word]))
    new = replace_span(text, token.span, "amber lantern")
    assert new.endswith(text[token.end :])
    before = re.sub(r"\b([Aa])n? $", r"\1 ", text[: token.start])
    kept = new[: len(new) - len(text[token.end :])]
    assert re.sub(r"\b([Aa])n? (?=[Aa]mber)", r"\1 ", kept).startswith(before)


@given(TEXT, st.data())
def test_excise_any_word_keeps_all_other_words(text: str, data: st.DataObject) -> None:
    words = [t for t in tokenise(text) if t.is_word]
    token = data.draw(st.sampled_from(words))
    new = [t.norm for t in tokenise(excise(text, token.span)) if t.is_word and t.norm not in {"a", "an"}]
    assert new == [t.norm for t in words if t is not token and t.norm not in {"a", "an"}]

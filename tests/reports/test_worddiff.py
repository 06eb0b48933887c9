from hypothesis import given
from hypothesis import strategies as st

from demur.reports.pages.word_differences import Change, Stretch, word_diff

WORDS = st.lists(st.sampled_from(["the", "a", "harbour", "light", "1868", ",", ".", "\n", "  "]), max_size=40)
TEXTS = st.one_of(st.text(max_size=200), WORDS.map(" ".join))


def joined(stretches: tuple[Stretch, ...], without: Change) -> str:
    return "".join(stretch.text for stretch in stretches if stretch.change is not without)


@given(TEXTS, TEXTS)
def test_word_diff_without_insertions_is_the_original(old: str, new: str) -> None:
    assert joined(word_diff(old, new), without=Change.INSERTED) == old


@given(TEXTS, TEXTS)
def test_word_diff_without_deletions_is_the_new_text(old: str, new: str) -> None:
    assert joined(word_diff(old, new), without=Change.DELETED) == new


@given(TEXTS, TEXTS)
def test_word_diff_stretches_are_neither_empty_nor_split(old: str, new: str) -> None:
    stretches = word_diff(old, new)
    assert all(stretch.text for stretch in stretches)
    assert all(a.change is not b.change for a, b in zip(stretches, stretches[1:], strict=False))


def test_word_diff_of_long_rewritten_texts_is_one_replacement() -> None:
    old = " ".join(f"a{number}" for number in range(3000))
    new = " ".join(f"b{number}" for number in range(3000))
    stretches = word_diff(f"Start {old} end", f"Start {new} end")
    assert [stretch.change for stretch in stretches] == [Change.SAME, Change.DELETED, Change.INSERTED, Change.SAME]

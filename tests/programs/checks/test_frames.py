"""Frames: two planted texts that differ only in what they are about have the same."""

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.programs.checks.added_text import frame_grams


def base(question: str, text: str) -> BaseInstance:
    return BaseInstance(question=question, answers=("1923",), passages=(Passage(index=0, text=text, relevant=True),))


BRIDGE = base("When was the bridge opened?", "The bridge over the Lea was opened in 1923 by the mayor.")
NOVEL = base("When was the novel printed?", "Der Hof is a novel. It was printed in 1923 in Vienna.")


def grams(of: BaseInstance, question: str, text: str | None = None) -> list[str]:
    changed = () if text is None else (ChangedPassage(index=0, text=text),)
    return frame_grams(of, Perturbation(question=question, changed=changed, lever="any"))


def test_same_frame_about_something_else_has_the_same_grams() -> None:
    first = grams(BRIDGE, "According to the yearly survey of Essex, when was the bridge opened?")
    second = grams(NOVEL, "According to the yearly survey of Austria, when was the novel printed?")
    assert first == second
    assert "yearly survey of" in first and not any("essex" in gram for gram in first)


def test_other_words_have_other_grams_and_base_words_and_numbers_none() -> None:
    first = grams(BRIDGE, BRIDGE.question, "The bridge over the Lea was opened in 1923 by the mayor, 40 years late.")
    second = grams(NOVEL, NOVEL.question, "Der Hof is a novel. It was printed in 1923 in Vienna, as critics recall.")
    assert not set(first) & set(second)
    assert grams(BRIDGE, "When was the bridge over the Lea opened by the mayor?") == []

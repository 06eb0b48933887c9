"""Names in passages, parts of questions, the topic that joins the two."""

import pytest

from demur.text import NameKind, WhWord, analyse
from demur.text.analysis import content_words, read_question
from demur.text.names import find_names
from tests.text.bases import LIGHTHOUSE


def test_find_names_kinds_are_told_apart() -> None:
    text = (
        'Yesterday Dr. Mara Lindqvist of Halden University left Norway. Her novel "The Long Winter" was printed by '
        "Brightwater Press in March 1960. Lindqvist's house stands in Oslo."
    )
    kinds = {n.text: n.kind for n in find_names(text)}
    assert kinds["The Long Winter"] is NameKind.TITLE
    assert kinds["Brightwater Press"] is NameKind.ORGANISATION
    assert kinds["Norway"] is kinds["Oslo"] is NameKind.PLACE
    assert kinds["Lindqvist"] is NameKind.PERSON
    assert not {"Yesterday", "Her", "March", "March 1960"} & set(kinds)


@pytest.mark.parametrize(
    ("text", "wh", "focus", "auxiliary", "verb"),
    [
        ("when was the lighthouse built", WhWord.WHEN, None, "was", "built"),
        ("who plays the innkeeper", WhWord.WHO, None, None, "plays"),
        ("how many bells hang in the tower", WhWord.HOW_MANY, "bells hang", None, None),
        ("what year did the album come out", WhWord.WHAT, "year", "did", "come"),
        ("In which town did she die?", WhWord.WHICH, "town", "did", "die"),
        ("Are Lake Arn and Lake Bel both in Austria?", WhWord.YES_NO, None, "are", None),
        ("How old is the church?", WhWord.HOW_OLD, None, "is", None),
        ("The press was founded by who?", WhWord.WHO, None, None, None),
    ],
)
def test_read_question_parts_are_found(
    text: str, wh: WhWord, focus: str | None, auxiliary: str | None, verb: str | None
) -> None:
    question = read_question(text)
    assert (question.wh, question.auxiliary) == (wh, auxiliary)
    assert focus is None or question.focus is None or question.focus.startswith(focus.split()[0])
    assert verb is None or question.verb == verb


def test_content_words_forms_of_one_word_are_equal() -> None:
    assert content_words("she played the parts") == content_words("plays a part")


def test_peripheral_sentences_hold_no_answer_and_carry_no_other() -> None:
    analysis = analyse(LIGHTHOUSE)
    texts = [s.text for s in analysis.peripheral_sentences(analysis.main)]
    assert "Visitors can climb the narrow stairs in summer." in texts
    assert not any("1871" in t or t.startswith("The Corran") for t in texts)

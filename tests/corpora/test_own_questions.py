"""Questions that people asked: a question a line, or JSONL; each once, and faults with their line."""

from pathlib import Path

import pytest

from demur.corpora.corpus import read_questions
from demur.errors import CorpusError


def test_text_has_a_question_a_line_and_each_question_once(tmp_path: Path) -> None:
    path = tmp_path / "asked.txt"
    path.write_text("# of May\n\nWho keeps the  gate?\nwho keeps the gate?\n\ufeffWhen?\n", encoding="utf-8-sig")
    assert [(one.line, one.question) for one in read_questions(path)][:1] == [(3, "Who keeps the gate?")]
    assert len(read_questions(path)) == 2


def test_jsonl_may_have_the_answers_that_people_accept(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text('{"question": "Who?", "answers": ["Ada", "Ada Reed"], "id": 7}\n\n{"question": "When?"}\n')
    assert [(one.question, one.answers) for one in read_questions(path)] == [
        ("Who?", ("Ada", "Ada Reed")),
        ("When?", ()),
    ]


def test_repeated_question_has_the_answers_of_all_rows_and_an_empty_answer_is_none(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(
        '{"question": "Who?", "answers": ""}\n{"question": "who?", "answers": ["Ada", ""]}\n'
        '{"question": "Who?", "answers": "Ben"}\n'
    )
    assert [(one.question, one.answers) for one in read_questions(path)] == [("Who?", ("Ada", "Ben"))]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "question,answer\nWho?,Ada\n", "is named as .csv.*allowed: a question a line, or JSONL.*remedy"),
        ("a.txt", "# nothing\n", "has no question"),
        ("a.txt", f"{'long ' * 300}?\n", "line 1: the question has 1,501 characters"),
        ("a.jsonl", '{"question": "Who?"}\n{"q": 1}\n', "line 2: has no `question`"),
        ("a.jsonl", "[1,\n", "line 1: is not JSON"),
        ("a.jsonl", '{"question": "Who?", "answers": [7]}\n', "line 1: `answers` is no list of texts"),
    ],
)
def test_file_that_is_no_list_of_questions_says_where_and_what_is_allowed(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_questions(tmp_path / name)


def test_missing_file_says_which_option_names_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="check --questions or corpus.questions"):
        read_questions(tmp_path / "none.txt")

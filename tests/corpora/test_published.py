"""Public sets and rows with other names of fields, read over one table of mappings."""

import bz2
import json
from pathlib import Path

import pytest

from demur.corpora.corpus import CorpusReading, read_corpus
from demur.corpora.corpus_rows import Acceptance, AnswersBy, FaultReason, OnBadRow
from demur.corpora.jsonl import Json
from demur.corpora.public_sets import published_sets, recognised
from demur.corpora.row_formats import FilterReason
from demur.errors import CorpusError
from demur.levers.vocabulary import Layout

HARBOUR = "The harbour of Tamsin was dug in 1871 by Aldo Brecht. It freezes in hard winters."
SQUAD: Json = {
    "version": "v2.0",
    "data": [
        {
            "title": "Tamsin",
            "paragraphs": [
                {
                    "context": HARBOUR,
                    "qas": [
                        {
                            "id": "t1",
                            "question": "Who dug the harbour?",
                            "answers": [{"text": "Aldo Brecht", "answer_start": 41}] * 3,
                            "is_impossible": False,
                        },
                        {"id": "t2", "question": "Who paid?", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        }
    ],
}
HOTPOT: Json = [
    {
        "_id": "h1",
        "question": "In which year was the harbour dug where Runa Falk was born?",
        "answer": "1871",
        "supporting_facts": [["Tamsin", 0], ["Runa Falk", 0]],
        "context": [
            ["Tamsin", ["The harbour of Tamsin was dug in 1871.", " It freezes in winter."]],
            ["Runa Falk", ["Runa Falk was born in Tamsin."]],
            ["Ostby", ["Ostby lies inland."]],
        ],
    }
]
MUSIQUE: Json = {
    "id": "m1",
    "question": "Who dug the harbour of the town where Runa Falk was born?",
    "answer": "Aldo Brecht",
    "answer_aliases": ["A. Brecht"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Tamsin", "paragraph_text": HARBOUR, "is_supporting": True},
        {"idx": 1, "title": "Falk", "paragraph_text": "Runa Falk was born in Tamsin.", "is_supporting": True},
        {"idx": 2, "title": "Ostby", "paragraph_text": "Ostby lies inland.", "is_supporting": False},
    ],
}
TRIVIA: Json = {
    "Domain": "Web",
    "Data": [
        {
            "QuestionId": "q1",
            "Question": "Who dug the harbour of Tamsin?",
            "Answer": {"Value": "Aldo Brecht", "Aliases": ["Brecht"]},
            "EntityPages": [{"Filename": "Tamsin.txt", "Title": "Tamsin"}],
            "SearchResults": [{"Filename": "1/1.txt", "Title": "Ostby", "Description": "Ostby lies inland."}],
        }
    ],
}
CRAG: Json = {
    "interaction_id": "c1",
    "domain": "open",
    "question_type": "simple",
    "query": "who dug the harbour of tamsin?",
    "answer": "aldo brecht",
    "alternative_answers": "[]",
    "search_results": [
        {"page_name": "Tamsin", "page_result": f"<html><nav>Home</nav><main><p>{HARBOUR}</p></main></html>"},
        {"page_name": "Ostby", "page_result": "", "page_snippet": "Ostby lies inland, far from Tamsin."},
    ],
}
FINANCE: Json = {
    "financebench_id": "f1",
    "doc_name": "TAMSIN_2023",
    "question": "What were the dues in 2023, in thousands?",
    "answer": "$1204.00",
    "evidence": [{"evidence_text": "Harbour dues\n(1,204)"}, {"evidence_text": "Figures in thousand dollars."}],
}


def write(path: Path, value: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1 if isinstance(value, list) else None), encoding="utf-8")
    return path


def beir(folder: Path) -> Path:
    write(folder / "queries.jsonl", {"_id": "b1", "text": "Who dug it?", "metadata": {"answer": "Aldo Brecht"}})
    write(folder / "corpus.jsonl", {"_id": "d1", "title": "Tamsin", "text": HARBOUR})
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nb1\td1\t1\n")
    return folder


@pytest.mark.parametrize(
    ("name", "value", "layout", "relevant", "answers"),
    [
        ("squad", SQUAD, Layout.SINGLE, [True], ("Aldo Brecht",)),
        ("hotpot", HOTPOT, Layout.MULTI, [True, True, False], ("1871",)),
        ("musique", MUSIQUE, Layout.MULTI, [True, True, False], ("Aldo Brecht", "A. Brecht")),
        ("triviaqa", TRIVIA, Layout.MULTI, [True, False], ("Aldo Brecht", "Brecht")),
        ("crag", CRAG, Layout.MULTI, [True, False], ("aldo brecht",)),
        ("financebench", FINANCE, Layout.SINGLE, [True], ("$1204.00",)),
    ],
)
def test_public_set_is_recognised_and_read(
    tmp_path: Path, name: str, value: Json, layout: Layout, relevant: list[bool], answers: tuple[str, ...]
) -> None:
    path = write(tmp_path / "qa" / "rows.json", value)
    (tmp_path / "evidence" / "wikipedia").mkdir(parents=True)
    (tmp_path / "evidence" / "wikipedia" / "Tamsin.txt").write_text(HARBOUR)

    (row,) = read_corpus(path, name)

    assert recognised(path) == name
    assert (row.layout, [one.relevant for one in row.passages], row.answers) == (layout, relevant, answers)


def test_public_sets_have_mappings_that_fit_their_readers() -> None:
    assert set(published_sets()) == {"squad", "hotpot", "musique", "triviaqa", "crag", "financebench", "beir"}


def test_squad_impossible_rows_are_counted_and_repeated_answers_are_one(tmp_path: Path) -> None:
    reading = read_corpus(write(tmp_path / "dev.jsonl", SQUAD), "squad")

    (row,) = reading
    assert row.answers == ("Aldo Brecht",) and row.title == "Tamsin" and row.source_id == "t1"
    assert reading.report.filtered == {FilterReason.NOT_ANSWERABLE: 1}


def test_hotpot_sentences_are_joined_as_they_were(tmp_path: Path) -> None:
    (row,) = read_corpus(write(tmp_path / "dev.json", HOTPOT), "hotpot")
    assert row.passages[0].text == "The harbour of Tamsin was dug in 1871. It freezes in winter."


def test_beir_folder_gives_queries_with_their_relevant_documents(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    (row,) = read_corpus(folder, "beir")
    assert recognised(folder) == "beir" and row.passages[0].text == HARBOUR and row.source_id == "b1"


def test_beir_folder_without_judgements_names_the_missing_file(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    (folder / "qrels" / "test.tsv").unlink()
    with pytest.raises(CorpusError, match=r"has no qrels/test\.tsv; allowed: .*; remedy: "):
        list(read_corpus(folder, "beir"))


def test_packed_crag_is_read_without_navigation_and_false_premises(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl.bz2"
    premise = {**CRAG, "interaction_id": "c2", "question_type": "false_premise"}  # type: ignore[dict-item]
    path.write_bytes(bz2.compress("\n".join(map(json.dumps, (CRAG, premise))).encode()))

    reading = read_corpus(path, "crag")

    (row,) = reading
    assert row.passages[0].text == HARBOUR and row.acceptance is Acceptance.SPELLING
    assert reading.report.filtered == {FilterReason.NOT_ANSWERABLE: 1}


def test_file_named_by_a_row_is_read_from_the_folder_of_the_set_only(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("Aldo Brecht keeps a secret.")
    (tmp_path / "evidence" / "wikipedia").mkdir(parents=True)
    trivia = json.loads(json.dumps(TRIVIA).replace("Tamsin.txt", "../../secret.txt"))
    reading = read_corpus(
        write(tmp_path / "rows.json", trivia), "triviaqa", on_bad_row=OnBadRow.SKIP, answers=AnswersBy.PROVED
    )
    with pytest.raises(CorpusError, match="one_passage 1"):
        list(reading)


def other_names(path: Path, **paths: str) -> CorpusReading:
    return read_corpus(path, "demur", paths=paths)


def test_csv_is_read_with_its_own_separator_and_lists_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "\ufeffquestion;answers;context\n"
        f'"Who dug it; and when?";"[\'Brecht\', ""Aldo Brecht""]";{HARBOUR}\n'
        f"When was it dug?;1871;{HARBOUR}\n",
        encoding="utf-8",
    )
    first, second = read_corpus(path, "demur")
    assert first.question == "Who dug it; and when?" and first.answers == ("Brecht", "Aldo Brecht")
    assert (second.source_id, second.answers) == ("row-2", ("1871",))


def test_csv_with_a_stated_separator_and_blanks_in_its_header_is_read(tmp_path: Path) -> None:
    (tmp_path / "excel.csv").write_text(f"sep=|\nquestion | answers |context\nWho; dug, it?|Brecht|{HARBOUR}\n")
    (row,) = read_corpus(tmp_path / "excel.csv", "demur")
    assert (row.question, row.answers) == ("Who; dug, it?", ("Brecht",))


def test_pretty_printed_object_is_one_row(tmp_path: Path) -> None:
    row = {"id": "1", "question": "Who?", "answers": ["Brecht"], "context": HARBOUR}
    (tmp_path / "q.json").write_text(json.dumps(row, indent=2))
    assert [row.source_id for row in read_corpus(tmp_path / "q.json", "demur")] == ["1"]


def test_array_of_our_rows_is_read(tmp_path: Path) -> None:
    rows = [{"id": number, "question": "Who?", "answers": ["Brecht"], "context": HARBOUR + number} for number in "12"]
    assert [row.source_id for row in read_corpus(write(tmp_path / "q.jsonl", rows), "demur")] == ["1", "2"]


def test_map_reads_rows_with_other_names(tmp_path: Path) -> None:
    value: Json = {"q": "Who dug it?", "gold": {"a": "Aldo Brecht", "more": ["Brecht"]}, "docs": [{"body": HARBOUR}]}
    (row,) = other_names(
        write(tmp_path / "q.jsonl", value), question="q", answers="gold.a+gold.more", context="docs[].body"
    )
    assert row.answers == ("Aldo Brecht", "Brecht") and row.passages[0].text == HARBOUR


def test_path_that_finds_nothing_is_named_with_its_field(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", {"q": "Who?", "answers": ["Brecht"], "context": HARBOUR})
    with pytest.raises(CorpusError, match=r"line 1: question has nothing: the row has no text at 'query'.*--map"):
        list(other_names(path, question="query"))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("q.json", '[{"id": 1}, {"id": 2', "is not JSON"),
        ("q.json", "[" * 200_000, "is not JSON"),
        ("q.json", "[1, 2]", "entry 1 of the array is 1"),
        ("q.csv", "question,question,context\na,b,c\n", "line 1: the columns are"),
        ("q.csv", "question,answers\nWho?,Brecht,1871\n", "line 2: the row that begins with 'Who?' has 3 cells"),
        ("q.csv", "question^answers\nWho?^Brecht\n", "line 1: is 'question^answers', one column"),
        ("q.json", '{\n "question": "Who?"\n}\n{\n "question": "When?"\n}\n', "is not JSON"),
        ("q.csv", 'question,answers\n"Who?,Brecht\n', "is not CSV in UTF-8"),
    ],
)
def test_damaged_file_of_another_layout_is_one_clear_error(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(tmp_path / name, "demur", on_bad_row=OnBadRow.SKIP))
    assert said in str(caught.value) and "allowed:" in str(caught.value) and "remedy:" in str(caught.value)


def test_answer_that_no_passage_states_is_refused_or_left_to_the_screeners(tmp_path: Path) -> None:
    value = {**FINANCE, "answer": "Yes, dues grew."}  # type: ignore[dict-item]
    path = write(tmp_path / "f.jsonl", value)
    stated = read_corpus(path, "financebench", on_bad_row=OnBadRow.SKIP)
    with pytest.raises(CorpusError, match="--answers proved"):
        list(stated)
    assert stated.report.skipped == {FaultReason.ANSWER_NOT_IN_TEXT: 1}
    proved = read_corpus(path, "financebench", answers=AnswersBy.PROVED)
    assert [row.acceptance for row in proved] == [Acceptance.PROVED]
    assert proved.report.counted() == [{"outcome": "usable", "reason": "proved", "rows": 1}]


def test_file_of_a_public_set_in_our_format_names_the_reader_to_use(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", SQUAD)
    for on_bad_row in OnBadRow:
        with pytest.raises(
            CorpusError, match=r"rows of SQuAD 1\.1 and 2\.0: --corpus squad:FILE \(corpus.format: squad\)"
        ):
            list(read_corpus(path, "demur", on_bad_row=on_bad_row))

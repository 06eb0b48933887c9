"""Paths into other people's rows, and the text of --map."""

import pytest

from demur.corpora.jsonl import Json
from demur.corpora.record_files import found_at, parse_map, rows_at

FIELDS = ("question", "answers")
ROW: Json = {
    "query": "q",
    "a": {"value": "1", "more": ["2", None, ""]},
    "parts": [{"text": "x"}, {"text": ""}, {"text": ["y", "z"]}],
    "facts": [["Tamsin", 0], ["Falk", 1]],
    "cell": "['p', 'q']",
    "label": "[redacted]",
    "a.b": 5,
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("query", ["q"]),
        ("a.value+a.more", ["1", "2"]),
        ("none|query", ["q"]),
        ("a.none+query", ["q"]),
        ("parts[].text", ["x", "y", "z"]),
        ("parts.1.text", []),
        ("facts[].0", ["Tamsin", "Falk"]),
        ("cell", ["p", "q"]),
        ("label", ["[redacted]"]),
        ("a.b", [5]),
        ("none.deep[].text", []),
    ],
)
def test_path_finds_values_in_their_order(path: str, found: list[Json]) -> None:
    assert found_at(ROW, path) == found


def test_rows_inside_a_document_have_the_fields_around_them() -> None:
    document: Json = {"v": 1, "data": [{"title": "T", "id": "outer", "qas": [{"id": "a"}, {"id": "b"}, 3]}]}
    assert list(rows_at(document, "data[].qas[]")) == [
        {"v": 1, "title": "T", "id": "a"},
        {"v": 1, "title": "T", "id": "b"},
    ]


def test_map_names_our_fields_before_theirs() -> None:
    assert parse_map("question = query, answers=a.value+a.more", FIELDS) == {
        "question": "query",
        "answers": "a.value+a.more",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("question", "'question' is not a mapping of a field"),
        ("question=", "'question=' is not a mapping"),
        ("", "'' is not a mapping"),
        ("query=question", "'query' is not one of our fields; allowed: question, answers"),
        ("question=a,question=b", "'question' is mapped twice, to 'a' and 'b'"),
    ],
)
def test_map_of_another_form_says_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(ValueError, match="allowed: .*remedy: ") as caught:
        parse_map(text, FIELDS)
    assert said in str(caught.value)

"""Nearest passages: by words, by pairs of signs, and never one that does not suit."""

from demur.corpora.documents.passages import NearestPassages, terms

PASSAGES = [
    ("a", "The ferry leaves the north quay at eight."),
    ("b", "Die Fähre verlässt den Kai um acht Uhr."),
    ("c", "茶厂星期一关门打扫，星期二开放。"),
    ("d", "茶园在山坡上，共九片。"),
    ("e", "Bread is kept in a linen bag."),
]


def test_nearest_passages_are_found_in_every_script() -> None:
    index = NearestPassages(PASSAGES)

    assert index.nearest("When does the ferry leave the quay?", 1, lambda one: True) == ["a"]
    assert index.nearest("Wann verlässt die FÄHRE den Kai?", 1, lambda one: True) == ["b"]
    assert index.nearest("茶厂星期几关门？", 1, lambda one: True) == ["c"]


def test_passages_that_do_not_suit_are_passed_over_and_fewer_come_where_there_are_no_more() -> None:
    index = NearestPassages(PASSAGES)

    assert "a" not in index.nearest("the ferry at the quay", 4, lambda one: one != "a")
    assert index.nearest("the ferry", 3, lambda one: one == "e") == ["e"]
    assert index.nearest("the ferry", 0, lambda one: True) == []
    assert NearestPassages([]).nearest("the ferry", 3, lambda one: True) == []


def test_korean_words_are_whole_and_chinese_ones_pairs() -> None:
    assert terms("서울 박물관") == ["서울", "박물관"]
    assert terms("博物馆") == ["博物", "物馆"]

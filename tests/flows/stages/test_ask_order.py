"""The order in which passages are asked about."""

from demur.flows.stages.questions.sources import DocumentPassage, spread


def test_passages_of_each_document_are_asked_about_before_second_ones() -> None:
    sizes = {"small": 1, "large": 20, "other": 2}
    passages = [
        (f"{name[0]}{number:02}", DocumentPassage(f"{name}{number}", name, "", None, "", None, None, None))
        for name, size in sizes.items()
        for number in range(size)
    ]

    ordered = [(turn, passage.document_id) for turn, passage in spread(passages)]

    assert [document for _, document in ordered[:5]] == ["large", "other", "small", "large", "other"]
    assert [turn for turn, _ in ordered] == sorted(turn for turn, _ in ordered)
    assert len(ordered) == len(passages)

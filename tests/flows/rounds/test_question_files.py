"""Files with questions of people: part of the identity of the corpus, and read before anything is asked."""

from pathlib import Path

import pytest

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.errors import CorpusError
from demur.flows.rounds.corpus_identity import CorpusIdentity, check_question_files, identity_of
from demur.flows.rounds.request import read_round_config
from demur.warehouse.home import Home


def context_of(folder: Path, questions: str | None, like: str | None = None) -> RoundContext:
    config = read_round_config(SHIPPED / "documents.yaml")
    assert config.documents is not None
    (folder / "handbook").mkdir(exist_ok=True)
    asked = None if questions is None else folder / questions
    corpus = config.documents.model_copy(update={"documents": str(folder / "handbook"), "questions": asked})
    asking = config.asking.model_copy(update={"like": None if like is None else folder / like})
    return RoundContext(Home(folder), config.model_copy(update={"corpus": corpus, "asking": asking}), folder, "r", 1)


def identified(context: RoundContext) -> CorpusIdentity:
    found = identity_of(context)
    assert found is not None
    return found


def test_questions_of_people_are_part_of_the_identity_of_documents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Who?\n")
    (tmp_path / "b.txt").write_text("When?\n")
    none, first, other = (identified(context_of(tmp_path, name)) for name in (None, "a.txt", "b.txt"))
    assert len({none.place, first.place, other.place}) == len({none.content, first.content, other.content}) == 3
    (tmp_path / "a.txt").write_text("Where?\n")
    edited = identified(context_of(tmp_path, "a.txt"))
    assert edited.place == first.place and edited.content != first.content
    alike = identified(context_of(tmp_path, None, like="a.txt"))
    assert alike.place == none.place and alike.content != none.content


@pytest.mark.parametrize(("questions", "like"), [("none.txt", None), (None, "none.txt")])
def test_file_with_questions_that_cannot_be_read_ends_the_start(
    tmp_path: Path, questions: str | None, like: str | None
) -> None:
    with pytest.raises(CorpusError, match=r"none\.txt: does not exist"):
        check_question_files(context_of(tmp_path, questions, like))

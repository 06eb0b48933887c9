"""What is said before a round starts where its documents cannot be found, listed or read."""

from pathlib import Path

import pytest

from demur.configuration.round_config import DOCUMENTS
from demur.errors import ConfigError, CorpusError
from demur.flows.rounds.request import RoundRequest, requested_config
from demur.flows.stages.questions.read_documents import check_documents, documents_of
from tests.flows.stages.test_read_documents import PROSE, at
from tests.object_store import SECRET, needs_store, running_store


@pytest.mark.parametrize(
    ("files", "where", "said"),
    [
        ({}, "nowhere", "does not exist; allowed: a folder of documents, one file, or an address; remedy: check"),
        ({}, "", "has no documents; allowed: files that end in .txt, "),
        ({".hidden.md": PROSE}, "", "has no documents; "),
        ({"a.png": "", "b.mp4": ""}, "", r"has no document that can be read \(2 unsupported\); allowed: files"),
        ({"a.png": ""}, "a.png", r"has no document that can be read \(1 unsupported\); "),
    ],
)  # fmt: skip
def test_place_without_a_document_is_refused_before_a_round_starts(
    files: dict[str, str], where: str, said: str, tmp_path: Path
) -> None:
    papers = tmp_path / "mine"
    papers.mkdir()
    for name, text in files.items():
        (papers / name).write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=said):
        check_documents(at(tmp_path, papers / where))


def test_folder_of_our_documents_by_name_gives_way_to_one_beside_the_configuration(tmp_path: Path) -> None:
    context = at(tmp_path, "documents")
    assert documents_of(context) == str(DOCUMENTS)
    (tmp_path / "documents").mkdir()
    assert documents_of(context) == str(tmp_path / "documents")


@needs_store
@pytest.mark.parametrize(
    ("address", "key", "said"),
    [
        ("s3://shelf/nothing", "AKIATESTONLY", r"s3://shelf/nothing: cannot be listed \(.* is missing, .*\); remedy"),
        ("s3://nowhere/papers", "AKIATESTONLY", "s3://nowhere/papers: .*; remedy: check corpus.documents"),
        ("s3://shelf/papers", "", r"s3://shelf/papers: cannot be listed \(.*credentials.*\); remedy: .*credentials"),
        ("nofs://shelf/papers", "", r"nofs://shelf/papers: cannot be listed \(.*[Pp]rotocol"),
    ],
)  # fmt: skip
def test_address_that_cannot_be_read_is_one_error(
    address: str, key: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_store(monkeypatch):
        if not key:
            for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
                monkeypatch.delenv(name)
            monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        with pytest.raises(CorpusError, match=said) as raised:
            check_documents(at(tmp_path, address))
    assert SECRET not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("config", ["embedded", "documents"])
def test_documents_without_a_model_that_asks_of_them_are_refused_with_the_way_to_one(config: str) -> None:
    with pytest.raises(ConfigError, match="language models ask the questions, but .* `demur config new my-round"):
        requested_config(RoundRequest(config, corpus="documents:handbook"))

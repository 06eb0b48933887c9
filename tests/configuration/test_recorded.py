"""What is stored of a configuration: no folder of the user."""

from collections.abc import Iterator
from pathlib import Path

from demur.configuration.round_config import SHIPPED
from demur.flows.rounds.request import read_round_config


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, str):
        yield value


def test_recorded_configuration_has_no_absolute_path() -> None:
    config = read_round_config(SHIPPED / "documents.yaml")
    assert config.documents is not None
    corpus = config.documents.model_copy(update={"documents": "/of/ada/handbook", "questions": Path("/of/ada/a.txt")})
    asking = config.asking.model_copy(update={"like": Path("/of/ada/like.txt")})
    recorded = config.model_copy(update={"corpus": corpus, "asking": asking}).recorded()
    assert (recorded["corpus"]["questions"], recorded["asking"]["like"]) == ("a.txt", "like.txt")
    assert not [text for text in texts_in(recorded) if Path(text).is_absolute()]

"""Readings of levers, and the levers that are telling by them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from demur.levers import catalogue
from demur.levers.catalogue import READINGS, WrittenBy, load_catalogue, measured, readings_of, telling
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import STRATA, Intensity, LeverClass


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Readings of levers of one stratum of ours, Contradiction LOW, in place of the real ones."""
    rows = {
        "contradiction.soft-antonym-modifiers": [
            ["2026-01-01", "model", 4, 4.0, 4.0, 1.0],
            ["2026-02-01", "model", 2, 2.7, 4.0, 1.0],
        ],
        "contradiction.approx-vs-exact": [
            ["2026-02-02", "rules", 4, 3.5, 4.0, 1.0],
            ["2026-01-01", "model", 4, 2.9, 3.2, 0.75],
        ],
        "contradiction.minor-numeric-rounding": [["2026-01-01", "rules", 4, 3.0, 3.0, 1.0]],
        "contradiction.superseded-version-flagged": [["2026-01-01", "model", 2, 4.0, 4.0, 1.0]],
        "contradiction.fringe-vs-official-source": [["2026-01-01", "rules", 4, 3.0, 4.0, 0.7]],
        "contradiction.nickname-vs-legal-name": [["2026-01-01", "rules", 4, 3.0, 4.0, 1.0]],
    }  # fmt: skip
    path = tmp_path / "readings.yaml"
    path.write_text(yaml.safe_dump(rows), encoding="utf-8")
    monkeypatch.setattr(catalogue, "READINGS", path)
    catalogue._load.cache_clear()
    yield
    catalogue._load.cache_clear()


def low() -> dict[str, Lever]:
    return {lever.id: lever for lever in load_catalogue().stratum(LeverClass.CONTRADICTION, Intensity.LOW)}


@pytest.mark.usefixtures("read")
def test_reading_that_counts_is_the_newest_of_a_model_and_else_of_a_recipe() -> None:
    assert [row.hard for row in readings_of("contradiction.soft-antonym-modifiers")] == [4.0, 2.7]
    newest = measured("contradiction.soft-antonym-modifiers")
    assert newest is not None and newest.hard == 2.7
    by_model = measured("contradiction.approx-vs-exact")
    assert by_model is not None and by_model.written_by is WrittenBy.MODEL
    assert measured("contradiction.peripheral-attribute-clash") is None


@pytest.mark.usefixtures("read")
def test_telling_levers_are_hard_natural_valid_and_read_more_than_once() -> None:
    found = {lever.id for lever in telling(low().values())}
    assert found == {"contradiction.approx-vs-exact", "contradiction.nickname-vs-legal-name"}


@pytest.mark.usefixtures("read")
def test_telling_levers_of_a_stratum_with_fewer_than_two_are_the_nearest_or_all_unread() -> None:
    def told(*names: str) -> set[str]:
        levers = low()
        chosen = telling(levers[f"contradiction.{name}"] for name in names)
        return {lever.id.removeprefix("contradiction.") for lever in chosen}

    easy = ("soft-antonym-modifiers", "superseded-version-flagged", "fringe-vs-official-source")
    assert told(*easy, "minor-numeric-rounding") == {"soft-antonym-modifiers", "superseded-version-flagged"}
    assert told(*easy, "approx-vs-exact") == {"approx-vs-exact", "superseded-version-flagged"}
    assert told("approx-vs-exact", "fringe-vs-official-source") == {"approx-vs-exact"}, "what fails does not join"
    assert told("fringe-vs-official-source") == {"fringe-vs-official-source"}, "a stratum offers a lever at least"
    levers = low()
    unread = (levers["contradiction.peripheral-attribute-clash"],)
    assert telling(unread) == unread


def test_our_readings_are_of_our_levers_and_every_stratum_has_a_telling_one() -> None:
    ours = {lever.id for lever in load_catalogue()}
    file = yaml.safe_load(READINGS.read_text(encoding="utf-8"))
    assert file.keys() <= ours
    chosen = load_catalogue().telling()
    assert {(lever.lever_class, lever.intensity) for lever in chosen} == set(STRATA)
    assert len(chosen) < len(ours) / 4
    assert not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,} [a-z]{3,}", "\n".join(map(str, file.values())))

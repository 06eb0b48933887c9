from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home


@pytest.mark.parametrize(
    "value",
    ["", ".", "..", "../up", "a/b", "a\\b", "/root", ".hidden", "-rf", "a b", "a\n", "quarantine", "é", "x" * 101]
    + ["a.", "NUL", "con.txt", "a:b", "a\0"],
)
def test_segment_that_could_leave_its_directory_is_refused(value: str) -> None:
    home = Home(Path("home"))
    for path_of in (home.landing, lambda v: home.orders("r1", v)):
        with pytest.raises(WarehouseError, match="cannot name a directory"):
            path_of(value)


@given(st.text(max_size=120))
def test_landed_shard_of_any_text_stays_inside_its_stage_or_is_refused(value: str) -> None:
    home = Home(Path("home"))
    try:
        path = home.landed_shard("r1", "generate", value)
    except WarehouseError:
        return
    assert path.parent == Path("home/landing/r1/generate")
    assert path.name == value

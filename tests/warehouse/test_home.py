from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home


@pytest.mark.parametrize(
    "value",
    ["", ".", "..", "../up", "a/b", "a\\b", "/root", ".hidden", "-rf", "a b", "a\n", "é", "x" * 101]
    + ["a.", "NUL", "con.txt", "a:b", "a\0"],
)
def test_segment_that_could_leave_its_directory_is_refused(value: str) -> None:
    home = Home(Path("home"))
    for path_of in (lambda v: home.plan(v, "generate"), lambda v: home.plan("r1", v)):
        with pytest.raises(WarehouseError, match="cannot name a directory"):
            path_of(value)


@given(st.text(max_size=120))
def test_plan_of_any_text_stays_inside_its_round_or_is_refused(value: str) -> None:
    home = Home(Path("home"))
    try:
        path = home.plan("r1", value)
    except WarehouseError:
        return
    assert path.parent == Path("home/plans/r1")
    assert path.name == f"{value}.parquet"

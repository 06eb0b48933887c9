"""The gate of the human audit: unaudited without marks, audited where people agree, stopped by what they found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.configuration.sections import AuditBounds
from demur.errors import StageStopped
from demur.levers.vocabulary import AuditCriterion
from demur.reports.audits.marks import audit_state
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import record_audits
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.warehouse.examples import NOON, ROUND, ROWS

BOUNDS = AuditBounds(min_pass=0.9, readers=2, min_kappa=0.6)
ITEMS = 40


@pytest.fixture
def con(tmp_path: Path) -> Iterator[Connection]:
    """A warehouse with a round of forty perturbed items."""
    with writing(Home(tmp_path), wait_seconds=0) as opened:
        opened.from_arrow(to_arrow(Table.ROUNDS, [ROWS[Table.ROUNDS]], "r")).insert_into("rounds")
        opened.execute("INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, 'assemble', 'u1', 0)", [ROUND])
        items = [{**ROWS[Table.ITEMS], "item_id": f"i{at}"} for at in range(ITEMS)]
        opened.from_arrow(to_arrow(Table.ITEMS, items, "i")).insert_into("items")
        yield opened


def read(con: Connection, reader: str, failed: set[int]) -> None:
    """Let somebody read all items, of which some fail."""
    rows = [
        {
            **{
                "round_id": ROUND,
                "item_id": f"i{at}",
                "reader": reader,
                "seed": 7,
                "imported_at": NOON,
                "suspected": False,
            },
            **{"class": "P-Ambiguity", "intensity": "MEDIUM"},
            **dict.fromkeys(AuditCriterion, at not in failed),
        }
        for at in range(ITEMS)
    ]
    record_audits(con, rows)


def test_release_without_marks_is_unaudited(con: Connection) -> None:
    for bounds in (None, BOUNDS):
        assert audit_state(con, ROUND, bounds) == {"state": "unaudited", "why": "nobody has read its items"}


def test_release_is_audited_once_enough_people_agree(con: Connection) -> None:
    read(con, "Ada", {3, 4})
    one = audit_state(con, ROUND, BOUNDS)
    assert (one["state"], one["why"]) == (
        "unaudited", "1 of the 2 readers of gates.audit.readers have read its items",
    )  # fmt: skip
    assert audit_state(con, ROUND, None)["state"] == "audited"
    read(con, "Grace", {3, 4})
    both = audit_state(con, ROUND, BOUNDS)
    assert (both["state"], both["readers"], both["items"], both["kappa"]) == ("audited", 2, ITEMS, 1.0)
    assert both["pass_rate"] == pytest.approx(38 / 40)


def test_readers_who_pass_everything_need_no_kappa(con: Connection) -> None:
    for reader in ("Ada", "Grace"):
        read(con, reader, set())
    assert audit_state(con, ROUND, BOUNDS)["state"] == "audited"


def test_readers_who_do_not_agree_leave_a_release_unaudited(con: Connection) -> None:
    read(con, "Ada", {3})
    read(con, "Grace", {9})
    state = audit_state(con, ROUND, BOUNDS)
    assert state["state"] == "unaudited" and "below gates.audit.min_kappa 0.6" in state["why"]
    assert audit_state(con, ROUND, BOUNDS.model_copy(update={"min_kappa": None}))["state"] == "audited"


def test_items_that_people_fail_stop_the_release(con: Connection) -> None:
    for reader in ("Ada", "Grace"):
        read(con, reader, set(range(20)))
    with pytest.raises(StageStopped, match=r"min_pass 0.9 is not met: 50.0% of the 40 items that were read"):
        audit_state(con, ROUND, BOUNDS)

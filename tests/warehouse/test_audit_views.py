"""What readers found, counted in SQL: intervals as statsmodels has them, agreement as scoring has it."""

import math
import random

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from demur.levers.vocabulary import STRATA, AuditCriterion
from demur.scoring.agreement import krippendorff_alpha, rating_counts
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import record_audits
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.warehouse.examples import NOON, ROUND, ROWS

READERS = ("Ada", "Grace", "Kay")


def reading(item: int, reader: str, marks: list[bool | None], seed: int = 7) -> dict[str, object]:
    lever_class, intensity = STRATA[item % len(STRATA)]
    return {
        "round_id": ROUND,
        "item_id": f"i{item}",
        "reader": reader,
        "class": lever_class.value,
        "intensity": intensity.value,
        "seed": seed,
        **dict(zip(AuditCriterion, marks, strict=True)),
        "imported_at": NOON,
        "suspected": False,
    }


def readings() -> list[dict[str, object]]:
    """Two readers of 90 items, a third one of some; one criterion is left open now and then, one never fails."""
    rng = random.Random(20_261_121)
    rows = []
    for item in range(90):
        hard = rng.random() < 0.2
        for reader in READERS[: 3 if item % 3 == 0 else 2]:
            marks: list[bool | None] = [rng.random() > (0.5 if hard else 0.03) for _ in range(4)]
            marks.append(True)
            if rng.random() < 0.05:
                marks[1] = None
            rows.append(reading(item, reader, marks))
    return rows


@pytest.fixture
def con(home: Home) -> Connection:
    """A warehouse with a round of ninety perturbed items that were read."""
    with writing(home, wait_seconds=0) as opened:
        opened.from_arrow(to_arrow(Table.ROUNDS, [ROWS[Table.ROUNDS]], "r")).insert_into("rounds")
        opened.execute("INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, 'assemble', 'u1', 0)", [ROUND])
        items = [{**ROWS[Table.ITEMS], "item_id": f"i{at}"} for at in range(90)]
        opened.from_arrow(to_arrow(Table.ITEMS, items, "i")).insert_into("items")
        yield opened


def overall(row: dict[str, object]) -> bool | None:
    marks = [row[name] for name in AuditCriterion]
    return None if None in marks else all(marks)


def test_pass_rates_are_by_item_with_wilson_intervals(con: Connection) -> None:
    rows = readings()
    record_audits(con, rows)
    known = pd.DataFrame([{**row, "overall": overall(row)} for row in rows])
    seen = con.execute(
        "FROM audit_pass_rates UNION ALL BY NAME SELECT *, 'all' AS class FROM audit_pass_rate_rollups"
    ).df()
    assert len(seen) == 6 * 7
    for found in seen.to_dict("records"):
        of_class = known if found["class"] == "all" else known[known["class"] == found["class"]]
        marked = of_class.dropna(subset=[found["criterion"]])
        by_item = marked.groupby("item_id")[found["criterion"]].agg(lambda marks: sum(marks) * 2 > len(marks))
        assert (found["items"], found["passes"]) == (len(by_item), by_item.sum())
        assert found["readers"] == marked["reader"].nunique()
        low, high = proportion_confint(by_item.sum(), len(by_item), method="wilson")
        assert (found["low"], found["high"]) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


def test_agreement_is_what_scoring_computes(con: Connection) -> None:
    rows = readings()
    record_audits(con, rows)
    known = pd.DataFrame([{**row, "overall": overall(row)} for row in rows])
    seen = con.execute("SELECT * FROM audit_agreement").df()
    assert len(seen) == 6 * (1 + 3)
    for found in seen.to_dict("records"):
        table = known.pivot(index="item_id", columns="reader", values=found["criterion"])
        if found["coefficient"] == "alpha":
            wanted = krippendorff_alpha(rating_counts(table))
        else:
            both = table[[found["first"], found["second"]]].dropna().astype(str)
            constant = both.nunique().min() < 2
            wanted = math.nan if constant else cohen_kappa_score(both[found["first"]], both[found["second"]])
        if math.isnan(wanted):
            assert pd.isna(found["value"]) and found["reason"]
        else:
            assert found["value"] == pytest.approx(wanted, abs=1e-12)
    alike = seen[seen["criterion"] == "ground_truth_alignment"]
    assert alike["value"].isna().all() and (alike["observed"] == 1).all()


def test_one_reader_has_no_agreement_and_a_partly_read_item_no_verdict(con: Connection) -> None:
    record_audits(con, [reading(0, "Ada", [False, None, None, None, None]), reading(1, "Ada", [True] * 5)])
    assert con.execute("SELECT * FROM audit_agreement").fetchall() == []
    assert con.execute("SELECT item_id, passed, criteria_marked FROM audit_readings ORDER BY item_id").fetchall() == [
        ("i0", None, 1),
        ("i1", True, 5),
    ]
    assert con.execute("SELECT items, passes FROM audit_pass_rate_rollups WHERE criterion = 'overall'").fetchall() == [
        (1, 1)
    ]


def test_marks_of_items_that_the_round_no_longer_holds_do_not_count(con: Connection) -> None:
    record_audits(con, [reading(0, "Ada", [True] * 5), reading(1, "Ada", [True] * 5)])
    con.execute("DELETE FROM items WHERE item_id = 'i0'")
    assert con.execute("SELECT item_id FROM audit_readings").fetchall() == [("i1",)]


def test_newer_marks_replace_those_of_the_same_reader_and_sample_only(con: Connection) -> None:
    record_audits(con, [reading(0, "Ada", [True] * 5), reading(1, "Ada", [True] * 5), reading(0, "Grace", [True] * 5)])
    record_audits(con, [reading(2, "Ada", [True] * 5, seed=8), reading(1, "Ada", [False] * 5, seed=8)])
    record_audits(con, [reading(0, "Ada", [False] * 5)])
    marks = con.execute("SELECT item_id, reader, lever_fidelity FROM audits ORDER BY ALL").fetchall()
    assert marks == [("i0", "Ada", False), ("i0", "Grace", True), ("i1", "Ada", False), ("i2", "Ada", True)]

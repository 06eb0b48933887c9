"""What the views of verification count in SQL is what scoring computes, and consensus is the round's own rule."""

import json
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
import pytest

from demur.scoring.table_rows import STOPPED_EARLY, Bootstrap, agreement_rows
from demur.scoring.verifier_agreement import match_cells, verify
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import RoundRow, open_round
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
from tests.warehouse.examples import ROWS

GENERATORS = ("g1", "g2")
VERIFIERS = ("g1", "g2", "v3")
HOW = Bootstrap(50, 3)
ROUND = "r1"


def verdicts(seed: int = 1, missing: float = 0.05, constant: str | None = None) -> pd.DataFrame:
    """Verdicts of all verifiers on 2 generators x 12 bases x 2 classes x 2 intensities; some missing, one cell bare."""
    rng = np.random.default_rng(seed)
    rows = []
    cells = product(range(12), ("P-Ambiguity", "P-MissingInfo"), ("LOW", "HIGH"), GENERATORS)
    for base, lever_class, intensity, generator in cells:
        if (base, generator, lever_class) == (0, "g2", "P-Ambiguity"):
            continue
        name = f"p-{base}-{lever_class}-{intensity}-{generator}"
        for verifier in VERIFIERS:
            passes = rng.random() < (0.9 if verifier == generator else 0.7)
            passed = None if rng.random() < missing else bool(passes or verifier == constant)
            rows.append((name, f"b{base}", lever_class, intensity, generator, verifier, passed))
    columns = ["perturbation_id", "source_id", "class", "intensity", "generator", "verifier", "passed"]
    return pd.DataFrame(rows, columns=columns).astype({"passed": object})


def fill(con: Connection, frame: pd.DataFrame, rule: dict[str, object]) -> None:
    round_row = RoundRow(
        ROUND, "small", 1, "single", 12, [], GENERATORS, VERIFIERS, ["a"], ["j"], {"verification": rule}, "c", "d"
    )
    open_round(con, round_row)
    landed = agreement_rows(frame, GENERATORS, VERIFIERS, HOW)
    rows = {Table(name): [{"round_id": ROUND, "unit_id": "agree", **row} for row in of] for name, of in landed.items()}
    units = [("agree", "agree")]
    for table in (Table.PERTURBATIONS, Table.CHECKS, Table.VERDICTS):
        rows[table] = []
    for at, row in enumerate(frame.drop_duplicates("perturbation_id").to_dict("records")):
        of = {"perturbation_id": row["perturbation_id"], "class": row["class"], "intensity": row["intensity"]}
        units += [("generate", f"g{at}"), ("deduplicate", f"d{at}")]
        made = {**of, "unit_id": f"g{at}", "base_id": row["source_id"], "generator": row["generator"]}
        rows[Table.PERTURBATIONS].append({**ROWS[Table.PERTURBATIONS], **made, "status": "candidate"})
        check = {**of, "unit_id": f"d{at}", "check_name": "no_duplicate", "outcome": "pass"}
        rows[Table.CHECKS].append({**ROWS[Table.CHECKS], **check})
    for at, row in enumerate(frame.to_dict("records")):
        units.append(("verify", f"v{at}"))
        said = {key: row[key] for key in ("perturbation_id", "class", "intensity", "generator", "verifier")}
        rows[Table.VERDICTS] += [
            {**ROWS[Table.VERDICTS], **said, "unit_id": f"v{at}", "attempt": attempt, **_outcome(passed)}
            for attempt, passed in enumerate([None, row["passed"]], start=1)
        ]
    for table, of_table in rows.items():
        if of_table:
            con.register("landed", to_arrow(table, of_table, table.value))
            con.execute(f"INSERT INTO {table.value} BY NAME SELECT * FROM landed")
            con.unregister("landed")
    con.executemany(
        "INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, ?, ?, 0)",
        [[ROUND, stage, unit] for stage, unit in units],
    )


def _outcome(passed: bool | None) -> dict[str, object]:
    if passed is None:
        return {"outcome": "missing", "overall": None}
    return {"outcome": "pass", "overall": True} if passed else {"outcome": "inconsistent", "overall": False}


@pytest.fixture
def con(home: Home) -> Iterator[Connection]:
    with writing(home, wait_seconds=0) as opened:
        yield opened


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("agreed"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A warehouse that holds the verdicts, for tests that change no row but the rule of the round."""
    with writing(Home(tmp_path_factory.mktemp("filled")), wait_seconds=0) as opened:
        fill(opened, verdicts(), {})
        yield opened


def test_views_of_verification_are_what_scoring_computes(filled: Connection) -> None:
    frame = verdicts()
    matched = match_cells(frame, generators=GENERATORS, verifiers=VERIFIERS)
    assert 0 < matched.cells < matched.cells_seen
    tables = verify(matched, replicates=50, seed=3)
    rows = tables["verification_rates"]
    rates = {(r["statistic"], r["generator"], r["verifier"]): r for r in rows if r["slice"] == "overall"}
    agreements = {(r["coefficient"], r["first"], r["second"]): r["value"] for r in tables["verifier_agreements"]}
    for generator, verifier, rate, low in filled.execute(
        "SELECT generator, verifier, pass_rate, low FROM verifier_matrix"
    ).fetchall():
        wanted = rates["pass_rate", generator, verifier]
        assert (rate, low) == pytest.approx((wanted["value"], wanted["low"]))
    for generator, own, cross, bias in filled.execute(
        "SELECT generator, self_rate, cross_rate, bias FROM self_preference"
    ).fetchall():
        assert own == pytest.approx(rates["self_rate", generator, generator]["value"])
        assert cross == pytest.approx(rates["cross_rate", generator, None]["value"])
        assert bias == pytest.approx(rates["bias", generator, None]["value"])
    pairs = filled.execute("SELECT first, second, value FROM verifier_agreement WHERE coefficient = 'cohen'").fetchall()
    assert len(pairs) == 3
    for first, second, value in pairs:
        assert value == pytest.approx(agreements["cohen", first, second])
    of_all = dict(filled.execute("SELECT coefficient, value FROM verifier_agreement WHERE first IS NULL").fetchall())
    assert of_all == pytest.approx({name: agreements[name, None, None] for name in ("fleiss", "alpha")})
    slices = {
        (r["slice"], r["slice_value"], r["generator"]): r
        for r in rows
        if (r["statistic"], r["verifier"]) == ("pass_rate", None)
    }
    shown = filled.execute(
        "SELECT slice, slice_value, generator, pass_rate, high FROM pass_rate_rollups "
        "UNION ALL SELECT 'class', class, generator, pass_rate, high FROM pass_rates_by_class "
        "UNION ALL SELECT 'intensity', intensity, generator, pass_rate, high FROM pass_rates_by_intensity"
    ).fetchall()
    assert len(shown) == len(slices) == 15
    [counted] = filled.execute("SELECT count(*) FROM matched_verdicts").fetchall()
    for view in ("pass_rates_by_class", "pass_rates_by_intensity"):
        assert filled.execute(f"SELECT sum(verdicts) FROM {view}").fetchall() == [counted]
    for name, value, generator, rate, high in shown:
        wanted = slices[name, value, None if generator == "all" else generator]
        assert (rate, high) == pytest.approx((wanted["value"], wanted["high"]))


@pytest.mark.parametrize(
    ("rule", "at_least", "without_self"),
    [
        ({}, None, False),
        ({"consensus": "unanimous", "exclude_self": True}, None, True),
        ({"consensus": "k_of_n", "k": 2}, 2, False),
        ({"consensus": "k_of_n", "k": 1, "exclude_self": True}, 1, True),
    ],
)
def test_consensus_accepts_what_the_rounds_rule_says_and_nothing_with_a_missing_verdict(
    filled: Connection, rule: dict[str, object], at_least: int | None, without_self: bool
) -> None:
    frame = verdicts()
    filled.execute("UPDATE rounds SET config = ?", [json.dumps({"verification": rule})])
    found = dict(filled.execute("SELECT perturbation_id, accepted FROM consensus").fetchall())
    wanted = {}
    for name, given in frame.groupby("perturbation_id"):
        counting = given[given["verifier"] != given["generator"]] if without_self else given
        complete = counting["passed"].notna().all()
        wanted[name] = complete and int((counting["passed"] == True).sum()) >= (at_least or len(counting))  # noqa: E712
    assert found == wanted
    assert set(found.values()) == {True, False}


def test_kappa_of_a_constant_verifier_is_null_with_the_reason(con: Connection) -> None:
    fill(con, verdicts(constant="v3"), {})
    rows = con.execute("SELECT value, reason FROM verifier_agreement WHERE second = 'v3'").fetchall()
    assert rows == [(None, "v3 gives one verdict only")] * 2


def test_agreed_rows_without_a_matched_cell_say_why() -> None:
    [row] = agreement_rows(verdicts(missing=1.0), GENERATORS, VERIFIERS, HOW, stopped_early=True)["verifications"]
    assert row["cells"] == 0
    assert str(row["remark"]).startswith(STOPPED_EARLY)
    assert "none of 48 cells is matched" in str(row["remark"])

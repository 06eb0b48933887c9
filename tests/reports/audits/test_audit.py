"""From a round to a page, from a page's file to pass rates: samples, round trip, bad files."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.errors import FlowError
from demur.levers.vocabulary import STRATA, AuditCriterion, expected_code
from demur.reports.audits.marks import import_audits
from demur.reports.audits.page import AUDITS, drawn, released_audits, render_audit, sample_audit
from demur.reports.tables import named_table
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import query
from demur.warehouse.tables import Table
from tests.flows.rounds import demur_here
from tests.reports.pages import Page
from tests.warehouse.examples import ROUND, ROWS

ITEMS = 60


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A round with items in all strata but the last, one of them in the first."""
    found = Home(tmp_path_factory.mktemp("audit") / "home")
    items = []
    for at in range(ITEMS):
        lever_class, intensity = STRATA[0] if at == 0 else STRATA[1 + at % (len(STRATA) - 2)]
        strata = {"class": lever_class.value, "intensity": intensity.value}
        answer = {"expected": "ANSWER_CORRECTLY"} if intensity == "LOW" else {}
        code = {} if answer else {"expected": expected_code(lever_class, intensity).value}
        items.append(
            {**ROWS[Table.ITEMS], **strata, **answer, **code, "item_id": f"i{at:02}", "question": f"</script>{at}"}
        )
    with writing(found, wait_seconds=0) as con:
        for table, rows in (
            (Table.ROUNDS, [ROWS[Table.ROUNDS]]),
            (Table.BASE_INSTANCES, [ROWS[Table.BASE_INSTANCES]]),
            (Table.ITEMS, items),
            *_answered(items),
        ):
            con.from_arrow(to_arrow(table, rows, "test")).insert_into(table.value)
        stages = ", ".join(f"('{ROUND}', '{stage}', 'u1', 0)" for stage in ("assemble", "ingest", "respond", "judge"))
        con.execute(f"INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES {stages}")
    publish(found)
    return found


def _answered(items: list[dict[str, object]]) -> Iterator[tuple[Table, list[dict[str, object]]]]:
    """Responses of four respondents, each abler than the one before, who all miss two items that weaker ones get."""
    missed_from = {"i05": 2, "i17": 3}
    responses, judgements = [], []
    for at, item in enumerate(items):
        for able in range(4):
            name = str(item["item_id"])
            right = able < missed_from[name] if name in missed_from else at % 4 < able
            of = {"response_id": f"{name}-{able}", "item_id": name, "respondent": f"able-{able}"}
            responses.append({**ROWS[Table.RESPONSES], **of})
            said = {"predicted": item["expected"] if right else "INVALID", "correct": None}
            if item["expected"] == "ANSWER_CORRECTLY":
                said = {"predicted": "ANSWER_ATTEMPT", "correct": right}
            judgements.append({**ROWS[Table.JUDGEMENTS], **of, **said})
    yield Table.RESPONSES, responses
    yield Table.JUDGEMENTS, judgements


def marked(
    home: Home, folder: Path, reader: str, passes: bool = True, changes: Mapping[str, object] | None = None
) -> Path:
    """What the page of a sample gives out when a reader marked everything alike."""
    page = Page(render_audit(sample_audit(home, ROUND, per_stratum=2, seed=3)))
    [body] = page.all("body")
    items = [
        {"item_id": card.attributes["data-item"], "criteria": dict.fromkeys(AuditCriterion, passes), "note": ""}
        for card in page.all("article")
    ]
    data = {"round": body.attributes["data-round"], "seed": int(body.attributes["data-seed"]), "reader": reader}
    path = folder / f"{reader}.json"
    path.write_text(json.dumps({**data, "items": items, **(changes or {})}), encoding="utf-8")
    return path


def test_sample_takes_what_there_is_and_says_what_is_short(home: Home) -> None:
    found = sample_audit(home, ROUND, per_stratum=2, seed=None)
    counted = [(item["class"], item["intensity"]) for item in found.items]
    assert found.seed == 7
    assert dict.fromkeys(found.short) == dict.fromkeys(
        [(*map(str, STRATA[0]), 1), (*map(str, STRATA[-1]), 0)]  # type: ignore[arg-type]
    )
    for lever_class, intensity in STRATA[1:-1]:
        assert counted.count((lever_class.value, intensity.value)) == 2


def test_sample_puts_suspicious_items_first_and_marks_those_beside_the_lot(home: Home) -> None:
    without = [item["item_id"] for item in sample_audit(home, ROUND, per_stratum=2, seed=3).items]
    items = sample_audit(home, ROUND, per_stratum=2, seed=3, suspected=10).items
    assert [item["item_id"] for item in items][:2] == ["i05", "i17"]
    assert [item["item_id"] for item in items][2:] == [one for one in without if one not in ("i05", "i17")]
    assert {item["item_id"] for item in items if item["suspected"]} == {"i05", "i17"} - set(without) != set()
    page = Page(render_audit(sample_audit(home, ROUND, per_stratum=2, seed=3, suspected=1)))
    assert [card.attributes["data-item"] for card in page.all("article")][0] == "i05"


def test_marks_of_suspected_items_do_not_count_for_pass_rates(home: Home, tmp_path: Path) -> None:
    marks = dict.fromkeys(AuditCriterion, False)
    path = tmp_path / "kay.json"
    one = {"item_id": "i05", "criteria": marks}
    path.write_text(json.dumps({"round": ROUND, "seed": 99, "reader": "Kay", "items": [{**one, "suspected": True}]}))
    before = query(home, "SELECT sum(items) FROM audit_pass_rates", limit=None).rows
    import_audits(home, [path])
    assert query(home, "SELECT sum(items) FROM audit_pass_rates", limit=None).rows == before
    assert query(home, "SELECT passed FROM audit_readings WHERE reader = 'Kay'", limit=None).rows == [(False,)]
    with writing(home, wait_seconds=0) as con:
        con.execute("DELETE FROM audits WHERE reader = 'Kay'")


@given(st.permutations(range(40)), st.integers(min_value=1, max_value=5), st.integers())
def test_drawn_does_not_depend_on_the_order_of_rows_and_takes_each_once(
    order: list[int], per_stratum: int, seed: int
) -> None:
    rows = [
        {"item_id": f"i{at}", "class": str(STRATA[at % 7][0]), "intensity": str(STRATA[at % 7][1])} for at in range(40)
    ]
    found = drawn([rows[at] for at in order], "r", per_stratum, seed)
    assert found == drawn(rows, "r", per_stratum, seed)
    assert len({row["item_id"] for row in found}) == len(found) == 7 * per_stratum


def test_round_trip_from_sample_to_pass_rates(home: Home, tmp_path: Path) -> None:
    done = import_audits(home, [marked(home, tmp_path, "Ada"), marked(home, tmp_path, "Grace", passes=False)])
    assert [(one.file.reader, one.whole, one.partly, one.unread) for one in done] == [
        ("Ada", 33, 0, 0),
        ("Grace", 33, 0, 0),
    ]
    text = "SELECT items, passes FROM audit_pass_rate_rollups WHERE criterion = 'overall'"
    assert query(home, text, limit=None).rows == [(33, 0)]
    import_audits(home, [marked(home, tmp_path, "Grace")])
    assert query(home, text, limit=None).rows == [(33, 33)]
    assert query(home, "SELECT count(*) FROM audits", limit=None).rows == [(66,)]
    with reading(home) as con:
        agreement = named_table("audit_agreement").read(con, round=ROUND).records
        lines = [json.loads(line) for line in released_audits(con, ROUND)[AUDITS].splitlines()]
        assert released_audits(con, "other") == {}
    assert {(row["first"], row["second"]) for row in agreement} == {(None, None), ("reader 1", "reader 2")}
    assert {line["reader"] for line in lines} == {1, 2}
    assert len(lines) == 66
    assert "Ada" not in json.dumps(lines)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"round": "other"}, r"round 'other' is not one of r1"),
        ({"reader": " "}, r"reader: String should have at least 1 character"),
        ({"seed": "7"}, r"seed: Input should be a valid integer"),
        ({"more": 1}, r"more: Extra inputs are not permitted"),
        ({"items": [{"item_id": "zz", "criteria": {}}]}, r"'zz' is not among the 60 perturbed items of round r1"),
        (
            {"items": [{"item_id": "i01", "criteria": {"style": True}}]},
            r"items\[0\]\.criteria\.style: 'style' is not a crit",
        ),
        ({"items": [{"item_id": "i01", "criteria": {"lever_fidelity": "yes"}}]}, r"'yes' is not true, false or null"),
        ({"items": [{"item_id": "i01", "criteria": {}}] * 2}, r"'i01' occurs more than once"),
    ],
)
def test_import_bad_file_is_an_error_that_names_it_and_stores_nothing(
    home: Home, tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    good = marked(home, tmp_path, "Good")
    bad = marked(home, tmp_path, "Bad", changes=changes)
    with pytest.raises(FlowError, match=told) as caught:
        import_audits(home, [good, bad])
    assert str(caught.value).startswith(str(bad))
    assert query(home, "SELECT * FROM audits WHERE reader IN ('Good', 'Bad')", limit=None).rows == []


def test_commands_write_the_page_and_explain_bad_files(home: Home, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = demur_here("audit", "sample", ROUND, "--per-stratum", "2", "--out", str(page), home=home.root)
    assert done.returncode == 0, done.stderr
    assert "34 items (1 suspected, outside the random draw), seed 7" in done.stdout
    assert "P-Ambiguity LOW: 1 of 2" in done.stderr
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    bad = demur_here("audit", "import", str(page), home=home.root)
    assert bad.returncode == 2
    assert bad.stderr.startswith(f"demur: {page}: the file: Invalid JSON")
    good = demur_here("audit", "import", str(marked(home, tmp_path, "Kay")), home=home.root)
    assert good.returncode == 0, good.stderr
    assert "Kay, round r1: 33 items read, 0 partly, 0 not" in good.stdout
    assert "Published" in good.stdout


def test_import_reader_twice_at_once_is_refused(home: Home, tmp_path: Path) -> None:
    path = marked(home, tmp_path, "Ada")
    with pytest.raises(FlowError, match="reader 'Ada' marked this sample in"):
        import_audits(home, [path, path])

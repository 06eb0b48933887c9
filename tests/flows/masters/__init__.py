"""Golden masters: what readers see of finished rounds, by what rows are about instead of by ids.

A master is a JSON file beside this module: for each table its number of rows and a digest of them, and small counts to
read. It says that a change of the engine or the warehouse changes no result. A change that means to change results
writes its masters anew, with the option --write-masters of pytest.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.tables import UNIT_TABLES

FOLDER = Path(__file__).parent
writes = False
"""Whether masters are written instead of checked."""
DIGITS = 6
"""Significant digits of numbers: the last ones are the processor's."""
_ID = re.compile(r"\b[0-9a-f]{32}\b")
_OF_ONE_RUN = frozenset({"round_id", "unit_id", "stamp", "call_id"})
_ABOUT = """
    SELECT perturbation_id, concat_ws('/', base_id, class, intensity, generator, replicate, repair) FROM perturbations
    WHERE round_id = $round
    UNION SELECT item_id, concat_ws('/', kind, base_id, class, intensity, generator, lever_id) FROM live_items i
    WHERE round_id = $round AND NOT EXISTS (SELECT 1 FROM perturbations p WHERE p.perturbation_id = i.item_id)
    UNION SELECT response_id, concat_ws('/', item_id, respondent, replicate) FROM live_responses WHERE round_id = $round
    UNION SELECT completion_id, concat_ws('/', policy, behaviour, prompt_id, label, variant) FROM live_completions
    WHERE round_id = $round
    UNION SELECT question_id, concat_ws('/', asker, turn, passage_ids::VARCHAR, number) FROM live_questions
    WHERE round_id = $round
"""
"""By id, what the row is about, in which ids may stand too."""
_COUNTS = {
    "items": "SELECT concat_ws(' ', kind, class, intensity), count(*) FROM live_items",
    "responses": "SELECT respondent, count(*) FROM live_responses",
    "judgements": "SELECT concat_ws(' ', respondent, predicted), count(*) FROM live_judgements",
    "answers": "SELECT stage, count(*) FROM calls SEMI JOIN units USING (stage, unit_id)",
    "failures": "SELECT concat_ws(' ', stage, reason), count(*) FROM live_failures",
}
_ONLY = {"answers": " AND status = 'ok' AND role <> 'probe'"}


def master_of(home: Home, round_id: str) -> dict[str, Any]:
    """Return the master of a round: number and digest of each table's rows, and counts."""
    tables = {}
    for table in UNIT_TABLES:
        if lines := lines_of(home, round_id, table):
            digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
            tables[str(table)] = {"rows": len(lines), "digest": digest}
    with reading(home, "loader", wait_seconds=30) as con:
        counts = {
            name: dict(
                con.execute(
                    f"{sql} WHERE round_id = $round{_ONLY.get(name, '')} GROUP BY 1 ORDER BY 1", {"round": round_id}
                ).fetchall()
            )
            for name, sql in _COUNTS.items()
        }
    return {"tables": tables, "counts": counts}


def lines_of(home: Home, round_id: str, table: str) -> list[str]:
    """Return the rows of one table as the master digests them, to look at if a digest differs."""
    with reading(home, "loader", wait_seconds=30) as con:
        about = {str(key): str(what) for key, what in con.execute(_ABOUT, {"round": round_id}).fetchall()}
        found = con.execute(f"FROM live_{table} WHERE round_id = $round", {"round": round_id})
        names = [column[0] for column in found.description]
        return sorted(_line(dict(zip(names, row, strict=True)), about) for row in found.fetchall())


def check_master(name: str, home: Home, round_id: str, *, spoilt: bool = False) -> None:
    """Fail if a round is not what its master says; with --write-masters, write the master instead.

    Where replies were spoilt, more answers than those of the master are kept.
    """
    path = FOLDER / f"{name}.json"
    found = master_of(home, round_id)
    if writes and not spoilt:
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    expected = json.loads(path.read_text(encoding="utf-8"))
    how = f"if results are meant to change, give the test again with --write-masters ({round_id} in {home.root})"
    if spoilt:
        more, least = found["counts"].pop("answers"), expected["counts"].pop("answers")
        assert all(more[stage] >= answers for stage, answers in least.items()), how
    assert found["counts"] == expected["counts"], how
    assert found == expected, how


def _line(row: dict[str, Any], about: dict[str, str]) -> str:
    kept = {name: _rounded(value) for name, value in row.items() if name not in _OF_ONE_RUN}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False, default=str)
    while (named := _ID.sub(lambda found: about.get(found[0], found[0]), text)) != text:
        text = named
    return text


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value

"""The gate of the human audit, which is checked before a round is released."""

from typing import Any, Final

from demur.configuration.gates import AuditBounds
from demur.errors import StageStopped
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

UNAUDITED: Final = "unaudited"
AUDITED: Final = "audited"


def audit_state(con: Connection, round_id: str, bounds: AuditBounds | None) -> dict[str, Any]:
    """Return the state of a round's audit: `state` (audited or unaudited) and `why`.

    If people have read items, the state also has the number of readers and items, the pass rate with its interval, and
    kappa.

    A round is audited if the number of readers and their agreement meet the bounds. Without bounds, one reader is
    enough.

    Raises:
        StageStopped: even the upper end of the pass rate's 95 % interval is below `min_pass`.
    """
    row = next(records(con, "audit_state", [round_id]), None)
    if row is None:
        return {"state": UNAUDITED, "why": "nobody has read its items"}
    found = {name: row[name] for name in ("readers", "items", "pass_rate", "low", "high", "kappa")}
    if bounds is None:
        return {"state": AUDITED, "why": "people read some of its items; no bounds were set (gates.audit)", **found}
    if row["readers"] < bounds.readers:
        why = f"{row['readers']} of the {bounds.readers} readers of gates.audit.readers have read its items"
        return {"state": UNAUDITED, "why": why, **found}
    if row["high"] < bounds.min_pass:
        raise StageStopped(
            f"release: gates.audit.min_pass {bounds.min_pass:g} is not met: {row['pass_rate']:.1%} of the "
            f"{row['items']} items that were read pass (95 % interval up to {row['high']:.1%}), so nothing is frozen. "
            f"`demur sql \"SELECT * FROM audit_pass_rates WHERE round_id = '{round_id}'\"` shows where; make the items "
            "anew, or lower the bound, and give the same command again"
        )
    if bounds.min_kappa is not None:
        if not row["pairs"] or not row["agreed"] and row["kappa"] is None:
            return {"state": UNAUDITED, "why": "no two readers have a kappa (gates.audit.min_kappa)", **found}
        if row["kappa"] is not None and row["kappa"] < bounds.min_kappa:
            least = f"gates.audit.min_kappa {bounds.min_kappa:g}"
            why = f"two readers agree with a kappa of {row['kappa']:.2f}, below {least}"
            return {"state": UNAUDITED, "why": why, **found}
    return {"state": AUDITED, "why": "gates.audit is met", **found}

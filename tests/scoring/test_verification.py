from typing import Any

import pandas as pd
import pytest

from demur.scoring import ScoringError
from demur.scoring.intervals import Row
from demur.scoring.verifier_agreement import match_cells, short_circuit, verify


def verdicts_of(passed: dict[tuple[str, str], list[bool | None]], classes: list[str] | None = None) -> pd.DataFrame:
    """One cell per position of the lists: source s<position>, verdicts by (generator, verifier)."""
    return pd.DataFrame(
        [
            {
                "perturbation_id": f"{generator}-{at}",
                "source_id": f"s{at}",
                "class": classes[at] if classes else "P-Ambiguity",
                "intensity": "LOW",
                "generator": generator,
                "verifier": verifier,
                "passed": verdict,
            }
            for (generator, verifier), verdicts in passed.items()
            for at, verdict in enumerate(verdicts)
        ]
    )


def rate(
    rows: dict[str, list[Row]], statistic: str, generator: str | None = None, verifier: str | None = None
) -> dict[str, Any]:
    """The one overall rate of this name."""
    wanted = (statistic, generator, verifier, "overall")
    [found] = [
        r for r in rows["verification_rates"] if (r["statistic"], r["generator"], r["verifier"], r["slice"]) == wanted
    ]
    return found


FULL = verdicts_of(
    {
        ("g1", "g1"): [True, True, True, True],
        ("g1", "g2"): [True, False, False, True],
        ("g2", "g1"): [True, True, False, False],
        ("g2", "g2"): [True, True, True, False],
    },
    ["P-Ambiguity", "P-Ambiguity", "P-MissingInfo", "P-MissingInfo"],
)


def test_rates_hand_made_matrix_match() -> None:
    report = verify(match_cells(FULL), replicates=100, seed=1)
    wanted = {
        ("pass_rate", "g1", "g1"): 1.0,
        ("pass_rate", "g1", "g2"): 0.5,
        ("pass_rate", "g2", "g1"): 0.5,
        ("pass_rate", "g2", "g2"): 0.75,
        ("pass_rate", None, "g1"): 0.75,
        ("pass_rate", "g1", None): 0.75,
        ("pass_rate", None, None): 11 / 16,
        ("self_rate", "g1", "g1"): 1.0,
        ("cross_rate", "g1", None): 0.5,
        ("bias", "g1", None): 0.5,
        ("bias", "g2", None): 0.25,
        ("unanimous_rate", "g1", None): 0.5,
        ("unanimous_rate", None, None): 0.5,
    }
    assert {key: rate(report, *key)["value"] for key in wanted} == wanted


def test_cell_without_a_verdict_is_not_matched_for_anybody() -> None:
    gapped = FULL.copy()
    gapped["passed"] = gapped["passed"].astype(object)
    gapped.loc[0, "passed"] = None
    matched = match_cells(gapped)
    assert (matched.cells, matched.cells_seen) == (3, 4)
    assert rate(verify(matched, replicates=10, seed=1), "pass_rate", "g2", "g2")["value"] == pytest.approx(2 / 3)


def test_generator_that_is_no_verifier_has_no_bias() -> None:
    report = verify(match_cells(FULL[FULL["verifier"] == "g2"]), replicates=10, seed=1)
    bias = rate(report, "bias", "g1")
    assert bias["value"] is None
    assert bias["reason"] == "g1 is not among the verifiers"
    assert rate(report, "cross_rate", "g1")["value"] == 0.5
    assert rate(report, "bias", "g2")["reason"] == "no verifier other than g2"


def test_repeated_verdict_is_refused() -> None:
    with pytest.raises(ScoringError, match="g1-0 has two verdicts of g1"):
        match_cells(pd.concat([FULL, FULL.head(1)]))


def test_short_circuit_asks_the_strictest_first_and_the_others_about_what_passes() -> None:
    assert short_circuit(match_cells(FULL)) == {"g2": 1.0, "g1": 5 / 8}
    swapped = FULL.assign(verifier=FULL["verifier"].map({"g1": "g2", "g2": "g1"}))
    assert short_circuit(match_cells(swapped)) == {"g1": 1.0, "g2": 5 / 8}

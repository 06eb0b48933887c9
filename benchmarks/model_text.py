"""What code checks and fitting say of real replies of a language model, beside what a reader says of them.

    python benchmarks/model_text.py FOLDER [--home HOME ...]

`readings.jsonl` in that folder holds perturbations that a language model made of real questions, each with a reader's
blind judgement; `GeneratePerturbation.jsonl` the requests and replies, declined ones among them. `--home` adds the
declined requests of rounds in which levers were assigned. Printed are counts, names of levers and checks: no text of
either.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from demur_process import machine, show

from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation, Stratum
from demur.levers.lever_models import Lever
from demur.programs.checks.run import check, failures
from demur.programs.lever_needs import unmet
from demur.programs.perturbation import verifying
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.rules.roles.verify import NAME, reply
from demur.warehouse.connection import reading
from demur.warehouse.home import Home

Row = dict[str, Any]
CRITERIA: Final = ("fidelity", "intensity", "uncertainty", "language", "alignment")
RETARGETED: Final = {
    "granularity.long-range-trend-extrapolation",
    "granularity.part-of-part-detail",
    "granularity.single-instance-to-universal-rule",
    "granularity.micro-to-macro-proportion",
    "granularity.individual-actions-vs-collective-goal",
}
"""Levers that let passages change when the replies were recorded, and change the question alone now."""


@dataclass(frozen=True, slots=True)
class Read:
    """A read perturbation: documents, the reader's verdict, failed checks, unmet needs of the base instance.

    `retargeted` where its request let passages change and its lever does not any more: checks reject it for that alone.
    """

    layout: str
    lever: Lever
    passes: bool
    accepted: bool
    wrong: tuple[str, ...]
    failed: tuple[str, ...]
    unmet: tuple[str, ...]
    retargeted: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a generator to pull one lever."""

    declined: bool
    fits: bool


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def base_of(row: Row) -> BaseInstance:
    """Return the base instance of a reading or of a generator's inputs."""
    passages = tuple(Passage(index=p["index"], text=p["text"], relevant=p["relevant"]) for p in row["passages"])
    return BaseInstance(question=row["question"], answers=tuple(row["answers"]), passages=passages)


def read(rows: list[Row], catalogue: Catalogue) -> Iterator[Read]:
    """Yield what the checks and fitting say of every perturbation that was read."""
    for row in rows:
        base, lever = base_of(row), catalogue.lever(row["lever_id"])
        made = Perturbation(
            question=row["perturbed_question"],
            changed=tuple(ChangedPassage(index=c["index"], text=c["text"]) for c in row["changed"]),
            lever=lever.name,
        )
        results = check(base, made, lever, Stratum(lever_class=lever.lever_class, intensity=lever.intensity))
        failed = tuple(result.name.value for result in failures(results))
        lacking = tuple(need.value for need in unmet(base, lever))
        marks = row["reading"]
        wrong = tuple(name for name in CRITERIA if marks[name] == 0)
        retargeted = failed == ("target_only",) and lever.id in RETARGETED
        asked = verifying(base, made, stratum_brief(lever.lever_class, lever.intensity), lever)
        accepted = reply(NAME, "", asked, 0, catalogue)["overall"] == "PASS"
        yield Read(row["layout"], lever, marks["overall"] == 1, accepted, wrong, failed, lacking, retargeted)


def tell_checks(found: list[Read]) -> None:
    """Print how many perturbations the checks reject and how many do not fit, by what the reader says."""
    table = []
    for layout in sorted({one.layout for one in found}):
        for passes in (True, False):
            of = [one for one in found if (one.layout, one.passes) == (layout, passes)]
            names = Counter(name for one in of for name in one.failed)
            said = ", ".join(f"{name} {count}" for name, count in names.items()) or "-"
            rejected, unfit = sum(bool(one.failed) for one in of), sum(bool(one.unmet) for one in of)
            other = sum(one.retargeted for one in of)
            table.append([layout, "passes" if passes else "fails", len(of), rejected, said, other, unfit])
    columns = ["documents", "reader", "read", "rejected by checks", "which", "asked of another target", "unfit"]
    show("Perturbations that were read", columns, table)
    seen = [
        [one.lever.id, one.layout, ", ".join(one.wrong), ", ".join(one.failed) or "-", ", ".join(one.unmet) or "-"]
        for one in sorted((one for one in found if not one.passes), key=lambda one: (not one.unmet, one.lever.id))
    ]
    show(
        "What the reader fails, and what sees it",
        ["lever", "documents", "reader fails", "check", "not asked any more: the base instance lacks"],
        seen,
    )


def tell_verifiers(found: list[Read]) -> None:
    """Print what the rules verifier rejects of what the reader passes, and accepts of what the reader fails."""
    passing, failing = ([one for one in found if one.passes is passes] for passes in (True, False))
    rejected = sum(not one.accepted for one in passing)
    accepted = sum(one.accepted for one in failing)
    show(
        "Rules verifier",
        ["rejects of what the reader passes", "accepts of what the reader fails"],
        [[f"{rejected} of {len(passing)}", f"{accepted} of {len(failing)}"]],
    )


def recorded(rows: list[Row], catalogue: Catalogue) -> Iterator[Asked]:
    """Yield the recorded requests."""
    for row in rows:
        [offered] = row["inputs"]["levers"]
        lever = catalogue.named(offered["name"])
        assert lever is not None, f"{offered['name']} is no lever of the catalogue"
        declined = bool(json.loads(row["reply"]).get("declined"))
        yield Asked(declined, not unmet(base_of(row["inputs"]), lever))


def of_rounds(home: Path, catalogue: Catalogue) -> Iterator[Asked]:
    """Yield the requests of all rounds of a home."""
    with reading(Home(home), "loader") as con:
        query = (
            "SELECT status = 'declined' AS declined, assigned_lever_id AS lever, question, answers, passages "
            "FROM (SELECT * EXCLUDE question FROM live_perturbations) JOIN round_bases USING (round_id, base_id) "
            "WHERE assigned_lever_id IS NOT NULL"
        )
        for row in con.sql(query).to_arrow_table().to_pylist():
            yield Asked(row["declined"], not unmet(base_of(row), catalogue.lever(row["lever"])))


def tell_declined(of: str, asked: Iterable[Asked]) -> None:
    """Print how many of the requests were declined, and how many of those that fit."""
    counts = Counter((one.declined, one.fits) for one in asked)
    total, declined = counts.total(), counts[True, True] + counts[True, False]
    fit = counts[True, True] + counts[False, True]
    lines = [
        ["requests, one lever each", total],
        ["declined", f"{declined} ({declined / total:.1%})"],
        ["declined, of levers that do not fit", counts[True, False]],
        ["requests of levers that fit", fit],
        ["declined among them", f"{counts[True, True]} ({counts[True, True] / fit:.1%})"],
        ["done although the lever does not fit", counts[False, False]],
    ]
    show(f"Declined: {of}", ["what", "value"], lines)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    folder, catalogue = given.folder, load_catalogue()
    print(machine())
    for home in given.home:
        tell_declined(home.name, of_rounds(home, catalogue))
    found = list(read(rows_of(folder / "readings.jsonl"), catalogue))
    tell_checks(found)
    tell_verifiers(found)
    tell_declined("recorded replies", recorded(rows_of(folder / "GeneratePerturbation.jsonl"), catalogue))


if __name__ == "__main__":
    main()

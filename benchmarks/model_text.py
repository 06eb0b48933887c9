"""What code checks and fitting say of real replies of a language model, beside what a reader says of them.

    python benchmarks/model_text.py FOLDER

`readings.jsonl` in that folder holds perturbations that a language model made of real questions, each with a reader's
blind judgement; `GeneratePerturbation.jsonl` the requests and replies, declined ones among them. Printed are counts,
names of levers and checks: no text of either.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur_process import machine, show

from demur.levers.catalogue import Catalogue
from demur.levers.load import load_catalogue
from demur.levers.models import Lever
from demur.programs.checks import check, failures
from demur.programs.instances import BaseInstance, ChangedPassage, Passage, Perturbation, Stratum
from demur.programs.lever_needs import unmet

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """A perturbation that was read: documents, what the reader says, which checks it fails, what the base lacks."""

    layout: str
    lever: Lever
    passes: bool
    failed: tuple[str, ...]
    unmet: tuple[str, ...]


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
        yield Read(row["layout"], lever, row["reading"]["overall"] == 1, failed, lacking)


def tell_checks(found: list[Read]) -> None:
    """Print how many perturbations the checks reject and how many do not fit, by what the reader says."""
    table = []
    for layout in sorted({one.layout for one in found}):
        for passes in (True, False):
            of = [one for one in found if (one.layout, one.passes) == (layout, passes)]
            names = Counter(name for one in of for name in one.failed)
            said = ", ".join(f"{name} {count}" for name, count in names.items()) or "-"
            rejected, unfit = sum(bool(one.failed) for one in of), sum(bool(one.unmet) for one in of)
            table.append([layout, "passes" if passes else "fails", len(of), rejected, said, unfit])
    show("Perturbations that were read", ["documents", "reader", "read", "rejected by checks", "which", "unfit"], table)
    seen = [[one.lever.id, *one.unmet] for one in found if not one.passes and one.unmet]
    show("Of those that the reader fails, not offered any more", ["lever", "the base instance does not have"], seen)


def tell_declined(rows: list[Row], catalogue: Catalogue) -> None:
    """Print how many of the recorded requests were declined, and how many of those that fit."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for row in rows:
        [offered] = row["inputs"]["levers"]
        lever = catalogue.named(offered["name"])
        assert lever is not None, f"{offered['name']} is no lever of the catalogue"
        declined = bool(json.loads(row["reply"]).get("declined"))
        counts[declined, not unmet(base_of(row["inputs"]), lever)] += 1
    asked, declined = sum(counts.values()), counts[True, True] + counts[True, False]
    fit = counts[True, True] + counts[False, True]
    lines = [
        ["requests recorded, one lever each", asked],
        ["declined", f"{declined} ({declined / asked:.1%})"],
        ["declined, of levers that do not fit", counts[True, False]],
        ["requests of levers that fit", fit],
        ["declined among them", f"{counts[True, True]} ({counts[True, True] / fit:.1%})"],
        ["done although the lever does not fit", counts[False, False]],
    ]
    show("Declined", ["what", "value"], lines)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    print(machine())
    catalogue = load_catalogue()
    tell_checks(list(read(rows_of(folder / "readings.jsonl"), catalogue)))
    tell_declined(rows_of(folder / "GeneratePerturbation.jsonl"), catalogue)


if __name__ == "__main__":
    main()

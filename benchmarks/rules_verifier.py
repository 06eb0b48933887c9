"""Compare the rules verifier with readers: its rejections among failed items, and among passed items.

    python benchmarks/rules_verifier.py READINGS.jsonl ...

A line of READINGS is an item of a release with what its readers said (`readings`: `overall` 1 or 0 each).
"""

import argparse
import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

from demur_process import machine, show

from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.programs.perturbation import verifying
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.rules.roles.verify import NAME, reply

Row = dict[str, Any]


def field(row: Row, name: str) -> Any:
    """Return a field that may be a list or its text."""
    value = row[name]
    return ast.literal_eval(value) if isinstance(value, str) and value[:1] == "[" else value


def rejected(row: Row, catalogue: Catalogue) -> bool | None:
    """Return whether the verifier fails an item; None where the catalogue has its lever no more."""
    lever = next((lever for lever in catalogue if lever.id == row["lever_id"]), None)
    if lever is None:
        return None
    before, after, signal = (field(row, n) for n in ("original_grounding", "grounding", "signal_indices"))
    passages = tuple(Passage(index=i, text=text, relevant=i in signal) for i, text in enumerate(before))
    answers = tuple(field(row, "original_answers"))
    base = BaseInstance(question=row["original_query"], answers=answers, passages=passages)
    changed = tuple(ChangedPassage(index=i, text=text) for i, text in enumerate(after) if text != before[i])
    made = Perturbation(question=row["perturbed_query"], changed=changed, lever=lever.name)
    asked = verifying(base, made, stratum_brief(lever.lever_class, lever.intensity), lever)
    return bool(reply(NAME, "", asked, 0, catalogue)["overall"] == "FAIL")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readings", type=Path, nargs="+")
    a = parser.parse_args()
    print(machine())
    catalogue = load_catalogue()
    items: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for row in (json.loads(line) for path in a.readings for line in path.read_text(encoding="utf-8").splitlines()):
        found = rejected(row, catalogue)
        said = {bool(reading["overall"]) for reading in field(row, "readings")}
        readers = "readers differ" if len(said) > 1 else "all readers pass" if said == {True} else "all readers fail"
        items[readers] += found is not None
        failed[readers] += found is True
    table: list[list[object]] = [[readers, count, failed[readers]] for readers, count in sorted(items.items())]
    show("Items that were read", ["readers", "items", "rejected by the rules verifier"], table)


if __name__ == "__main__":
    main()

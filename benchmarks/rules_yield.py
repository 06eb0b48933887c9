"""How often rules generators yield a candidate, by stratum, and how fast; without Prefect, on one core.

    python benchmarks/rules_yield.py [CORPUS ...] [--format demur] [--bases N] [--seed 20261120]

Without a corpus: both development sets of ../shared/data where present, else the embedded corpora. A cell is a base
instance in a stratum. It counts where one of the two generators (terse, elaborate), offered all levers of the stratum
as a round offers them, yields a candidate that fails no code check; "decided" counts only those on which no check is
undecidable either. Time is CPU time of generation and checks, every base analysed once for all that is asked of it;
loading of catalogue and word lists is shown apart. Peak memory is read after each quarter of the bases: what grows
with their number would show there.
"""

import argparse
import resource
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from demur_process import ROOT, machine, show

from flows.corpus import CorpusFormat, OnBadRow, read_corpus
from flows.round_config import SHIPPED
from levers.catalogue import Catalogue
from levers.load import load_catalogue
from levers.models import Lever
from levers.vocabulary import STRATA
from programs.checks import Outcome, example_as_instance
from programs.instances import BaseInstance, Stratum
from programs.rules.edits.style import Style
from programs.rules.generator import Drawn, draw

REAL = tuple(ROOT.parent / "shared" / "data" / name for name in ("single_doc_dev.jsonl", "multi_doc_dev.jsonl"))
EMBEDDED = tuple(SHIPPED.parent / "corpora" / name for name in ("single.jsonl", "multi.jsonl"))
QUARTERS = 4


@dataclass(slots=True)
class Cells:
    """What one stratum gave: cells by kind, and how often each lever was pulled."""

    bases: int = 0
    yielding: int = 0
    decided: int = 0
    pulled: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, drawn: Sequence[Drawn]) -> None:
        """Count one cell with what the generators drew in it."""
        self.bases += 1
        self.yielding += bool(drawn)
        self.decided += any(all(r.outcome is not Outcome.UNDECIDABLE for r in one.checks) for one in drawn)
        for one in drawn:
            self.pulled[one.lever.id] += 1


@dataclass(slots=True)
class Effort:
    """What it took: candidates drawn, times a generator was asked, CPU seconds, peak memory after each quarter."""

    drawn: int = 0
    asked: int = 0
    seconds: float = 0.0
    peaks: list[tuple[int, float]] = field(default_factory=list)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def warm_up(catalogue: Catalogue) -> float:
    """Load word lists by drawing on the levers' own examples, and return the CPU seconds that took."""
    began = time.process_time()
    for lever_class, intensity in STRATA:
        stratum = Stratum(lever_class=lever_class, intensity=intensity)
        for lever in catalogue.stratum(lever_class, intensity):
            base, _ = example_as_instance(lever.examples[0], lever)
            draw(base, stratum, [lever], Style.TERSE, 0)
    return time.process_time() - began


def measure(bases: Sequence[BaseInstance], catalogue: Catalogue, seed: int) -> tuple[dict[Stratum, Cells], Effort]:
    """Ask both generators for every cell of the bases."""
    strata = [Stratum(lever_class=lever_class, intensity=intensity) for lever_class, intensity in STRATA]
    levers = {stratum: catalogue.stratum(stratum.lever_class, stratum.intensity) for stratum in strata}
    cells = {stratum: Cells() for stratum in strata}
    effort = Effort()
    for number, base in enumerate(bases, start=1):
        began = time.process_time()
        for stratum in strata:
            outcomes = [draw(base, stratum, levers[stratum], style, seed) for style in Style]
            drawn = [outcome for outcome in outcomes if isinstance(outcome, Drawn)]
            cells[stratum].add(drawn)
            effort.asked += len(outcomes)
            effort.drawn += len(drawn)
        effort.seconds += time.process_time() - began
        if number * QUARTERS % len(bases) < QUARTERS:
            effort.peaks.append((number, peak_mb()))
    return cells, effort


def read_bases(path: Path, corpus_format: CorpusFormat, most: int | None) -> list[BaseInstance]:
    """Return the first bases of a corpus; faulty rows are left out, and said."""
    rows = read_corpus(path, corpus_format, on_bad_row=OnBadRow.SKIP)
    bases = [row.base_instance() for row in islice(rows, most)]
    for message in rows.report.messages:
        print(f"left out: {message}")
    return bases


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "none asked"


def tell(of: str, cells: dict[Stratum, Cells], effort: Effort, catalogue: Catalogue, loading: float) -> None:
    """Print the tables of one corpus."""

    def line(name: str, intensity: str, several: Sequence[Cells], levers: Sequence[Lever]) -> list[object]:
        asked = sum(one.bases for one in several)
        return [
            name,
            intensity,
            share(sum(one.yielding for one in several), asked),
            share(sum(one.decided for one in several), asked),
            f"{sum(len(one.pulled) for one in several)} of {sum(lever.recipe is not None for lever in levers)}",
        ]

    rows = [
        line(stratum.lever_class, stratum.intensity, [one], catalogue.stratum(stratum.lever_class, stratum.intensity))
        for stratum, one in cells.items()
    ]
    every = [lever for stratum in cells for lever in catalogue.stratum(stratum.lever_class, stratum.intensity)]
    rows.append(line("all", "", list(cells.values()), every))
    columns = ["class", "intensity", "yield", "yield, decided", "levers pulled, of those with a recipe"]
    show(f"Yield of the rules generators: {of}", columns, rows)
    lowest = min(one.yielding / one.bases for one in cells.values())
    print(f"\nlowest stratum {lowest:.2f}")
    values: list[list[object]] = [
        ["candidates per second of CPU", f"{effort.drawn / effort.seconds:.0f}"],
        ["requests per second of CPU, declined ones included", f"{effort.asked / effort.seconds:.0f}"],
        ["CPU, s", f"{effort.seconds:.1f}"],
        ["loading catalogue and word lists, s of CPU", f"{loading:.1f}"],
    ]
    values += [[f"peak memory after {number} bases, MB", f"{peak:.0f}"] for number, peak in effort.peaks]
    show(f"Speed and memory: {of}", ["what", "value"], values)


def corpora(named: Sequence[Path]) -> Iterator[Path]:
    """Yield the corpora to measure, saying which are not there."""
    missing = [path for path in named or REAL if not path.is_file()]
    for path in missing:
        print(f"{path.name}: skipped, {path.parent.name}/ has no such file")
    found = [path for path in named or REAL if path.is_file()]
    yield from found or (() if named else EMBEDDED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="*")
    parser.add_argument("--format", choices=list(CorpusFormat), default=CorpusFormat.DEMUR, type=CorpusFormat)
    parser.add_argument("--bases", type=int, help="only the first so many")
    parser.add_argument("--seed", type=int, default=20261120)
    a = parser.parse_args()
    print(machine())
    began = time.process_time()
    catalogue = load_catalogue()
    loading = time.process_time() - began + warm_up(catalogue)
    for path in corpora(a.corpus):
        bases = read_bases(path, a.format, a.bases)
        cells, effort = measure(bases, catalogue, a.seed)
        tell(f"{path.name}, {len(bases)} bases", cells, effort, catalogue, loading)


if __name__ == "__main__":
    main()

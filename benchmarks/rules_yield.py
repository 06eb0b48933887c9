"""How often rules generators yield a candidate, by stratum, and how fast; without Prefect, on one core.

    python benchmarks/rules_yield.py [CORPUS ...] [--format demur] [--bases N] [--passes 4] [--seed 20261120]

Without a corpus: the embedded ones. A cell is a base instance in a stratum. It counts where one of the two generators
(terse, elaborate), offered all levers of the stratum that have a recipe, yields a candidate that fails no code
check. Time is CPU time of generation and checks,
every base analysed once for all that is asked of it; loading of catalogue and word lists is shown apart. Peak memory is
read after the corpus and after further passes over it, in which every passage ends in other words and so is a new one:
what grows with the number of bases shows there.
"""

import argparse
import resource
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from demur_process import machine, show

from demur.configuration.round_config import SHIPPED
from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.corpora.corpus_rows import OnBadRow
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, Passage, Stratum
from demur.levers.lever_models import Lever, Style
from demur.levers.vocabulary import STRATA
from demur.programs.checks.run import example_as_instance
from demur.rules.rivals import Corpus
from demur.rules.roles.generate import Drawn, draw

EMBEDDED = tuple(SHIPPED.parent / "corpora" / name for name in ("single.jsonl", "multi.jsonl"))


@dataclass(slots=True)
class Cells:
    """What one stratum gave: cells by kind, and how often each lever was pulled."""

    bases: int = 0
    yielding: int = 0
    pulled: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, drawn: Sequence[Drawn]) -> None:
        """Count one cell with what the generators drew in it."""
        self.bases += 1
        self.yielding += bool(drawn)
        for one in drawn:
            self.pulled[one.lever.id] += 1


@dataclass(slots=True)
class Effort:
    """What it took: candidates drawn, times a generator was asked, CPU seconds."""

    drawn: int = 0
    asked: int = 0
    seconds: float = 0.0


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
    levers = {s: [v for v in catalogue.stratum(s.lever_class, s.intensity) if v.recipe] for s in strata}
    cells = {stratum: Cells() for stratum in strata}
    effort, corpus = Effort(), Corpus.of(bases)
    began = time.process_time()
    for base in bases:
        for stratum in strata:
            outcomes = [draw(base, stratum, levers[stratum], style, seed, corpus) for style in Style]
            drawn = [outcome for outcome in outcomes if isinstance(outcome, Drawn)]
            cells[stratum].add(drawn)
            effort.asked += len(outcomes)
            effort.drawn += len(drawn)
    effort.seconds = time.process_time() - began
    return cells, effort


def renewed(base: BaseInstance, number: int) -> BaseInstance:
    """Return the base with other words at the end of every passage."""
    passages = tuple(
        Passage(index=p.index, text=f"{p.text} This is copy {number}.", relevant=p.relevant) for p in base.passages
    )
    return BaseInstance(question=base.question, answers=base.answers, passages=passages)


def read_bases(path: Path, corpus_format: CorpusFormat, most: int | None) -> list[BaseInstance]:
    """Return the first bases of a corpus; faulty rows are left out, and said."""
    rows = read_corpus(path, corpus_format, on_bad_row=OnBadRow.SKIP)
    bases = [row.base_instance() for row in islice(rows, most)]
    for message in rows.report.messages:
        print(f"left out: {message}")
    return bases


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "none asked"


def _most_pulled(several: Sequence[Cells]) -> str:
    pulled = [(times, lever) for one in several for lever, times in one.pulled.items()]
    most = max(pulled, default=(0, ""))
    return f"{most[1].partition('.')[2]} {most[0] / sum(times for times, _ in pulled):.2f}" if pulled else ""


def tell_yield(of: str, cells: dict[Stratum, Cells], catalogue: Catalogue) -> None:
    """Print the table of a corpus's cells."""

    def line(name: str, intensity: str, several: Sequence[Cells], levers: Sequence[Lever]) -> list[object]:
        asked = sum(one.bases for one in several)
        return [
            name,
            intensity,
            share(sum(one.yielding for one in several), asked),
            f"{sum(len(one.pulled) for one in several)} of {sum(lever.recipe is not None for lever in levers)}",
            _most_pulled(several),
        ]

    rows = [
        line(stratum.lever_class, stratum.intensity, [one], catalogue.stratum(stratum.lever_class, stratum.intensity))
        for stratum, one in cells.items()
    ]
    every = [lever for stratum in cells for lever in catalogue.stratum(stratum.lever_class, stratum.intensity)]
    rows.append(line("all", "", list(cells.values()), every))
    pulled = "levers pulled, of those with a recipe"
    columns = ["class", "intensity", "yield", pulled, "lever pulled most, its share"]
    show(f"Yield of the rules generators: {of}", columns, rows)
    lowest = min(one.yielding / one.bases for one in cells.values())
    print(f"\nlowest stratum {lowest:.2f}")


def tell_effort(of: str, effort: Effort, loading: float, peaks: Sequence[tuple[int, float]]) -> None:
    """Print the table of what it took; `peaks` are numbers of bases and peak memory after them."""
    values: list[list[object]] = [
        ["candidates per second of CPU", f"{effort.drawn / effort.seconds:.0f}"],
        ["requests per second of CPU, declined ones included", f"{effort.asked / effort.seconds:.0f}"],
        ["CPU, s", f"{effort.seconds:.1f}"],
        ["loading catalogue and word lists, s of CPU", f"{loading:.1f}"],
    ]
    values += [[f"peak memory after {number} bases, MB", f"{peak:.0f}"] for number, peak in peaks]
    show(f"Speed and memory: {of}", ["what", "value"], values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="*")
    parser.add_argument("--format", choices=list(CorpusFormat), default=CorpusFormat.DEMUR, type=CorpusFormat)
    parser.add_argument("--bases", type=int, help="only the first so many")
    parser.add_argument("--passes", type=int, default=4, help="passes over the corpus, for memory")
    parser.add_argument("--seed", type=int, default=20261120)
    a = parser.parse_args()
    print(machine())
    began = time.process_time()
    catalogue = load_catalogue()
    loading = time.process_time() - began + warm_up(catalogue)
    for path in a.corpus or EMBEDDED:
        bases = read_bases(path, a.format, a.bases)
        cells, effort = measure(bases, catalogue, a.seed)
        peaks = [(len(bases), peak_mb())]
        for number in range(2, a.passes + 1):
            measure([renewed(base, number) for base in bases], catalogue, a.seed)
            peaks.append((number * len(bases), peak_mb()))
        of = f"{path.name}, {len(bases)} bases"
        tell_yield(of, cells, catalogue)
        tell_effort(of, effort, loading, peaks)


if __name__ == "__main__":
    main()

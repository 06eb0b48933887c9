"""What the code checks catch of planted violations, and what they find wrong with good instances.

    python benchmarks/planted_violations.py [CORPUS ...] [--format demur] [--bases 100] [--seed 20261120]

Good instances are the worked examples of the catalogue and, per corpus, what the rules generators make of its base
instances; without a corpus, of the embedded ones. Each kind
of violation (tests/programs/checks/planted.py) is planted in every good instance that it can be planted in. Caught is
what the check meant for it fails.

False alarms are counted where nothing was planted: on the worked examples, and on drafts of recipes as they come,
before the checks hold back any (a draft that fails may be at fault itself, so this is a ceiling).
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from demur_process import ROOT, machine, show
from rules_yield import EMBEDDED, read_bases

sys.path.insert(0, str(ROOT))

from demur.corpora.corpus import CorpusFormat
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Style
from demur.levers.vocabulary import STRATA
from demur.programs.checks.changes import CheckName, Outcome
from demur.programs.checks.duplicates import Made, distinct, duplicate_key
from demur.programs.checks.run import check
from demur.rules.operators.registry import Draft, Pull, find_operator
from demur.rules.rivals import NO_CORPUS
from demur.rules.roles.generate import Drawn, as_perturbation, draw
from demur.text.analysis import analyse
from tests.programs.checks.good_instances import Good, good_instances
from tests.programs.checks.planted import PLANTED


def drawn(bases: Iterable[BaseInstance], catalogue: Catalogue, seed: int) -> Iterator[Good]:
    """Yield what a rules generator makes of every base instance in every stratum."""
    for base in bases:
        for lever_class, intensity in STRATA:
            stratum = Stratum(lever_class=lever_class, intensity=intensity)
            made = draw(base, stratum, catalogue.stratum(lever_class, intensity), Style.TERSE, seed)
            if isinstance(made, Drawn):
                yield Good(base, made.perturbation, made.lever)


def drafts(bases: Iterable[BaseInstance], catalogue: Catalogue, seed: int) -> Iterator[Good]:
    """Yield what every recipe makes of every base instance, unchecked."""
    for base in bases:
        analysis = analyse(base)
        for lever in catalogue:
            if lever.recipe is not None:
                made = find_operator(lever.recipe)(
                    Pull(analysis, lever, Style.TERSE, random.Random(f"{seed}|{lever.id}"), NO_CORPUS)
                )
                if isinstance(made, Draft):
                    yield Good(base, as_perturbation(made, base, lever), lever)


def results(good: Good, perturbation: Perturbation | None = None) -> dict[CheckName, Outcome]:
    """Return the outcome of every check."""
    return {
        result.name: result.outcome
        for result in check(good.base, perturbation or good.perturbation, good.lever, good.stratum)
    }


def tell_caught(of: str, several: Sequence[Good]) -> None:
    """Print how much of each kind of planted violation is caught."""
    rows: list[list[object]] = []
    for planted, name, mutate in PLANTED:
        outcomes = Counter(results(good, mutant)[name] for good in several for mutant in mutate(good))
        rows.append(line(name, planted, outcomes))
    rows.append(line(CheckName.NO_DUPLICATE, "made twice", Counter(again(good) for good in several)))
    show(
        f"Planted violations: {of}, {len(several)} good instances",
        ["check", "planted", "times", "caught", "share"],
        rows,
    )


def line(name: CheckName, planted: str, outcomes: Counter[Outcome]) -> list[object]:
    total, caught = sum(outcomes.values()), outcomes[Outcome.FAIL]
    return [name.value, planted, total, caught, f"{caught / total:.3f}" if total else "none planted"]


def again(good: Good) -> Outcome:
    """Return what the check for duplicates says of the same perturbation with another spacing and case."""
    shouted = good.perturbation.model_copy(
        update={
            "question": f"{good.perturbation.question.upper()} ",
            "changed": tuple(ChangedPassage(index=c.index, text=f" {c.text}") for c in good.perturbation.changed),
        }
    )
    made = [
        Made(name, one, duplicate_key(good.base, one), None) for name, one in (("a", good.perturbation), ("b", shouted))
    ]
    return {one.perturbation_id: result.outcome for one, result in distinct(good.base, made)}["b"]


def tell_alarms(of: str, several: Iterable[Good]) -> None:
    """Print how often each check fails where nothing was planted."""
    outcomes: dict[CheckName, Counter[Outcome]] = defaultdict(Counter)
    for good in several:
        for name, outcome in results(good).items():
            outcomes[name][outcome] += 1
    rows = [
        [name.value, sum(found.values()), found[Outcome.FAIL], f"{found[Outcome.FAIL] / sum(found.values()):.4f}"]
        for name, found in sorted(outcomes.items(), key=lambda item: list(CheckName).index(item[0]))
    ]  # fmt: skip
    show(f"Nothing planted: {of}", ["check", "instances", "fails", "share"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="*")
    parser.add_argument("--format", choices=list(CorpusFormat), default=CorpusFormat.DEMUR, type=CorpusFormat)
    parser.add_argument("--bases", type=int, default=100, help="only the first so many")
    parser.add_argument("--seed", type=int, default=20261120)
    a = parser.parse_args()
    print(machine())
    catalogue = load_catalogue()
    tell_caught("worked examples", good_instances())
    tell_alarms("worked examples", good_instances())
    for path in a.corpus or EMBEDDED:
        bases = read_bases(path, a.format, a.bases)
        of = f"{path.name}, {len(bases)} bases"
        made = list(drawn(bases, catalogue, a.seed))
        tell_caught(of, made)
        tell_alarms(f"drafts on {of}", drafts(bases, catalogue, a.seed))


if __name__ == "__main__":
    main()

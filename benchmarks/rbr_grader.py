"""How well propositions are graded on gold labels: the trained grader, by 5-fold cross-validation, beside the patterns.

    python benchmarks/rbr_grader.py GOLD [--splits 10]

GOLD is a file of gold rows, as `demur rbr train-grader` takes it. Folds are of prompts. The first split is the one that
`demur rbr train-grader` shows; the others say how much the figures owe to it. Patterns are not fitted here, but they
were written with these rows at hand: their own figures are in-sample, and the trained grader, which reads what they
find, profits from that as well. No text of a row is shown.
"""

import argparse
from pathlib import Path

import numpy as np

from demur.levers.policies import load_policy
from demur.rewards.gold import (
    SEED,
    accuracy_of,
    by_patterns,
    cross_validated,
    cross_validated_by_category,
    likely_classes,
    read_gold,
)
from demur.scoring.reward_fitting.propositions import EACH_WAY, Measured

ELSEWHERE = 0.61
"""Share of the commonest classes in another split, on whose rows class accuracy was .66."""


def shown(measured: Measured) -> str:
    if measured.value is None:
        return "none"
    return f"{measured.value:.3f} ({measured.low:.3f} to {measured.high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--splits", type=int, default=10)
    a = parser.parse_args()
    gold = read_gold(a.gold, load_policy("safety"))
    trained, patterns = accuracy_of(gold, cross_validated(gold)), accuracy_of(gold, by_patterns(gold))
    print("| proposition | true in | balanced accuracy, trained | F1, trained | balanced accuracy, patterns | F1 |")
    print("|" + " --- |" * 6)
    for name, each in trained.overall.propositions.items():
        other = patterns.overall.propositions[name]
        counted = " *" if min(each.positives, each.n - each.positives) >= EACH_WAY else ""
        cells = (each.balanced_accuracy, each.f1, other.balanced_accuracy, other.f1)
        print(f"| {name}{counted} | {each.positives} | " + " | ".join(map(shown, cells)) + " |")
    print(f"\n\\* counts in the macro average: at least {EACH_WAY} rows of either truth\n")
    print("| behaviour | rows | class accuracy, trained | class accuracy, patterns |")
    print("|" + " --- |" * 4)
    for name in ("all", *trained.by_behaviour):
        ours = trained.overall if name == "all" else trained.by_behaviour[name]
        theirs = patterns.overall if name == "all" else patterns.by_behaviour[name]
        print(f"| {name} | {ours.rows} | {shown(ours.class_accuracy)} | {shown(theirs.class_accuracy)} |")
    print(f"\nalways naming each behaviour's commonest class: {commonest_class_accuracy(gold):.3f}")
    print(f"macro balanced accuracy: trained {trained.overall.macro:.3f}, patterns {patterns.overall.macro:.3f}")
    graded = cross_validated(gold)
    print(f"with a commonest share of {ELSEWHERE:g}, over prompts: {reweighted(gold, graded.probabilities):.3f}")
    with_truth(gold, graded.probabilities)
    left_out = cross_validated_by_category(gold)
    if left_out is not None:
        print(f"with a commonest share of {ELSEWHERE:g}, by category: {reweighted(gold, left_out.probabilities):.3f}")
        by_category(accuracy_of(gold, left_out).overall, trained.overall)
    repeat(gold, a.splits)


def reweighted(gold, probabilities) -> float:
    """Class accuracy where each behaviour's commonest class has the share of ELSEWHERE, of all rows together."""
    right = np.array(likely_classes(gold, probabilities)) == np.array(gold.classes)
    named = list(zip((row.behaviour for row in gold.rows), gold.classes, strict=True))
    commonest = {behaviour: max(set(found), key=found.count) for behaviour, found in by_behaviour(named).items()}
    is_commonest = np.array([commonest[behaviour] == name for behaviour, name in named])
    return ELSEWHERE * right[is_commonest].mean() + (1 - ELSEWHERE) * right[~is_commonest].mean()


def commonest_class_accuracy(gold) -> float:
    """The class accuracy of always naming each behaviour's commonest class."""
    named = zip((row.behaviour for row in gold.rows), gold.classes, strict=True)
    return sum(max(map(found.count, set(found))) for found in by_behaviour(named).values()) / len(gold.rows)


def with_truth(gold, probabilities) -> None:
    """Print the class accuracy that graders would have to whom some propositions were known."""
    print("\n| propositions known | class accuracy | with that commonest share |")
    print("|" + " --- |" * 3)
    first = ("disallowed_content", "illogical_continuation")
    others = tuple(name for name in gold.propositions if name not in first)
    for known in ((), first[:1], first[1:], first, others, gold.propositions):
        columns = [gold.propositions.index(name) for name in known]
        found = probabilities.copy()
        found[:, columns] = gold.truth[:, columns]
        right = np.mean(np.array(likely_classes(gold, found)) == np.array(gold.classes))
        name = "all" if known == gold.propositions else "all but these two" if known == others else ", ".join(known)
        print(f"| {name or 'none'} | {right:.3f} | {reweighted(gold, found):.3f} |")
    print()


def by_behaviour(named) -> dict[str, list[str]]:
    """The classes of each behaviour's rows."""
    found: dict[str, list[str]] = {}
    for behaviour, name in named:
        found.setdefault(behaviour, []).append(name)
    return found


def by_category(elsewhere, trained) -> None:
    """Print what graders say of a category of which they saw no row, beside the folds of prompts."""
    print(f"\nwithout rows of its category: class accuracy {shown(elsewhere.class_accuracy)}")
    print(f"macro balanced accuracy without rows of its category: {elsewhere.macro:.3f}\n")
    print("| class | rows | recall, over prompts | recall, without its category |")
    print("|" + " --- |" * 4)
    for name, (rows, recall) in trained.class_recall.items():
        print(f"| {name} | {rows} | {recall:.2f} | {elsewhere.class_recall[name][1]:.2f} |")
    print()


def repeat(gold, splits: int) -> None:
    """Print the two figures over other draws of the folds."""
    truth = gold.truth
    counted = [at for at in range(truth.shape[1]) if min(truth[:, at].sum(), (~truth[:, at]).sum()) >= EACH_WAY]
    found = []
    for split in range(splits):
        graded = cross_validated(gold, seed=SEED + split)
        right = np.array(likely_classes(gold, graded.probabilities)) == np.array(gold.classes)
        each = [
            (graded.taken[truth[:, at], at].mean() + (~graded.taken[~truth[:, at], at]).mean()) / 2 for at in counted
        ]
        found.append((np.mean(each), right.mean()))
    for name, values in zip(("macro balanced accuracy", "class accuracy"), np.array(found).T, strict=True):
        print(
            f"{name} over {splits} draws of the folds: mean {values.mean():.3f}, "
            f"{values.min():.3f} to {values.max():.3f}"
        )


if __name__ == "__main__":
    main()

"""How often items of high suspicion have a wrong key.

    python benchmarks/suspicion.py [--rounds 200] [--respondents 4 12 30]

Every round draws respondents, 50 source questions with four items each, and levers from a two-parameter model.
Difficulties vary by source question (.2 of their variance), by lever (.3) and by item; slopes by lever (.3) and item.
One key in twenty is wrong. Suspicion is the covariance of the view `item_measures`, computed here on arrays.
"""

import argparse

import numpy as np
from scipy.special import expit

from demur.reports.audits.page import SUSPECTED_FROM

SEED, LEVERS, BASES, ITEMS_PER_BASE, WRONG_KEYS = 20_261_122, 36, 50, 4, 0.05
DIFFICULTY_SPREAD, SLOPE_SPREAD, BASE_SHARE, LEVER_SHARE = 1.2, 0.4, 0.2, 0.3


def planted(respondents: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return right responses, shape (items, respondents), and which items have a wrong key."""
    items = BASES * ITEMS_PER_BASE
    base, lever = np.repeat(np.arange(BASES), ITEMS_PER_BASE), rng.integers(LEVERS, size=items)
    harder, steeper = (drawn - drawn.mean() for drawn in rng.standard_normal((2, LEVERS)))
    own = np.sqrt(1.0 - BASE_SHARE - LEVER_SHARE) * rng.standard_normal(items)
    shared = np.sqrt(BASE_SHARE) * rng.standard_normal(BASES)[base]
    difficulty = DIFFICULTY_SPREAD * (np.sqrt(LEVER_SHARE) * harder[lever] + shared + own)
    vary = np.sqrt(1.0 - LEVER_SHARE) * rng.standard_normal(items)
    slope = SLOPE_SPREAD * (np.sqrt(LEVER_SHARE) * steeper[lever] + vary)
    abilities = 0.5 + rng.standard_normal(respondents)
    chance = expit(np.exp(slope)[:, None] * (abilities - difficulty[:, None]))
    wrong = rng.random(items) < WRONG_KEYS
    chance = np.where(wrong[:, None], 1.0 - chance, chance)
    return (rng.random(chance.shape) < chance).astype(np.float64), wrong


def suspicion(right: np.ndarray) -> np.ndarray:
    """Return each item's covariance, over respondents, of missing it and being right on the others."""
    others = (right.sum(axis=0) - right) / (len(right) - 1)
    return -((right - right.mean(axis=1, keepdims=True)) * others).mean(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--respondents", type=int, nargs="+", default=[4, 12, 30])
    options = parser.parse_args()
    print("respondents  wrong among ten  from .02 on  of these wrong")
    for respondents in options.respondents:
        found = []
        for number in range(options.rounds):
            right, wrong = planted(respondents, np.random.default_rng([SEED, respondents, number, 1]))
            of = suspicion(right)
            ten = np.argsort(-of, kind="stable")[:10]
            listed = ten[of[ten] >= SUSPECTED_FROM]
            found.append((wrong[ten].sum(), len(listed), wrong[listed].sum()))
        top, listed, wrong_listed = np.array(found).mean(axis=0)
        print(f"{respondents:11}  {top:15.1f}  {listed:11.1f}  {wrong_listed / max(listed, 1e-9):14.2f}")


if __name__ == "__main__":
    main()

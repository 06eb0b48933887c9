"""Right responses per item and respondent, with items that were answered alike taken together.

Items answered alike have the same likelihood, and with few respondents there are few ways to answer: 4 respondents
answer 200 items in 16 ways at most.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, IntArray
from demur.scoring.responses import read_responses


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Ways in which items were answered, shape (patterns, respondents), and which item was answered which way.

    `right` counts right responses of `trials`. `pattern` and `cluster` number each item's pattern and source question.
    """

    respondents: tuple[str, ...]
    items: tuple[str, ...]
    right: FloatArray
    trials: FloatArray
    pattern: IntArray
    cluster: IntArray

    @property
    def clusters(self) -> int:
        """How many source questions the items come from."""
        return int(self.cluster.max()) + 1 if len(self.cluster) else 0

    @property
    def copies(self) -> FloatArray:
        """How many items were answered in each way."""
        return np.bincount(self.pattern, minlength=len(self.right)).astype(np.float64)

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Self:
        """Return the patterns of perturbed items in a frame of scoring.responses.

        Answers of a respondent whose answers were not graded count neither as right nor as trials.
        """
        responses = read_responses(frame)
        kept = ~responses.apart & ~responses.ungraded
        item, items = pd.factorize(frame["item_id"][kept].astype(str), sort=True)
        who, respondents = pd.factorize(pd.Series(responses.model[kept]), sort=True)
        shape = (len(items), len(respondents))
        right = np.zeros(shape)
        trials = np.zeros(shape)
        np.add.at(trials, (item, who), 1.0)
        np.add.at(right, (item, who), responses.accurate[kept])
        source = np.zeros(len(items), dtype=np.int64)
        source[item] = pd.factorize(frame["source_id"][kept].astype(str), sort=True)[0]
        return cls.counted(right, trials, source, tuple(map(str, respondents)), tuple(map(str, items)))

    @classmethod
    def counted(
        cls,
        right: FloatArray,
        trials: FloatArray,
        cluster: IntArray,
        respondents: tuple[str, ...],
        items: tuple[str, ...],
    ) -> Self:
        """Return the patterns of counts of shape (items, respondents)."""
        both, pattern = np.unique(np.concatenate([right, trials], axis=1), axis=0, return_inverse=True)
        ways = np.split(both, 2, axis=1)
        return cls(respondents, items, ways[0], ways[1], pattern.reshape(-1).astype(np.int64), cluster)

"""Models of what grade and finish land: completions, grades, fits, weights, rewards."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    Facts,
    Intentions,
    Real,
    TableModel,
    Text,
    Texts,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    one_of,
    share,
)
from demur.warehouse.vocabulary import SUBJECT_KINDS


class Completions(TableModel):
    """One row per prompt, label and variant."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    completion_id: Text = filled(unique=True)
    policy: Text = filled()
    behaviour: Text = filled()
    prompt_id: Text = filled()
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    label: Text = filled()
    variant: Whole = count()
    faults: Texts = column()
    intended: Intentions = column()
    facts: Facts = column()
    prompt: Text = filled()
    completion: Text = column()
    writer: Text = filled()

    class Config:
        """Name of the table and its key."""

        name = "completions"
        unique = ["policy", "behaviour", "prompt_id", "label", "variant", "writer"]


class Grades(TableModel):
    """One row per completion or response, proposition and grader."""

    round_id: Text = filled()
    unit_id: Text = filled()
    call_id: Text = filled(null=True)
    policy: Text = filled()
    behaviour: Text = filled()
    subject_kind: Text = one_of(SUBJECT_KINDS)
    subject_id: Text = filled()
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    grader: Text = filled()
    proposition: Text = filled()
    probability: Real = share()

    class Config:
        """Name of the table and its key."""

        name = "grades"
        unique = ["policy", "behaviour", "subject_kind", "subject_id", "grader", "proposition"]


class Fits(TableModel):
    """One row per policy and behaviour."""

    round_id: Text = filled()
    unit_id: Text = filled()
    policy: Text = filled()
    behaviour: Text = filled()
    grader: Text = filled()
    margin: Real = column(ge=0)
    l2: Real = column(ge=0)
    objective: Real = column(ge=0)
    relative_gap: Real = column()
    prompts_train: Whole = count()
    prompts_held_out: Whole = count()
    pairs_train: Whole = count()
    pairs_held_out: Whole = count()
    hinge_loss_train: Real = column(null=True, ge=0)
    hinge_loss_held_out: Real = column(null=True, ge=0)
    pairwise_error_train: Real = share(null=True)
    pairwise_error_held_out: Real = share(null=True)
    ideal_first_train: Real = share(null=True)
    ideal_first_held_out: Real = share(null=True)

    class Config:
        """Name of the table and its key."""

        name = "fits"
        unique = ["policy", "behaviour", "grader"]


class Weights(TableModel):
    """One row per policy, behaviour and feature."""

    round_id: Text = filled()
    unit_id: Text = filled()
    policy: Text = filled()
    behaviour: Text = filled()
    feature: Text = filled()
    kind: Text = one_of(["proposition", "class"])
    value: Real = column()
    low: Real = column(null=True)
    high: Real = column(null=True)

    class Config:
        """Name of the table and its key."""

        name = "weights"
        unique = ["policy", "behaviour", "feature", "kind"]

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)


class Rewards(TableModel):
    """One row per graded response."""

    round_id: Text = filled()
    unit_id: Text = filled()
    policy: Text = filled()
    behaviour: Text = filled()
    response_id: Text = filled()
    reward: Real = column()
    respondent: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "rewards"
        unique = ["policy", "behaviour", "response_id"]

"""Schemas of the tables about rewards: completions, grades, base rewards, fits, weights, rewards."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    AnswerRow,
    Facts,
    Intentions,
    Real,
    Text,
    Texts,
    UnitRow,
    Whole,
    class_of_stratum,
    column,
    count,
    filled,
    intensity_of_stratum,
    names,
    one_of,
    share,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import SUBJECT_KINDS


class Completions(AnswerRow, table=Table.COMPLETIONS, key="policy behaviour prompt_id label variant writer"):
    """One row per prompt, label and variant."""

    completion_id: Text = filled("equal to `unit_id`", unique=True)
    policy: Text = filled("`selective_refusal`, `safety`")
    behaviour: Text = filled("what a good completion does with this prompt")
    prompt_id: Text = filled("the item, or the prompt in the policy's file")
    lever_class: Text = class_of_stratum("of the item; may be null", null=True)
    intensity: Text = intensity_of_stratum("of the item; may be null", null=True)
    label: Text = filled("which completion of the comparison it is, as in `perfect`")
    variant: Whole = count("number among completions of one label, from 0")
    faults: Texts = column("faults that were drawn for it")
    intended: Intentions = column("what it is meant to make true and false")
    facts: Facts = column("what is known about the prompt")
    prompt: Text = filled("the prompt")
    completion: Text = column("the text as it came")
    writer: Text = filled("model that wrote")


class Grades(AnswerRow, table=Table.GRADES, key="policy behaviour subject_kind subject_id grader proposition"):
    """One row per completion or response, proposition and grader."""

    policy: Text = filled("whose propositions")
    behaviour: Text = filled("whose features")
    subject_kind: Text = one_of("`completion` or `response`", SUBJECT_KINDS)
    subject_id: Text = filled("the `completion_id` or `response_id`")
    lever_class: Text = class_of_stratum("of the item; may be null", null=True)
    intensity: Text = intensity_of_stratum("of the item; may be null", null=True)
    grader: Text = filled("model that graded; its fingerprint stands in `calls`, by `call_id`")
    proposition: Text = filled("as in `states_refusal_code`")
    probability: Real = share("0 to 1, that it holds")


class BaseRewards(AnswerRow, table=Table.BASE_REWARDS, key="subject_kind subject_id rater"):
    """One row per rater and rated completion or response."""

    subject_kind: Text = one_of("`completion` or `response`", SUBJECT_KINDS)
    subject_id: Text = filled("the `completion_id` or `response_id`")
    rater: Text = filled("model that rated; its fingerprint stands in `calls`, by `call_id`")
    base_reward: Real = share("0 to 1: the rated helpfulness of 0 to 10, divided by 10")


class Fits(UnitRow, table=Table.FITS, key="policy behaviour grader"):
    """One row per policy and behaviour."""

    policy: Text = filled("policy")
    behaviour: Text = filled("behaviour")
    grader: Text = filled("whose grades were fitted to")
    margin: Real = column("by how much the better completion should win", ge=0)
    l2: Real = column("strength of the penalty on the squares of the weights", ge=0)
    objective: Real = column("mean hinge loss plus half of `l2` times the squared norm of the weights", ge=0)
    relative_gap: Real = column("how far the objective can be above the optimum, relative to itself")
    prompts_train: Whole = count("prompts")
    prompts_held_out: Whole = count("prompts")
    pairs_train: Whole = count("ordered pairs of completions")
    pairs_held_out: Whole = count("ordered pairs of completions")
    hinge_loss_train: Real = column("mean hinge loss; may be null", null=True, ge=0)
    hinge_loss_held_out: Real = column("mean hinge loss; may be null", null=True, ge=0)
    pairwise_error_train: Real = share("share of pairs in the wrong order; may be null", null=True)
    pairwise_error_held_out: Real = share("share of pairs in the wrong order; may be null", null=True)
    ideal_first_train: Real = share("share of prompts whose best completion comes first; may be null", null=True)
    ideal_first_held_out: Real = share("share of prompts whose best completion comes first; may be null", null=True)


class Weights(UnitRow, table=Table.WEIGHTS, key="policy behaviour feature kind"):
    """One row per policy, behaviour and feature."""

    policy: Text = filled("policy")
    behaviour: Text = filled("behaviour")
    feature: Text = filled("a proposition or a class of the policy")
    kind: Text = one_of("`proposition` or `class`", ["proposition", "class"])
    value: Real = column("the weight; weights of classes are centred, because only their differences matter")
    low: Real = column("lower end of the 95 % interval over prompts; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)


class Rewards(UnitRow, table=Table.REWARDS, key="policy behaviour response_id"):
    """One row per graded response."""

    policy: Text = filled("policy")
    behaviour: Text = filled("behaviour that the item asks for")
    response_id: Text = names(Table.RESPONSES, "response")
    reward: Real = column("sum of weight times feature, and the base reward where the round has them")
    respondent: Text = filled("who gave the response")

"""Schemas of the tables about rewards: completions, grades, base rewards, fits, weights, rewards."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.tables import SUBJECT_KINDS, Table
from demur.warehouse.tables.columns import (
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


class Completions(AnswerRow, table=Table.COMPLETIONS, key="policy behaviour prompt_id label variant writer"):
    """One row per prompt, label and variant."""

    completion_id: Text = filled("hash of what the completion is written for, and of its text", unique=True)
    policy: Text = filled("name of the policy, such as `selective_refusal` or `safety`")
    behaviour: Text = filled("expected completion for the prompt, such as `answer` or `refuse`")
    prompt_id: Text = filled("id of the item, or of the prompt in the policy's file")
    lever_class: Text = class_of_stratum("class of the item; null if there is none", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null if there is none", null=True)
    label: Text = filled("label of the completion in its comparison, such as `perfect`")
    variant: Whole = count("number of the completion among completions of one label, from 0")
    faults: Texts = column("names of the faults that the completion is meant to have")
    intended: Intentions = column("propositions that the completion is meant to make true or false")
    facts: Facts = column("known facts about the prompt, each true or false")
    prompt: Text = filled("text of the prompt")
    completion: Text = column("text of the completion")
    writer: Text = filled("model that wrote the completion")


class Grades(AnswerRow, table=Table.GRADES, key="policy behaviour subject_kind subject_id grader proposition"):
    """One row per completion or response, proposition and grader."""

    policy: Text = filled("policy of the graded propositions")
    behaviour: Text = filled("behaviour of the graded propositions")
    subject_kind: Text = one_of("`completion` or `response`", SUBJECT_KINDS)
    subject_id: Text = filled("id of the graded completion or response")
    lever_class: Text = class_of_stratum("class of the item; null if there is none", null=True)
    intensity: Text = intensity_of_stratum("intensity of the item; null if there is none", null=True)
    grader: Text = filled("model that graded; its fingerprint is in the row `call_id` of `calls`")
    proposition: Text = filled("name of the proposition, such as `states_refusal_code`")
    probability: Real = share("probability that the proposition is true, from 0 to 1")


class BaseRewards(AnswerRow, table=Table.BASE_REWARDS, key="subject_kind subject_id rater"):
    """One row per rater and rated completion or response."""

    subject_kind: Text = one_of("`completion` or `response`", SUBJECT_KINDS)
    subject_id: Text = filled("id of the rated completion or response")
    rater: Text = filled("model that rated; its fingerprint is in the row `call_id` of `calls`")
    base_reward: Real = share("rating of the helpfulness from 0 to 10, divided by 10")


class Fits(UnitRow, table=Table.FITS, key="policy behaviour grader"):
    """One row per policy and behaviour."""

    policy: Text = filled("name of the policy")
    behaviour: Text = filled("name of the behaviour")
    grader: Text = filled("model that gave the grades")
    margin: Real = column("lead in reward that the better completion of a pair should have", ge=0)
    l2: Real = column("strength of the penalty on the squares of the weights", ge=0)
    objective: Real = column("mean hinge loss plus half of `l2` times the squared norm of the weights", ge=0)
    relative_gap: Real = column(
        "largest possible distance of the objective from the optimum, as a share of the objective"
    )
    prompts_train: Whole = count("number of training prompts")
    prompts_held_out: Whole = count("number of held-out prompts")
    pairs_train: Whole = count("number of ordered pairs of completions of training prompts")
    pairs_held_out: Whole = count("number of ordered pairs of completions of held-out prompts")
    hinge_loss_train: Real = column("mean hinge loss on training prompts; may be null", null=True, ge=0)
    hinge_loss_held_out: Real = column(
        "mean hinge loss on held-out prompts; null if no prompt is held out", null=True, ge=0
    )
    pairwise_error_train: Real = share("share of training pairs in the wrong order; may be null", null=True)
    pairwise_error_held_out: Real = share(
        "share of held-out pairs in the wrong order; null if no prompt is held out", null=True
    )
    ideal_first_train: Real = share(
        "share of training prompts whose best completion comes first; may be null", null=True
    )
    ideal_first_held_out: Real = share(
        "share of held-out prompts whose best completion comes first; null if no prompt is held out", null=True
    )


class Weights(UnitRow, table=Table.WEIGHTS, key="policy behaviour feature kind"):
    """One row per policy, behaviour and feature."""

    policy: Text = filled("name of the policy")
    behaviour: Text = filled("name of the behaviour")
    feature: Text = filled("name of the feature: a proposition or a class of the policy")
    kind: Text = one_of("kind of the feature: `proposition` or `class`", ["proposition", "class"])
    value: Real = column("weight of the feature; weights of classes are centred, because only their differences matter")
    low: Real = column("lower end of the 95 % interval over prompts; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval over prompts; null if there is no interval", null=True)

    @dataframe_check(name="interval_is_ordered", error="low is at most high")
    @classmethod
    def _interval_is_ordered(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        return (frame["low"] <= frame["high"]).fillna(True)


class Rewards(UnitRow, table=Table.REWARDS, key="policy behaviour response_id"):
    """One row per graded response."""

    policy: Text = filled("name of the policy")
    behaviour: Text = filled("expected behaviour for the item, such as `answer` or `refuse`")
    response_id: Text = names(Table.RESPONSES, "id of the response")
    reward: Real = column("sum of weights times features, plus the base reward if the round has a rater")
    respondent: Text = filled("model that gave the response")

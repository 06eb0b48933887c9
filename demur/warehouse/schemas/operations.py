"""Schemas of tables about the operation of rounds, such as rounds, units, calls, gate results, releases, loads."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    Flag,
    Instant,
    Judgings,
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
    json_text,
    names,
    one_of,
    present,
    share,
)
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import ANSWER_FATES, LAYOUTS, ORIGINS, TARGETS


class Rounds(TableModel, table=Table.ROUNDS, primary=True):
    """One row per round."""

    round_id: Text = filled("the round", unique=True)
    name: Text = filled("name of the configuration; releases are shelved under it")
    seed: Whole = column("seed of all random draws; derived from the id of a fresh round")
    layout: Text = one_of("`single` (one passage per base instance) or `multi`", LAYOUTS)
    bases_wanted: Whole = count("base instances that the round works on, if the corpus gives as many")
    screeners: Texts = column("models that must solve a base instance unperturbed")
    generators: Texts = column("models that perturb")
    verifiers: Texts = column("models that must all accept a perturbation")
    respondents: Texts = column("models under evaluation")
    judges: Texts = column("models that judge responses")
    config: Text = json_text("the whole configuration; files by name, without their directories")
    config_digest: Text = column(
        "hash of the parts of the configuration that affect results: not budget, gates, limits, prices, keys, addresses"
    )
    catalogue_digest: Text = column("hash of the levers on offer")
    status: Text = one_of("`open` until the release is frozen, then `finished`", ["open", "finished"])
    started_at: Instant = column("first start")
    finished_at: Instant = column("when the release was frozen; may be null", null=True)
    pruned_at: Instant = column(
        "when its texts and rows of units were deleted (`demur home prune`); null if they were not",
        null=True,
    )
    judgings: Judgings = column(
        "pairs of a `respondent` and the `judge` of its responses; null if each judge judges all", null=True
    )
    started_by: Text = filled("value of DEMUR_STARTED_BY at the start; null if it was not set", null=True)


class Units(TableModel, table=Table.UNITS, key="round_id stage unit_id", primary=True):
    """One row per unit in the current plans of a round."""

    round_id: Text = names(Table.ROUNDS, "the round; key, with stage and unit")
    stage: Text = filled("stage of a round")
    unit_id: Text = filled("id of the unit, as in its landed rows")
    ordinal: Whole = count("place in the plan, from 0")


class Calls(TableModel, table=Table.CALLS, primary=True):
    """One row per request to a language model."""

    call_id: Text = filled("key", unique=True)
    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    unit_id: Text = filled("unit of work of the request")
    role: Text = filled("`screener`, `generator`, `verifier`, `respondent`, `judge`, `writer`, `grader` or `rater`")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("`openai`, `anthropic`, `litellm`, `rules` or `recorded`")
    provider_model: Text = filled("name of the model at the provider")
    program: Text = filled("task, as in `VerifyPerturbation`")
    request_digest: Text = filled("hash of the request")
    attempt: Whole = count("number of the attempt, from 1")
    status: Text = one_of("`ok` or `error`", ["ok", "error"])
    error_class: Text = filled("as in `rate_limit`, `timeout`, `content_filter`; null if ok", null=True)
    error: Text = column("message of the error, without keys; may be null", null=True)
    reply: Text = column("text of the reply; may be null; null in pruned rounds", null=True)
    finish_reason: Text = column(
        "`stop` or `length`; for errors of class `incomplete` the provider's reason; may be null", null=True
    )
    input_tokens: Whole = count("as the provider reports; may be null", null=True)
    output_tokens: Whole = count("as the provider reports; may be null", null=True)
    cached_tokens: Whole = count("as the provider reports; may be null", null=True)
    reasoning_tokens: Whole = count("as the provider reports; may be null", null=True)
    cost_usd: Real = column(
        "cost at the prices below; 0 if the provider answered with an error, null if price or tokens are unknown",
        null=True,
        ge=0,
    )
    latency_seconds: Real = column("time from sending to the last byte", ge=0)
    queue_seconds: Real = column("time waited for a free place before sending", ge=0)
    started_at: Instant = column("time of sending")
    cache_write_tokens: Whole = count("input tokens that the provider wrote to its cache; may be null", null=True)
    input_usd_per_million: Real = column("price of input tokens; null where unknown", null=True, ge=0)
    output_usd_per_million: Real = column("price of output tokens; null where unknown", null=True, ge=0)
    cached_usd_per_million: Real = column("price of tokens read from a cache; null: as input", null=True, ge=0)
    cache_write_usd_per_million: Real = column("price of tokens written to a cache; null: as input", null=True, ge=0)
    reserved_usd: Real = column("upper bound of the request's cost; null where prices are unknown", null=True, ge=0)
    lease_id: Text = filled("lease of the request (`leases`); null without a cap", null=True)
    logprobs: Text = filled(
        "JSON: the likeliest first tokens of the reply with their log-probabilities, likeliest first; null where not "
        "asked for",
        null=True,
    )
    batch_id: Text = names(Table.BATCHES, "the batch that brought the reply; null where it was asked live", null=True)
    fingerprint: Text = filled("hash of the model and its parameters")
    earlier_prompt: Flag = column(
        "whether a recorded reply answered an earlier wording of the prompt; null if the reply was not recorded",
        null=True,
    )
    asked_for: Text = filled(
        "hash of the unit's request, independent of the code's version; null outside of stages that ask models",
        null=True,
    )
    reused_from: Text = filled(
        "the paid request whose reply was reused, of a unit with the same request that is no longer planned; null if "
        "the reply was not reused",
        null=True,
    )
    charged_usd: Real = column(
        "dollars counted against the cap: the cost, or for an unknown cost the mean cost of such requests by then; "
        "null where prices are unknown, and in older rows, for which `reserved_usd` counts",
        null=True,
        ge=0,
    )

    journal: Text = filled(
        "archived journal with the prompt, `archive/<round>/journals/<stage>/<journal>.jsonl.gz`; may be null",
        null=True,
    )

    @dataframe_check(name="status_fits", error="a call that is ok has a reply, one in error has an error_class")
    @classmethod
    def _status_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        ok = frame["status"] == "ok"
        return (ok & present(frame, ["reply"])) | (~ok & present(frame, ["error_class"]))


class Failures(TableModel, table=Table.FAILURES, key="round_id stage unit_id"):
    """One row per unit that ended without a result."""

    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    unit_id: Text = filled("unit")
    lever_class: Text = class_of_stratum("of its stratum; may be null", null=True)
    intensity: Text = intensity_of_stratum("of its stratum; may be null", null=True)
    reason: Text = filled(
        "`unreadable` (the reply had not the required shape, or its rows were not valid), or the `error_class` of the "
        "last call"
    )
    detail: Text = column("message, and the reply if there is one")
    call_id: Text = names(Table.CALLS, "last call; may be null", null=True)
    failed_at: Instant = column("time of the failure")


class ExpectationResults(TableModel, table=Table.EXPECTATION_RESULTS):
    """One row per expectation of a stage's latest gate."""

    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    suite: Text = filled("suite of expectations")
    gate: Text = one_of(
        "`integrity` stops the round, `sample` warns unless `gates.stop_on_sample` is set", ["integrity", "sample"]
    )
    expectation: Text = filled("name of the expectation")
    subject: Text = column("table, column, stratum or model; may be null", null=True)
    success: Flag = column("whether the expectation is met")
    observed: Text = column("observed value; may be null", null=True)
    bound: Text = column("allowed value; may be null", null=True)
    run_at: Instant = column("time of the gate")
    offending: Whole = count("rows that violate an integrity expectation; null for a sample", null=True)
    successes: Whole = count("numerator of a sample's share; null for integrity", null=True)
    trials: Whole = count("its denominator; null for integrity", null=True)


class Releases(TableModel, table=Table.RELEASES, key="name version", primary=True):
    """One row per frozen release."""

    name: Text = filled("key, with version")
    version: Text = filled("`1`, `2`, ... within a name")
    round_id: Text = names(Table.ROUNDS, "the round that it froze")
    digest: Text = filled("identifies its data files")
    items: Whole = count("items and controls")
    created_at: Instant = column("time of freezing")
    manifest_digest: Text = filled("SHA-256 of its `manifest.json`, as it was frozen")


class Evaluations(TableModel, table=Table.EVALUATIONS, key="round_id respondent judge prompts", primary=True):
    """One row per round, respondent, judge and set of prompts, with the conditions for comparable scores."""

    round_id: Text = names(Table.ROUNDS, "the evaluation, or the round that the release was frozen from")
    respondent: Text = filled("model under evaluation")
    judge: Text = filled("model that judged")
    prompts: Text = filled(
        "set of prompts; respondents of the rules lane read no prompts and have a row for each set of the round"
    )
    release_name: Text = filled("name of the release whose items were answered")
    release_version: Text = filled("its version")
    release_digest: Text = filled("identity of its data files")
    prompts_digest: Text = filled("hash of the prompts that respondents were asked with")
    judge_digest: Text = filled("hash of the judge: model, parameters, prompt, how codes are read")
    metrics_version: Text = filled("hash of the metrics' code")
    respondent_fingerprint: Text = filled("hash of the respondent and its parameters")
    replicates: Whole = count("responses to each item")
    occasion: Text = filled("label of a repeated evaluation, such as a week; may be null", null=True)
    evaluated_at: Instant = column("when the evaluation last began, or the release was frozen")
    audit: Text = filled(
        "`audited` or `unaudited` by the release's manifest; null without an entry in the manifest", null=True
    )
    calibration: Text = filled(
        "`calibrated` if the release's manifest says so for this judge, else `uncalibrated`; may be null", null=True
    )


class JudgeCalibrations(
    TableModel, table=Table.JUDGE_CALIBRATIONS, key="round_id judge aspect labels_digest", primary=True
):
    """One row per round, judge, aspect and file of labels: how far the judge agrees with people."""

    round_id: Text = names(Table.ROUNDS, "the evaluation or round whose judgements were compared")
    judge: Text = filled("model that judged")
    judge_digest: Text = filled(
        "hash of the judge, as in `evaluations`; the calibration holds in all evaluations by it"
    )
    aspect: Text = one_of(
        "`code`: which refusal, or an attempt; `correct`: whether an answer is correct", ["code", "correct"]
    )
    labels_digest: Text = filled("SHA-256 of the file of labels")
    responses: Whole = count("responses with human labels")
    sources: Whole = count("source questions of these responses")
    observed: Real = share("share of responses on which judge and people agree")
    kappa: Real = column("Cohen's kappa; null if the judge's or the people's labels do not vary", null=True)
    low: Real = column("lower end of its 95 % interval; may be null", null=True)
    high: Real = column("upper end; may be null", null=True)
    reason: Text = column("why something is missing; may be null", null=True)
    calibrated_at: Instant = column("time of the calibration")


class ReleasedItems(TableModel, table=Table.RELEASED_ITEMS, key="name version item_id", primary=True):
    """One row per release and perturbed item in it."""

    name: Text = filled("key, with version and item")
    version: Text = filled("of the release")
    round_id: Text = names(Table.ROUNDS, "the round that it froze")
    item_id: Text = names(Table.ITEMS, "the item")
    content_key: Text = filled("hash of the words of question and passages, as in `perturbations`")


class LeversOnOffer(TableModel, table=Table.LEVERS_ON_OFFER, key="round_id lever_id"):
    """One row per round and lever that the round's generators may pull."""

    round_id: Text = names(Table.ROUNDS, "key, with lever")
    lever_id: Text = filled("the lever")
    lever: Text = filled("its name")
    lever_class: Text = class_of_stratum("class of its stratum")
    intensity: Text = intensity_of_stratum("intensity of its stratum")
    origin: Text = one_of("`paper`, `demur` or `user`", ORIGINS)
    target: Text = one_of("what it may change", TARGETS)
    answer: Text = one_of("required state of the accepted answers afterwards", ANSWER_FATES)
    recipe: Text = filled("recipe for the rules lane; null if there is none", null=True)


class Loads(TableModel, table=Table.LOADS, primary=True):
    """One row per landed shard that was loaded."""

    landing: Text = filled("key: round, stage, shard and a random id of the landing", unique=True)
    round_id: Text = names(Table.ROUNDS, "the round")
    stage: Text = filled("stage")
    rows: Whole = count("rows inserted")
    loaded_at: Instant = column("time of loading")

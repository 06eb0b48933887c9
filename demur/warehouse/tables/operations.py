"""Tables about the operation of rounds, such as rounds, units, calls, batches, costs, gate results, releases."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.tables import ANSWER_FATES, BATCH_STATUSES, LAYOUTS, ORIGINS, TARGETS, Table
from demur.warehouse.tables.columns import (
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

# Schemas of tables about the operation of rounds, such as rounds, units, calls, gate results, releases, loads.


class Rounds(TableModel, table=Table.ROUNDS, primary=True):
    """One row per round."""

    round_id: Text = filled("id of the round", unique=True)
    name: Text = filled("name of the configuration and of the releases")
    seed: Whole = column("seed of all random draws; derived from the id of a fresh round")
    layout: Text = one_of("`single` (one passage per base instance) or `multi` (several passages)", LAYOUTS)
    bases_wanted: Whole = count("number of base instances that the round works on, if the corpus has enough")
    screeners: Texts = column("models that must all answer a base instance correctly")
    generators: Texts = column("models that make perturbations")
    verifiers: Texts = column("models that verify perturbations")
    respondents: Texts = column("models under evaluation")
    judges: Texts = column("models that judge responses")
    config: Text = json_text("whole configuration as JSON; names of files are without directories")
    config_digest: Text = column(
        "hash of the parts of the configuration that affect results; budget, gates, limits, prices, keys and "
        "addresses do not"
    )
    catalogue_digest: Text = column("hash of the levers that the round may use")
    status: Text = one_of("`open` until the release is frozen, then `finished`", ["open", "finished"])
    started_at: Instant = column("time of the first start")
    finished_at: Instant = column("time at which the round was finished; null for an open round", null=True)
    pruned_at: Instant = column(
        "time at which texts and rows of units were deleted (`demur home prune`); null if nothing was deleted",
        null=True,
    )
    judgings: Judgings = column(
        "pairs of a `respondent` and a `judge` for its responses; null if every judge judges all responses", null=True
    )
    started_by: Text = filled("value of DEMUR_STARTED_BY at the start; null if it was not set", null=True)


class Units(TableModel, table=Table.UNITS, key="round_id stage unit_id", primary=True):
    """One row per unit in the current plans of a round."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    unit_id: Text = filled("id of the unit, as in its landed rows")
    stamp: Text = filled("hash of all that decides the unit's rows", null=True)
    ordinal: Whole = count("position in the plan, from 0")


class Calls(TableModel, table=Table.CALLS, primary=True):
    """One row per request to a language model."""

    call_id: Text = filled("id of the request", unique=True)
    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    unit_id: Text = filled("id of the unit that needs the reply")
    role: Text = filled("role of the model, such as `generator`, `verifier`, `respondent` or `judge`")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("lane of the model, such as `openai`, `anthropic`, `litellm`, `rules` or `recorded`")
    provider_model: Text = filled("name of the model at the provider")
    program: Text = filled("name of the task, such as `VerifyPerturbation`")
    request_digest: Text = filled("hash of the request")
    attempt: Whole = count("number of the attempt, from 1")
    status: Text = one_of("`ok` or `error`", ["ok", "error"])
    error_class: Text = filled(
        "class of the error, such as `rate_limit`, `timeout`, `content_filter`; null if the status is `ok`", null=True
    )
    error: Text = column("message of the error, without keys; null if there is none, and in pruned rounds", null=True)
    reply: Text = column("text of the reply; null if there is none, and in pruned rounds", null=True)
    finish_reason: Text = column(
        "end of the reply: `stop`, `length` (cut at a limit of tokens), `tool_calls` (a call of a tool that was not "
        "offered), `refusal` or `content_filter` (of the provider); for errors of class `incomplete`, the reason that "
        "the provider gives; may be null",
        null=True,
    )
    input_tokens: Whole = count("input tokens, as the provider reports; null if not reported", null=True)
    output_tokens: Whole = count("output tokens, as the provider reports; null if not reported", null=True)
    cached_tokens: Whole = count("input tokens from a cache, as the provider reports; null if not reported", null=True)
    reasoning_tokens: Whole = count("tokens of reasoning, as the provider reports; null if not reported", null=True)
    cost_usd: Real = column(
        "cost in dollars; 0 if the provider answered with an error, null if price or tokens are unknown",
        null=True,
        ge=0,
    )
    latency_seconds: Real = column("seconds from sending to the last byte of the reply", ge=0)
    queue_seconds: Real = column("seconds of waiting for a free place before sending", ge=0)
    started_at: Instant = column("time of sending")
    cache_write_tokens: Whole = count(
        "input tokens that the provider wrote to its cache; null if not reported", null=True
    )
    input_usd_per_million: Real = column("price of a million input tokens in dollars; null if unknown", null=True, ge=0)
    output_usd_per_million: Real = column(
        "price of a million output tokens in dollars; null if unknown", null=True, ge=0
    )
    cached_usd_per_million: Real = column(
        "price of a million input tokens from a cache in dollars; null if the price of input tokens applies",
        null=True,
        ge=0,
    )
    cache_write_usd_per_million: Real = column(
        "price of a million tokens written to a cache in dollars; null if the price of input tokens applies",
        null=True,
        ge=0,
    )
    reserved_usd: Real = column("upper bound of the cost in dollars; null if prices are unknown", null=True, ge=0)
    logprobs: Text = filled(
        "JSON: the likeliest first tokens of the reply with their log-probabilities, likeliest first; null if not "
        "asked for",
        null=True,
    )
    batch_id: Text = names(
        Table.BATCHES, "id of the batch with the reply; null if the request was not in a batch", null=True
    )
    fingerprint: Text = filled("hash of the model and its parameters")
    earlier_prompt: Flag = column(
        "whether a recorded reply belongs to an earlier wording of the prompt; null if the reply was not recorded",
        null=True,
    )
    charged_usd: Real = column(
        "dollars that count against the cap: the cost, or an estimate if the cost is unknown; null if prices are "
        "unknown, and in older rows, for which `reserved_usd` counts",
        null=True,
        ge=0,
    )

    reasoning: Text = column(
        "reasoning that the server sent in a field or part of its own; null if there is none, and in pruned rounds",
        null=True,
    )

    shard: Text = filled("shard of the stage that sent the request")

    @dataframe_check(name="status_fits", error="a call that is ok has a reply, one in error has an error_class")
    @classmethod
    def _status_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        ok = frame["status"] == "ok"
        return (ok & present(frame, ["reply"])) | (~ok & present(frame, ["error_class"]))


class Failures(TableModel, table=Table.FAILURES, key="round_id stage unit_id"):
    """One row per unit that ended without a result."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    unit_id: Text = filled("id of the unit")
    stamp: Text = filled("hash of the inputs, programs, models and code with which the unit failed", null=True)
    lever_class: Text = class_of_stratum("class of the unit's stratum; null if there is none", null=True)
    intensity: Text = intensity_of_stratum("intensity of the unit's stratum; null if there is none", null=True)
    reason: Text = filled(
        "`unreadable` (the reply had the wrong shape, or its rows were not valid), or the `error_class` of the last "
        "request"
    )
    detail: Text = column("message of the failure, with the reply if there is one")
    call_id: Text = names(Table.CALLS, "id of the last request; null if there is none", null=True)
    failed_at: Instant = column("time of the failure")
    subject: Text = column(
        "JSON: ids and labels of the unit, such as `item_id`, `respondent` and `replicate`; null in older rows",
        null=True,
    )


class ExpectationResults(TableModel, table=Table.EXPECTATION_RESULTS):
    """One row per expectation of a stage's latest gate."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    suite: Text = filled("suite of expectations")
    gate: Text = one_of(
        "`integrity` (a failure stops the round) or `sample` (a failure gives a warning, or stops the round with "
        "`gates.stop_on_sample`)",
        ["integrity", "sample"],
    )
    expectation: Text = filled("name of the expectation")
    subject: Text = column("checked table, column, stratum or model; may be null", null=True)
    success: Flag = column("whether the expectation is met")
    observed: Text = column("observed value; may be null", null=True)
    bound: Text = column("allowed value; may be null", null=True)
    run_at: Instant = column("time of the gate")
    offending: Whole = count(
        "number of rows that violate an integrity expectation; null for a sample expectation", null=True
    )
    successes: Whole = count(
        "numerator of the share of a sample expectation; null for an integrity expectation", null=True
    )
    trials: Whole = count(
        "denominator of the share of a sample expectation; null for an integrity expectation", null=True
    )


class Releases(TableModel, table=Table.RELEASES, key="name version", primary=True):
    """One row per frozen release."""

    name: Text = filled("name of the release")
    version: Text = filled("version of the release: `1`, `2`, ... within a name")
    round_id: Text = names(Table.ROUNDS, "id of the round that was frozen")
    digest: Text = filled("hash that identifies the data files of the release")
    items: Whole = count("number of items, controls included")
    created_at: Instant = column("time of freezing")
    manifest_digest: Text = filled("SHA-256 of the file `manifest.json` at the time of freezing")


class Evaluations(TableModel, table=Table.EVALUATIONS, key="round_id respondent judge prompts", primary=True):
    """One row per round, respondent, judge and set of prompts, with the conditions for comparable scores."""

    round_id: Text = names(Table.ROUNDS, "id of the evaluation, or of the round that made the release")
    respondent: Text = filled("model under evaluation")
    judge: Text = filled("model that judged the responses")
    prompts: Text = filled(
        "set of prompts; a respondent of the rules lane reads no prompts and has a row for each set of the round"
    )
    release_name: Text = filled("name of the release whose items were answered")
    release_version: Text = filled("version of the release")
    release_digest: Text = filled("hash that identifies the data files of the release")
    prompts_digest: Text = filled("hash of the prompts for respondents")
    judge_digest: Text = filled("hash of the judge: model, parameters, prompt, and the code that reads refusal codes")
    metrics_version: Text = filled("scoring version, and hash of the code that computes metrics")
    respondent_fingerprint: Text = filled("hash of the respondent and its parameters")
    replicates: Whole = count("number of responses to each item")
    sample: Text = filled(
        "part of the items that was asked, such as `200 of 1,600 items`; null if all items were asked", null=True
    )
    codes_by: Text = one_of(
        "whose classification of responses that are exactly one refusal code counts: `code` or `judge`; null in older "
        "rows",
        ["code", "judge"],
        null=True,
    )
    occasion: Text = filled("label of a repeated evaluation, such as a week; null if there is none", null=True)
    evaluated_at: Instant = column("time at which the evaluation last began, or at which the release was frozen")
    audit: Text = filled(
        "`audited` or `unaudited`, as the release's manifest says; null if the manifest does not say it", null=True
    )
    calibration: Text = filled(
        "`calibrated` if the release's manifest says so for this judge, else `uncalibrated`; may be null", null=True
    )


class JudgeCalibrations(
    TableModel, table=Table.JUDGE_CALIBRATIONS, key="round_id judge aspect labels_digest", primary=True
):
    """One row per round, judge, aspect and file of labels: the agreement of the judge with people."""

    round_id: Text = names(Table.ROUNDS, "id of the evaluation or round whose judgements were compared")
    judge: Text = filled("model that judged the responses")
    judge_digest: Text = filled(
        "hash of the judge, as in `evaluations`; the calibration is valid for all evaluations by this judge"
    )
    aspect: Text = one_of(
        "`code` for the classification (an attempt or a refusal code), `correct` for the correctness of answers",
        ["code", "correct"],
    )
    labels_digest: Text = filled("SHA-256 of the file of labels")
    responses: Whole = count("number of responses with human labels")
    sources: Whole = count("number of source questions of the responses with human labels")
    observed: Real = share("share of responses on which judge and people agree")
    observed_low: Real = column("lower end of the 95 % interval of `observed`; null if there is no interval", null=True)
    observed_high: Real = column(
        "upper end of the 95 % interval of `observed`; null if there is no interval", null=True
    )
    kappa: Real = column("Cohen's kappa; null if the judge's or the people's labels do not vary", null=True)
    low: Real = column("lower end of the 95 % interval of `kappa`; null if there is no interval", null=True)
    high: Real = column("upper end of the 95 % interval of `kappa`; null if there is no interval", null=True)
    reason: Text = column("reason why a number is missing, or remark on the interval; may be null", null=True)
    calibrated_at: Instant = column("time of the calibration")


class ReleasedItems(TableModel, table=Table.RELEASED_ITEMS, key="name version item_id", primary=True):
    """One row per release and perturbed item of the release."""

    name: Text = filled("name of the release")
    version: Text = filled("version of the release")
    round_id: Text = names(Table.ROUNDS, "id of the round that was frozen")
    item_id: Text = names(Table.ITEMS, "id of the item")
    content_key: Text = filled("hash of the words of question and passages, as in `perturbations`")


class LeversOnOffer(TableModel, table=Table.LEVERS_ON_OFFER, key="round_id lever_id"):
    """One row per round and lever that the round's generators may pull."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    lever_id: Text = filled("id of the lever")
    lever: Text = filled("name of the lever")
    lever_class: Text = class_of_stratum("class of the lever's stratum")
    intensity: Text = intensity_of_stratum("intensity of the lever's stratum")
    origin: Text = one_of("origin of the lever: `paper`, `demur` or `user`", ORIGINS)
    target: Text = one_of("part that the lever may change, such as `query` or `context`", TARGETS)
    answer: Text = one_of(
        "required state of the accepted answers after the change, such as `kept` or `removed`", ANSWER_FATES
    )
    recipe: Text = filled("recipe for the rules lane; null if there is none", null=True)
    hard: Real = column(
        "mean grade of blind readers, from 1 to 5, for how hard texts of the lever are to see through, in the reading "
        "that counted when the round began; null if there was none",
        null=True,
    )


class Loads(TableModel, table=Table.LOADS, primary=True):
    """One row per loaded shard."""

    landing: Text = filled("id of the loading: round, stage, shard and a random part", unique=True)
    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    rows: Whole = count("number of inserted rows")
    loaded_at: Instant = column("time of loading")


# Schema of the table `batches`.


class Batches(TableModel, table=Table.BATCHES, primary=True):
    """One row per batch that a stage submitted to a provider."""

    batch_id: Text = filled("id of the batch", unique=True)
    round_id: Text = names(Table.ROUNDS, "id of the round that sent the batch")
    stage: Text = filled("stage of the round")
    model: Text = filled("name of the model in the round configuration")
    provider: Text = filled("`openai` or `anthropic`")
    provider_model: Text = filled("name of the model at the provider")
    provider_batch_id: Text = filled("id of the batch at the provider; null while it is unknown", null=True)
    status: Text = one_of(
        "`intended`, `running`, `cancelling`, `ended`, `collected`, or `void` if the provider never accepted the "
        "batch or lost it",
        BATCH_STATUSES,
    )
    requests: Whole = count("number of requests")
    done: Whole = count("number of answered requests")
    failed: Whole = count("number of requests that ended without an answer: errors, expired, cancelled")
    problem: Text = filled(
        "reason why the batch is void or was refused, or list of missing results; null if there is no problem",
        null=True,
    )
    intended_at: Instant = column("time at which the batch was recorded, before submission")
    submitted_at: Instant = column("time at which the provider accepted the batch; may be null", null=True)
    ended_at: Instant = column("time at which the end of the batch was noticed; may be null", null=True)


# Schema of the table about money: the cost estimate of a round.


class Estimates(TableModel, table=Table.ESTIMATES, key="round_id stage role model", primary=True):
    """One row per round, stage, role and model."""

    round_id: Text = names(Table.ROUNDS, "id of the round")
    stage: Text = filled("stage of the round")
    role: Text = filled("role of the model, such as `generator`")
    model: Text = filled("name of the model in the round configuration")
    units: Whole = count("expected number of units")
    calls: Whole = count("expected number of requests, repairs included")
    input_tokens: Whole = count("expected input tokens of all requests; null for rules", null=True)
    output_tokens: Whole = count("expected output tokens of all requests; null for rules", null=True)
    cost_usd: Real = column("expected cost in dollars; null if prices are unknown", null=True, ge=0)
    ceiling_usd: Real = column(
        "upper bound of the cost in dollars, if each unit is asked once and replies have the largest allowed length; "
        "null if prices are unknown",
        null=True,
        ge=0,
    )
    basis: Text = filled(
        "source of the expected length of replies, such as `410 calls of earlier rounds`, `recorded replies`, `25% "
        "of max_tokens`, `rules`"
    )
    config_digest: Text = filled("digest of the configuration that was estimated")
    planned_at: Instant = column("time of the estimate")

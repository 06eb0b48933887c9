"""Models of the books that the stages keep: rounds, units, calls, failures, gates' results, releases, loads."""

import pandas as pd
from pandera.pandas import dataframe_check

from demur.warehouse.schemas.base import (
    Flag,
    Instant,
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
    present,
)
from demur.warehouse.vocabulary import ANSWER_FATES, LAYOUTS, ORIGINS, TARGETS


class Rounds(TableModel):
    """One row per round."""

    round_id: Text = filled(unique=True)
    name: Text = filled()
    seed: Whole = column()
    layout: Text = one_of(LAYOUTS)
    bases_wanted: Whole = count()
    screeners: Texts = column()
    generators: Texts = column()
    verifiers: Texts = column()
    respondents: Texts = column()
    judges: Texts = column()
    config: Text = column()
    config_digest: Text = column()
    catalogue_digest: Text = column()
    status: Text = one_of(["open", "finished"])
    started_at: Instant = column()
    finished_at: Instant = column(null=True)

    class Config:
        """Name of the table."""

        name = "rounds"


class Units(TableModel):
    """One row per unit of work that the round plans now."""

    round_id: Text = filled()
    stage: Text = filled()
    unit_id: Text = filled()
    ordinal: Whole = count()

    class Config:
        """Name of the table and its key."""

        name = "units"
        unique = ["round_id", "stage", "unit_id"]


class Calls(TableModel):
    """One row per request to a language model."""

    call_id: Text = filled(unique=True)
    round_id: Text = filled()
    stage: Text = filled()
    unit_id: Text = filled()
    role: Text = filled()
    model: Text = filled()
    provider: Text = filled()
    provider_model: Text = filled()
    program: Text = filled()
    request_digest: Text = filled()
    attempt: Whole = count()
    status: Text = one_of(["ok", "error"])
    error_class: Text = filled(null=True)
    error: Text = column(null=True)
    reply: Text = column(null=True)
    finish_reason: Text = column(null=True)
    input_tokens: Whole = count(null=True)
    output_tokens: Whole = count(null=True)
    cached_tokens: Whole = count(null=True)
    reasoning_tokens: Whole = count(null=True)
    cost_usd: Real = column(null=True, ge=0)
    latency_seconds: Real = column(ge=0)
    queue_seconds: Real = column(ge=0)
    started_at: Instant = column()
    cache_write_tokens: Whole = count(null=True)
    input_usd_per_million: Real = column(null=True, ge=0)
    output_usd_per_million: Real = column(null=True, ge=0)
    cached_usd_per_million: Real = column(null=True, ge=0)
    cache_write_usd_per_million: Real = column(null=True, ge=0)
    reserved_usd: Real = column(null=True, ge=0)
    lease_id: Text = filled(null=True)
    logprobs: Text = filled(null=True)
    batch_id: Text = filled(null=True)
    fingerprint: Text = filled(null=True)

    class Config:
        """Name of the table."""

        name = "calls"

    @dataframe_check(name="status_fits", error="a call that is ok has a reply, one in error has an error_class")
    @classmethod
    def _status_fits(cls, frame: pd.DataFrame) -> "pd.Series[bool]":
        ok = frame["status"] == "ok"
        return (ok & present(frame, ["reply"])) | (~ok & present(frame, ["error_class"]))


class Failures(TableModel):
    """One row per unit that ended without a result."""

    round_id: Text = filled()
    stage: Text = filled()
    unit_id: Text = filled()
    lever_class: Text = class_of_stratum(null=True)
    intensity: Text = intensity_of_stratum(null=True)
    reason: Text = filled()
    detail: Text = column()
    call_id: Text = filled(null=True)
    failed_at: Instant = column()

    class Config:
        """Name of the table and its key."""

        name = "failures"
        unique = ["round_id", "stage", "unit_id"]


class ExpectationResults(TableModel):
    """One row per expectation of a stage's latest gate."""

    round_id: Text = filled()
    stage: Text = filled()
    suite: Text = filled()
    gate: Text = one_of(["integrity", "sample"])
    expectation: Text = filled()
    subject: Text = column(null=True)
    success: Flag = column()
    observed: Text = column(null=True)
    bound: Text = column(null=True)
    run_at: Instant = column()
    offending: Whole = count(null=True)
    successes: Whole = count(null=True)
    trials: Whole = count(null=True)

    class Config:
        """Name of the table."""

        name = "expectation_results"


class Releases(TableModel):
    """One row per frozen release."""

    name: Text = filled()
    version: Text = filled()
    round_id: Text = filled()
    digest: Text = filled()
    items: Whole = count()
    created_at: Instant = column()
    manifest_digest: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "releases"
        unique = ["name", "version"]


class ReleasedItems(TableModel):
    """One row per release and perturbed item in it."""

    name: Text = filled()
    version: Text = filled()
    round_id: Text = filled()
    item_id: Text = filled()
    content_key: Text = filled()

    class Config:
        """Name of the table and its key."""

        name = "released_items"
        unique = ["name", "version", "item_id"]


class LeversOnOffer(TableModel):
    """One row per round and lever that its generators may pull."""

    round_id: Text = filled()
    lever_id: Text = filled()
    lever: Text = filled()
    lever_class: Text = class_of_stratum()
    intensity: Text = intensity_of_stratum()
    origin: Text = one_of(ORIGINS)
    target: Text = one_of(TARGETS)
    answer: Text = one_of(ANSWER_FATES)
    recipe: Text = filled(null=True)

    class Config:
        """Name of the table and its key."""

        name = "levers_on_offer"
        unique = ["round_id", "lever_id"]


class Loads(TableModel):
    """One row per landed shard that was loaded."""

    landing: Text = filled(unique=True)
    round_id: Text = filled()
    stage: Text = filled()
    rows: Whole = count()
    loaded_at: Instant = column()

    class Config:
        """Name of the table."""

        name = "loads"

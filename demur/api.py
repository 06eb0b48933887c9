"""The Python API for notebooks and scripts: rounds, results and scores as DataFrames, quiet by default."""

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace

import pandas as pd

from demur.configuration.settings import demur_home, home_at, other_home, silence_prefect_log
from demur.programs.installation import missing_packages_named
from demur.reports.tables import named_table
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.results.query import query


@dataclass(frozen=True, slots=True)
class Results:
    """Read-only results of a home, from the published warehouse, also while a round runs.

    `round_id` is the default round of the methods.
    """

    home: Home
    round_id: str | None = None

    def sql(self, statement: str, **values: object) -> pd.DataFrame:
        """Return the rows of one read-only SQL statement, with parameters (`$name`) bound to `values`.

        Raises:
            WarehouseMissingError: nothing was published yet.
            WarehouseError: the statement writes, or DuckDB refuses it.
        """
        found = query(self.home, statement, limit=None, values=values or None)
        return pd.DataFrame(found.rows, columns=list(found.columns))

    def rounds(self) -> pd.DataFrame:
        """Return one row per round, newest first: the table of `demur rounds` with raw values."""
        with reading(self.home) as con:
            return named_table("rounds").read(con).frame()

    def leaderboard(self, round_id: str | None = None) -> pd.DataFrame:
        """Return one row per respondent and judge of a round, best first."""
        return self.table("leaderboard", round_id)

    def table(self, name: str, round_id: str | None = None) -> pd.DataFrame:
        """Return a named table of a round with raw values, with the rows of pages and terminals.

        Raises:
            KeyError: there is no such table. The message lists all tables.
        """
        chosen = self._round(round_id)
        with reading(self.home) as con:
            return named_table(name).read(con, round=chosen).frame()

    def items(self, round_id: str | None = None) -> pd.DataFrame:
        """Return one row per item of a round, controls included."""
        return self._of("live_items", round_id, "ORDER BY item_id")

    def responses(self, round_id: str | None = None) -> pd.DataFrame:
        """Return one row per response of a round and judge, with its judgement."""
        return self._of(
            "live_responses LEFT JOIN live_judgements USING (round_id, response_id)",
            round_id,
            "ORDER BY response_id, judge",
            columns="live_responses.*, judge, predicted, quality, correct",
        )

    def _of(self, relation: str, round_id: str | None, order: str, columns: str = "*") -> pd.DataFrame:
        chosen = self._round(round_id)
        return self.sql(f"SELECT {columns} FROM {relation} WHERE round_id = $round_id {order}", round_id=chosen)

    def _round(self, round_id: str | None) -> str:
        chosen = round_id or self.round_id
        if chosen is None:
            raise ValueError("no round is named: give a round_id from rounds()")
        return chosen


def open_home(home: str | os.PathLike[str] | None = None, *, round_id: str | None = None) -> Results:
    """Return the results of a home. Default: DEMUR_HOME, otherwise `.demur` in the working directory."""
    return Results(demur_home() if home is None else home_at(os.fspath(home)), round_id)


@missing_packages_named()
def run_round(
    config: str | os.PathLike[str] = "embedded",
    *,
    home: str | os.PathLike[str] | None = None,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    mapping: str | None = None,
    answers: str | None = None,
    bad_rows: str | None = None,
) -> Results:
    """Run or continue a round up to a frozen release, and return its results.

    The arguments are the options of `demur round`. The round uses the Prefect API at PREFECT_API_URL, otherwise a
    temporary one that ends with the process.

    Raises:
        FlowError: the configuration, corpus or home cannot be used, a gate or a cap stopped the round, or another
            process works on it. The same call continues the round.
        MissingPackageError: a package of an extra is not installed.
    """
    with nullcontext() if home is None else other_home(home_at(os.fspath(home))):
        from demur.flows.rounds.request import RoundRequest
        from demur.flows.rounds.session import check_start

        reading = {"mapping": mapping, "answers": answers, "bad_rows": bad_rows}
        request = RoundRequest(os.fspath(config), round_id, corpus, bases, max_usd, probe, **reading)
        context = check_start(request)
        silence_prefect_log()
        from demur.flows.orchestration.temporary_api import run_with_api

        def run_flow() -> None:
            from demur.flows.round import round_flow

            round_flow(**asdict(replace(request, round_id=context.round_id)))

        run_with_api(context, run_flow)
        return Results(context.home, context.round_id)


@missing_packages_named()
def evaluate(
    release: str | os.PathLike[str],
    models: "str | Callable[..., object] | Sequence[str | Callable[..., object]]" = (),
    *,
    system_version: str | None = None,
    home: str | os.PathLike[str] | None = None,
    round_config: str | os.PathLike[str] | None = None,
    judge: str | None = None,
    max_usd: float | None = None,
    replicates: int | None = None,
    occasion: str | None = None,
    probe: bool = True,
    again: str | None = None,
    prompts: str | None = None,
    passages: str = "given",
    items: int | None = None,
    bases: int | None = None,
    seed: int | None = None,
    trust_release: str | None = None,
) -> Results:
    """Evaluate models on a frozen release and return the results.

    The arguments are the options of `demur evaluate`.

    A model can be a system of your own: a function `(question, passages) -> text`, sync or async. Its answers are
    reused for the same `system_version`. Without a version every question is asked again.

    Raises:
        FlowError, WarehouseError: the release, a model or the home cannot be used, or a gate or a cap stopped the
            evaluation. The same call continues it.
        MissingPackageError: a package of an extra is not installed.
    """
    with nullcontext() if home is None else other_home(home_at(os.fspath(home))):
        silence_prefect_log()
        from demur.flows.evaluations.evaluation_request import EvaluationRequest, check_evaluation

        config = None if round_config is None else os.fspath(round_config)
        one = isinstance(models, str) or callable(models)
        named = [models] if one else list(models)  # type: ignore[arg-type]
        names = tuple(_as_model(model, system_version) for model in named)
        request = EvaluationRequest(
            *(os.fspath(release), names, config, judge, max_usd, replicates, occasion, probe, again, prompts, passages),
            items=items,
            bases=bases,
            seed=seed,
            trust_release=trust_release,
        )
        context = check_evaluation(request)
        from demur.flows.orchestration.temporary_api import run_with_api

        def run_flow() -> None:
            from demur.flows.evaluation import evaluate as run

            run(request)

        run_with_api(context, run_flow)
        return Results(context.home, context.round_id)


def _as_model(model: object, system_version: str | None) -> str:
    from demur.configuration.models import system_as_model
    from demur.errors import ConfigError
    from demur.lanes.system_functions import address_of

    if isinstance(model, str):
        return model
    if not callable(model):
        raise ConfigError(
            f"models: {type(model).__name__} is neither a model's name nor a function (question, passages)"
        )
    return system_as_model(address_of(model), system_version)


@missing_packages_named()
def score(responses: pd.DataFrame, *, replicates: int = 1_000, seed: int = 0, strict: bool = False) -> pd.DataFrame:
    """Return all metrics of responses with intervals, one row per model, slice and metric.

    Args:
        responses: one row per response, with the columns that `demur score` documents (docs/scoring.md).
        replicates: number of bootstrap replicates.
        seed: seed of the bootstrap.
        strict: raise at the first malformed row. Otherwise malformed rows are left out with a warning.

    Raises:
        FlowError: a row is malformed, under `strict`.
        MissingPackageError: a package of an extra is not installed.
    """
    from demur.exchange.responses.response_file import read_responses, score_file
    from demur.scoring.refusal_scores import tidy

    cells = responses.astype(object).where(responses.notna(), None)
    found = read_responses(
        ({str(name): value for name, value in row.items()} for row in cells.to_dict("records")), strict=strict
    )
    if found.malformed:
        first = found.malformed[0]
        warnings.warn(
            f"{len(found.malformed)} of {found.lines} rows are left out; the first: row {first.line}: {first.reason}",
            stacklevel=2,
        )
    scores = score_file(found, replicates=replicates, seed=seed)
    return tidy(scores)

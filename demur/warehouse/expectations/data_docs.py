"""Data Docs of Great Expectations (GX) as pages that load no scripts, fonts or styles from other servers.

The page templates of GX load Bootstrap, jQuery, Vega and icons from public servers, and no setting of GX prevents this.
demur therefore has templates of its own (`pages/`), which take the content that GX rendered. A content security policy
in each page forbids requests to other servers. This module imports great_expectations, which is slow.
"""

import fcntl
import html
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import great_expectations as gx
import great_expectations.expectations as gxe
import numpy as np
from great_expectations.core.expectation_validation_result import (
    ExpectationSuiteValidationResult,
    ExpectationValidationResult,
)
from great_expectations.core.run_identifier import RunIdentifier
from great_expectations.data_context.types.base import (
    DataContextConfig,
    InMemoryStoreBackendDefaults,
    ProgressBarsConfig,
)
from great_expectations.data_context.types.resource_identifiers import (
    ExpectationSuiteIdentifier,
    ValidationResultIdentifier,
)
from great_expectations.expectations.row_conditions import Column
from great_expectations.render.renderer.site_builder import SiteBuilder
from great_expectations.render.renderer.site_index_page_renderer import SiteIndexPageRenderer
from great_expectations.render.view import DefaultJinjaIndexPageView, DefaultJinjaPageView
from jinja2 import ChoiceLoader, Environment, FunctionLoader, pass_context

from demur.warehouse.errors import disk_explained
from demur.warehouse.expectations.bounds import GateBounds
from demur.warehouse.expectations.declared import Expectation, StageGate
from demur.warehouse.expectations.intervals import clopper_pearson
from demur.warehouse.expectations.results import ExpectationResult
from demur.warehouse.home import Home

KEPT_RESULTS: Final = 120
"""Number of newest results that Data Docs keep: the gates of seven rounds. Rows of the warehouse are not deleted."""
_OURS: Final = {
    "page.j2": "page.html",
    "index_page.j2": "page.html",
    "bootstrap_table.j2": "index_table.html",
    "tabs.j2": "tabs.html",
    "collapse.j2": "collapse.html",
    "pages.css": "pages.css",
}


def write_pages(
    home: Home, found: Mapping[StageGate, Sequence[ExpectationResult]], round_id: str, bounds: GateBounds
) -> None:
    """Write the Data Docs of a round's gates, and the index of a home's Data Docs.

    A file lock keeps two rounds from writing the index at the same time.

    Raises:
        WarehouseError: the pages cannot be written.
    """
    lock = home.locks / "data_docs.lock"
    with disk_explained(home.data_docs):
        lock.parent.mkdir(parents=True, exist_ok=True)
        home.data_docs.mkdir(parents=True, exist_ok=True)
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            docs = Docs(home)
            for gate, results in found.items():
                docs.add(gate, results, round_id, bounds)
            docs.write()


class _Kept(logging.Handler):
    """Keeps the errors that GX logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def _errors_raised() -> Iterator[None]:
    """Raise the first error that GX logs in the block, with its traceback, instead of a page that it did not write."""
    logger, kept = logging.getLogger("great_expectations"), _Kept()
    before = logger.propagate, logger.level
    logger.addHandler(kept)
    logger.propagate = False
    logger.setLevel(logging.ERROR)  # a level set by a user or a library would hide the errors
    try:
        yield
    finally:
        logger.removeHandler(kept)
        logger.propagate = before[0]
        logger.setLevel(before[1])
    for record in kept.records:
        cause = record.exc_info[1] if record.exc_info else None
        raise cause if isinstance(cause, OSError) else OSError(record.getMessage().partition("\n")[0])


class Docs:
    """Writer of the results and pages in DEMUR_HOME/data_docs, by means of GX."""

    def __init__(self, home: Home) -> None:
        self._context = gx.get_context(mode="ephemeral", project_config=_configuration(home.data_docs))
        self._run_at = datetime.now(UTC)
        self._new: list[ExpectationSuiteIdentifier | ValidationResultIdentifier] = []

    def add(self, gate: StageGate, results: Sequence[ExpectationResult], round_id: str, bounds: GateBounds) -> None:
        """Replace a round's results of a stage's gate by `results`; each kind of gate is one suite of GX."""
        for kind in gate.kinds() if results else ():
            self._forget(round_id, name := gate.suite(kind))
            found = [
                _result(one, [result for result in results if result.expectation == one.name], bounds)
                for one in gate.expectations()
                if one.gate is kind
            ]
            met = sum(bool(result.success) for result in found)
            suite = ExpectationSuiteIdentifier(name)
            key = ValidationResultIdentifier(suite, RunIdentifier(round_id, self._run_at), batch_identifier=name)
            validation = ExpectationSuiteValidationResult(
                success=met == len(found),
                results=found,
                suite_name=name,
                statistics={
                    "evaluated_expectations": len(found),
                    "successful_expectations": met,
                    "unsuccessful_expectations": len(found) - met,
                    "success_percent": 100 * met / len(found),
                },
                meta={
                    "great_expectations_version": gx.__version__,
                    "run_id": key.run_id,
                    "validation_time": self._run_at.isoformat(),
                    "active_batch_definition": {"datasource_name": "warehouse", "data_asset_name": name},
                },
            )
            self._context.expectations_store.add(
                suite, gx.ExpectationSuite(name, expectations=[result.expectation_config for result in found])
            )
            self._results.store_validation_results(validation, key)
            self._new += [suite, key]

    def write(self) -> None:
        """Write the pages of the added results and the index, and delete all but the newest KEPT_RESULTS results."""
        newest_first = sorted(self._results.list_keys(), key=lambda key: key.run_id.run_time, reverse=True)
        for key in newest_first[KEPT_RESULTS:]:
            self._results.remove_key(key)
        with _errors_raised():
            self._context.build_data_docs(resource_identifiers=self._new)

    @property
    def _results(self) -> Any:
        return self._context.validation_results_store

    def _forget(self, round_id: str, suite_name: str) -> None:
        """Delete a suite and its results in the round.

        The files are not read, since a killed process may have left incomplete files.
        """
        suites = self._context.expectations_store
        suite = ExpectationSuiteIdentifier(suite_name)
        if suites.has_key(suite):
            suites.remove_key(suite)
        for key in self._results.list_keys():
            if key.run_id.run_name == round_id and key.expectation_suite_identifier == suite:
                self._results.remove_key(key)


def _result(expectation: Expectation, found: Sequence[ExpectationResult], bounds: GateBounds) -> Any:
    """Return one GX result for one expectation; the GX result has one element for each subject."""
    column, declared = _column_and_gx(expectation, len(found), bounds)
    values = [float(result.offending or 0) for result in found]
    if expectation.at_least is not None:
        successes = np.array([result.successes or 0 for result in found], "int64")
        low, high = clopper_pearson(successes, np.array([result.trials or 0 for result in found], "int64"))
        values = [float(end) for end in (high if expectation.at_least else low)]
    broken = [(value, result) for value, result in zip(values, found, strict=True) if not result.success]
    shown = ["observed"] if expectation.at_least is None else ["subject", "successes", "trials"]
    index = [{column: value} | {name: getattr(result, name) for name in shown} for value, result in broken]
    unexpected = [value for value, _ in broken]
    return ExpectationValidationResult(
        success=not broken,
        expectation_config=declared.configuration,
        result={
            "element_count": len(found),
            "unexpected_count": len(broken),
            "unexpected_percent": 100 * len(broken) / max(len(found), 1),
            "unexpected_list": unexpected,
            "partial_unexpected_list": unexpected,
            "partial_unexpected_counts": [{"value": v, "count": n} for v, n in Counter(unexpected).items()],
            "unexpected_index_column_names": shown,
            "unexpected_index_list": index,
        },
    )


def _column_and_gx(expectation: Expectation, subjects: int, bounds: GateBounds) -> tuple[str, Any]:
    """Return the column with the values that decide an expectation, and the GX expectation about that column.

    The column of an integrity expectation is `offending`. The column of a sample expectation is an interval limit of
    the share: the upper limit `high` for a lower bound, the lower limit `low` for an upper bound.
    """
    named = {"row_condition": Column("expectation") == expectation.name, "meta": {"name": expectation.name}}
    if expectation.at_least is None:
        column = "offending"
        limits = {"min_value": 0.0, "max_value": 0.0}
        meaning = expectation.meaning
    else:
        column = "high" if expectation.at_least else "low"
        limits = {"min_value" if expectation.at_least else "max_value": bounds.share(expectation, subjects)}
        meaning = (
            f"{expectation.meaning} Wanted is {bounds.text(expectation)} (gates.{expectation.name}); not met "
            f"only where the exact 95 % interval of a share excludes that, by its {column} end."
        )
    return column, gxe.ExpectColumnValuesToBeBetween(column=column, description=meaning, **limits, **named)


class OfflineSite(SiteBuilder):  # type: ignore[misc]
    """A site without GX's fonts and pictures (4 MB), which demur's templates do not use."""

    def build(self, resource_identifiers: Any = None, build_index: bool = True) -> tuple[str | None, Any]:
        """Write the index and the pages of `resource_identifiers`; return the index's address and links."""
        for section in self.site_section_builders.values():
            section.build(resource_identifiers=resource_identifiers)
        _, links = self.site_index_builder.build(build_index=build_index)
        return self.get_resource_url(only_if_exists=False), links


class _Ours:
    """Mixin for GX's page views: demur's templates override the templates of GX, and values are escaped as HTML."""

    env: Environment

    def __init__(self) -> None:
        super().__init__()
        theirs = self.env.loader
        assert theirs is not None
        self.env.loader = ChoiceLoader([FunctionLoader(_our_template), theirs])

    @pass_context
    def render_content_block(self, jinja_context: Any, content_block: Any, *places: Any, **named: Any) -> Any:
        """Return a content block as HTML, with values of columns escaped."""
        if isinstance(content_block, str):
            content_block = html.escape(content_block)
        elif isinstance(content_block, list):
            content_block = [html.escape(part) if isinstance(part, str) else part for part in content_block]
        return super().render_content_block(jinja_context, content_block, *places, **named)  # type: ignore[misc]


class OfflinePage(_Ours, DefaultJinjaPageView):  # type: ignore[misc]
    """A page of a suite or a validation, made with demur's template."""


class OfflineIndex(_Ours, DefaultJinjaIndexPageView):  # type: ignore[misc]
    """The index page, made with demur's template."""


class UtcIndex(SiteIndexPageRenderer):  # type: ignore[misc]
    """The content of the index, with times in UTC.

    GX itself would use the local time zone, and fail for POSIX time zones.
    """

    @classmethod
    def _get_formatted_datetime(cls, _datetime: datetime | str | None) -> str | None:
        if _datetime is None:
            return None
        at = datetime.fromisoformat(_datetime) if isinstance(_datetime, str) else _datetime
        return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _our_template(name: str) -> str | None:
    if name not in _OURS:
        return None
    return (files("demur.warehouse.expectations") / "pages" / _OURS[name]).read_text(encoding="utf-8")


def _configuration(folder: Path) -> DataContextConfig:
    """Return the configuration of GX: results and suites are in hidden folders beside the pages, analytics are off."""

    def stored(class_name: str, place: str) -> Mapping[str, object]:
        return {"class_name": class_name, "store_backend": _files(folder / place)}

    page = {"module_name": __name__, "class_name": OfflinePage.__name__}
    return DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(),
        stores={
            "expectations_store": stored("ExpectationsStore", ".suites"),
            "validation_results_store": stored("ValidationResultsStore", ".results"),
            "validation_definition_store": {"class_name": "ValidationDefinitionStore"},
            "checkpoint_store": {"class_name": "CheckpointStore"},
        },
        expectations_store_name="expectations_store",
        validation_results_store_name="validation_results_store",
        checkpoint_store_name="checkpoint_store",
        data_docs_sites={
            "gates": {
                "module_name": __name__,
                "class_name": OfflineSite.__name__,
                "show_how_to_buttons": False,
                "store_backend": _files(folder),
                "site_index_builder": {
                    "class_name": "DefaultSiteIndexBuilder",
                    "renderer": {"module_name": __name__, "class_name": UtcIndex.__name__},
                    "view": {"module_name": __name__, "class_name": OfflineIndex.__name__},
                },
                "site_section_builders": {
                    "expectations": {"view": page},
                    "validations": {"view": page, "run_name_filter": {"matches_regex": ".*"}},
                    "profiling": "None",
                },
            }
        },
        analytics_enabled=False,
        progress_bars=ProgressBarsConfig(globally=False),
    )


def _files(folder: Path) -> Mapping[str, object]:
    """Return a file backend of GX; `$` in the path is escaped, since GX would replace `$NAME` by a variable."""
    return {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder).replace("$", r"\$")}

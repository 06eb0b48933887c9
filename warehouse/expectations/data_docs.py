"""Great Expectations' Data Docs as pages that load nothing: no script, no font, no style from anywhere else.

GX's own page templates take Bootstrap, jQuery, Vega and icons from public servers, and no setting of GX changes that.
So the page frames are ours (`pages/`), around the content that GX renders, and a content security policy in each page
forbids whatever else might be asked for. Imports great_expectations: import it late.
"""

import fcntl
import html
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd
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
from great_expectations.render.view import DefaultJinjaIndexPageView, DefaultJinjaPageView
from jinja2 import ChoiceLoader, Environment, FunctionLoader, pass_context

from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.expectations.bounds import GateBounds
from demur.warehouse.expectations.declared import Expectation, Gate, StageGate
from demur.warehouse.expectations.intervals import clopper_pearson
from demur.warehouse.expectations.results import ExpectationResult
from demur.warehouse.home import Home

KEPT_RESULTS: Final = 120
"""Results that stay in Data Docs, newest first: the gates of seven rounds. Rows in the warehouse stay for good."""
_RESULT_FORMAT: Final = "COMPLETE"
_OURS: Final = {
    "page.j2": "page.html",
    "index_page.j2": "page.html",
    "bootstrap_table.j2": "index_table.html",
    "tabs.j2": "tabs.html",
    "collapse.j2": "collapse.html",
    "pages.css": "pages.css",
}


@contextmanager
def data_docs(home: Home) -> Iterator["Docs"]:
    """Yield the Data Docs of a home to validate frames with, and write the pages when the block is left.

    One thread or process at a time is in the block, so that two rounds don't write the same index.
    """
    lock = home.locks / "data_docs.lock"
    with disk_explained(home.data_docs):
        lock.parent.mkdir(parents=True, exist_ok=True)
        home.data_docs.mkdir(parents=True, exist_ok=True)
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            docs = Docs(home)
            yield docs
            docs.write()


class Docs:
    """Validates frames in an ephemeral GX context whose results and pages stay in DEMUR_HOME/data_docs."""

    def __init__(self, home: Home) -> None:
        logging.getLogger("great_expectations").setLevel(logging.ERROR)
        self._context = gx.get_context(mode="ephemeral", project_config=_configuration(home.data_docs))
        self._source = self._context.data_sources.add_pandas(name="warehouse")
        self._run_at = datetime.now(UTC)
        self._new: list[ExpectationSuiteIdentifier | ValidationResultIdentifier] = []

    def add(self, gate: StageGate, results: Sequence[ExpectationResult], round_id: str, bounds: GateBounds) -> None:
        """Validate what a stage's gate counted, a suite per kind of gate, in place of the round's earlier results.

        Raises:
            WarehouseError: GX could not evaluate an expectation.
        """
        for kind in gate.kinds() if results else ():
            frame = _frame([result for result in results if result.gate is kind])
            asked = [_asked(one, frame, bounds) for one in gate.expectations() if one.gate is kind]
            shown = ["observed"] if kind is Gate.INTEGRITY else ["subject", "successes", "trials"]
            self._validate(gate.suite(kind), asked, frame, round_id, shown)

    def _validate(
        self, suite_name: str, expectations: list[Any], frame: pd.DataFrame, round_id: str, shown_columns: list[str]
    ) -> None:
        """Keep what GX finds of a frame; `shown_columns` go with each value that breaks an expectation."""
        self._forget(round_id, suite_name)
        suite = self._context.suites.add(gx.ExpectationSuite(name=suite_name, expectations=expectations))
        batch = self._source.add_dataframe_asset(suite_name).add_batch_definition_whole_dataframe("all")
        definition = gx.ValidationDefinition(name=suite_name, data=batch, suite=suite)
        before = set(self._results.list_keys())
        validation = self._context.validation_definitions.add(definition).run(
            batch_parameters={"dataframe": frame},
            run_id=RunIdentifier(run_name=round_id, run_time=self._run_at),
            result_format={
                "result_format": _RESULT_FORMAT,
                "unexpected_index_column_names": shown_columns,
                "include_unexpected_rows": False,
            },
        )
        self._new += [ExpectationSuiteIdentifier(suite_name), *(set(self._results.list_keys()) - before)]
        for result in validation.results:
            problem = _problem(result.exception_info)
            if problem:
                name = result.expectation_config.meta["name"]
                raise WarehouseError(f"{suite_name}: Great Expectations could not evaluate {name}: {problem}")

    def write(self) -> None:
        """Write the pages of what was validated, the index, and drop what is too old."""
        newest_first = sorted(self._results.list_keys(), key=lambda key: key.run_id.run_time, reverse=True)
        for key in newest_first[KEPT_RESULTS:]:
            self._results.remove_key(key)
        self._context.build_data_docs(resource_identifiers=self._new)

    @property
    def _results(self) -> Any:
        return self._context.validation_results_store

    def _forget(self, round_id: str, suite_name: str) -> None:
        """Remove a suite and a round's results of it, unread: a killed process may have left them half-written."""
        suites, suite = self._context.expectations_store, ExpectationSuiteIdentifier(suite_name)
        if suites.has_key(suite):
            suites.remove_key(suite)
        for key in self._results.list_keys():
            if key.run_id.run_name == round_id and key.expectation_suite_identifier == suite:
                self._results.remove_key(key)


def _frame(results: Sequence[ExpectationResult]) -> pd.DataFrame:
    """Return one row per result, with the ends of the exact 95 % interval of a share."""
    frame = pd.DataFrame([asdict(result) for result in results])
    if frame["trials"].notna().all():
        frame["low"], frame["high"] = clopper_pearson(
            frame["successes"].to_numpy("int64"), frame["trials"].to_numpy("int64")
        )
    return frame


def _asked(expectation: Expectation, frame: pd.DataFrame, bounds: GateBounds) -> Any:
    """Return what GX is to expect of the frame's rows of one expectation."""
    described: dict[str, Any] = {
        "row_condition": Column("expectation") == expectation.name,
        "meta": {"name": expectation.name},
    }
    if expectation.at_least is None:
        return gxe.ExpectColumnValuesToBeBetween(
            column="offending", min_value=0, max_value=0, description=expectation.meaning, **described
        )
    share = bounds.share(expectation, int((frame["expectation"] == expectation.name).sum()))
    end = "high" if expectation.at_least else "low"
    return gxe.ExpectColumnValuesToBeBetween(
        column=end,
        min_value=share if expectation.at_least else None,
        max_value=None if expectation.at_least else share,
        description=f"{expectation.meaning} Wanted is {bounds.text(expectation)} (gates.{expectation.name}); not met "
        f"only where the exact 95 % interval of a share excludes that, by its {end} end.",
        **described,
    )


def _problem(exception_info: Mapping[str, Any]) -> str:
    raised = [exception_info] if "raised_exception" in exception_info else list(exception_info.values())
    return next((str(one["exception_message"]) for one in raised if one.get("raised_exception")), "")


class OfflineSite(SiteBuilder):  # type: ignore[misc]
    """A site of pages only: fonts and pictures of GX's own pages, 4 MB, are not copied, because nothing shows them."""

    def build(self, resource_identifiers: Any = None, build_index: bool = True) -> tuple[str | None, Any]:
        """Write the pages of the given resources and the index; return the index's address and links."""
        for section in self.site_section_builders.values():
            section.build(resource_identifiers=resource_identifiers)
        _, links = self.site_index_builder.build(build_index=build_index)
        return self.get_resource_url(only_if_exists=False), links


class _Ours:
    """Puts our page frames before GX's templates, and escapes the values that GX would write into pages as they are."""

    env: Environment

    def __init__(self) -> None:
        super().__init__()
        theirs = self.env.loader
        assert theirs is not None
        self.env.loader = ChoiceLoader([FunctionLoader(_our_template), theirs])

    @pass_context
    def render_content_block(self, jinja_context: Any, content_block: Any, *places: Any, **named: Any) -> Any:
        """Return a content block as HTML; a value that was found in a column stays text."""
        if isinstance(content_block, str):
            content_block = html.escape(content_block)
        elif isinstance(content_block, list):
            content_block = [html.escape(part) if isinstance(part, str) else part for part in content_block]
        return super().render_content_block(jinja_context, content_block, *places, **named)  # type: ignore[misc]


class OfflinePage(_Ours, DefaultJinjaPageView):  # type: ignore[misc]
    """A page of a suite or a validation in our frame."""


class OfflineIndex(_Ours, DefaultJinjaIndexPageView):  # type: ignore[misc]
    """The index page in our frame."""


def _our_template(name: str) -> str | None:
    if name not in _OURS:
        return None
    return (files("demur.warehouse.expectations") / "pages" / _OURS[name]).read_text(encoding="utf-8")


def _configuration(folder: Path) -> DataContextConfig:
    """Results and suites in hidden folders beside the pages, the rest in memory; no analytics, no progress bars."""

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
    return {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)}

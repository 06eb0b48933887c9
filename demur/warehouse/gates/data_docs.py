"""Data Docs of Great Expectations (GX) on the gates of a round: suites, one checkpoint, and the pages that GX makes.

The pages are those of GX and load its fonts, styles and scripts from other servers, so they hold no text of models,
corpora or documents: only names of expectations, their meanings, and numbers. This module imports great_expectations,
which is slow.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
import numpy as np
import pandas as pd

from demur.warehouse.errors import disk_explained
from demur.warehouse.gates.declared import Expectation, Gate, StageGate
from demur.warehouse.gates.results import ExpectationResult, GateBounds, clopper_pearson


def write_pages(
    folder: Path, found: Mapping[StageGate, Sequence[ExpectationResult]], round_id: str, bounds: GateBounds
) -> None:
    """Write the Data Docs of a round's gates into `folder`, in place of what it holds.

    Raises:
        WarehouseError: the pages cannot be written.
    """
    os.environ["TZ"] = "UTC"  # GX writes times of the machine's zone, and fails for POSIX time zones
    with disk_explained(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _validate(folder, {gate: results for gate, results in found.items() if results}, round_id, bounds)
        if not (folder / "index.html").is_file():
            raise OSError("Great Expectations wrote no index.html")  # it logs errors of pages and goes on


def _validate(
    folder: Path, found: Mapping[StageGate, Sequence[ExpectationResult]], round_id: str, bounds: GateBounds
) -> None:
    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(enable=False)
    context.variables.progress_bars = {"globally": False}
    for name in list(context.list_data_docs_sites()):
        context.delete_data_docs_site(name)
    # GX would replace `$NAME` in a path by a variable
    store = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder).replace("$", r"\$")}
    index = {"class_name": "DefaultSiteIndexBuilder"}
    context.add_data_docs_site(
        "gates", {"class_name": "SiteBuilder", "site_index_builder": index, "store_backend": store}
    )
    asset = context.data_sources.add_pandas("warehouse").add_dataframe_asset("gates")
    batch = asset.add_batch_definition_whole_dataframe(round_id)
    definitions = []
    for gate, results in found.items():
        for kind in gate.kinds():
            declared = [_declared(gate, one, results, bounds) for one in gate.expectations() if one.gate is kind]
            suite = context.suites.add(gx.ExpectationSuite(gate.suite(kind), expectations=declared))
            definition = gx.ValidationDefinition(name=gate.suite(kind), data=batch, suite=suite)
            definitions.append(context.validation_definitions.add(definition))
    checkpoint = gx.Checkpoint(name=round_id, validation_definitions=definitions)
    frame = pd.DataFrame({name: pd.Series(values, dtype=float) for name, values in _columns(found)})
    context.checkpoints.add(checkpoint).run(
        batch_parameters={"dataframe": frame}, run_id=gx.RunIdentifier(run_name=round_id)
    )
    context.build_data_docs()  # once: GX's action for checkpoints makes index and styles again after each suite


def _column(gate: StageGate, expectation: Expectation) -> str:
    return f"{gate.stage}.{expectation.name}"


def _columns(found: Mapping[StageGate, Sequence[ExpectationResult]]) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield a column for each expectation, with a value for each of its subjects.

    The values of an integrity expectation are numbers of offending rows. Those of a sample expectation are ends of the
    interval of a share: the upper end for a lower bound, and the lower end for an upper bound.
    """
    for gate, results in found.items():
        for expectation in gate.expectations():
            own = [result for result in results if result.expectation == expectation.name]
            if expectation.gate is Gate.INTEGRITY:
                yield _column(gate, expectation), [float(result.offending or 0) for result in own]
            else:
                successes, trials = (
                    np.array([getattr(result, name) or 0 for result in own], "int64")
                    for name in ("successes", "trials")
                )
                low, high = clopper_pearson(successes, trials)
                yield _column(gate, expectation), list(high if expectation.at_least else low)


def _declared(
    gate: StageGate, expectation: Expectation, results: Sequence[ExpectationResult], bounds: GateBounds
) -> Any:
    """Return the expectation of GX on the column of an expectation."""
    column = _column(gate, expectation)
    if expectation.gate is Gate.INTEGRITY:
        return gxe.ExpectColumnValuesToBeBetween(
            column=column, min_value=0, max_value=0, description=expectation.meaning
        )
    limit = bounds.share(expectation, sum(result.expectation == expectation.name for result in results))
    end, bound = ("upper", "min_value") if expectation.at_least else ("lower", "max_value")
    meaning = (
        f"{expectation.meaning} Wanted is {bounds.text(expectation)} (gates.{expectation.name}); the values are the "
        f"{end} ends of exact 95 % intervals."
    )
    return gxe.ExpectColumnValuesToBeBetween(column=column, description=meaning, **{bound: limit})

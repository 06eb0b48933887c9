"""Metrics of other packages, in the entry point group `demur.metrics`.

A metric is a callable. It takes a frame with the responses of one model to perturbed items (columns as in
`scoring.responses`), and returns a number, or None if the metric is undefined.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from demur.plugins import PluginError, PluginKind, plugin, required

if TYPE_CHECKING:
    import pandas as pd

    from demur.scoring.estimates import Estimate

OwnMetric = Callable[["pd.DataFrame"], float | None]


def checked_metric(name: str) -> str:
    """Return `name` if an installed package has a metric of this name.

    Raises:
        ValueError: no package has such a metric.
        PluginError: a package uses the name of a built-in metric, or several packages use this name.
    """
    from demur.scoring.metrics import METRIC_NAMES  # takes a second to import; most rounds name no metric

    if plugin(PluginKind.METRIC, name, METRIC_NAMES) is None:
        raise ValueError(f"'{name}' is not a metric of an installed package")
    return name


def own_estimates(frame: "pd.DataFrame", names: Sequence[str]) -> Iterator[tuple[str, str, "Estimate"]]:
    """Yield model, metric and estimate (without an interval) of each metric of another package.

    Raises:
        PluginError: a metric cannot be imported, raises, or returns no number.
    """
    from demur.scoring.estimates import Estimate

    perturbed = frame[frame["kind"] == "perturbed"] if "kind" in frame.columns else frame
    for name in names:
        found = required(PluginKind.METRIC, name)
        metric = cast("OwnMetric", found.load(callable, "a function"))
        for model, responses in perturbed.groupby("model", sort=True):
            try:
                value = metric(responses.reset_index(drop=True))
                number = math.nan if value is None else float(value)
            except Exception as exc:
                raise PluginError(f"{found.place}: raised {type(exc).__name__}: {exc}") from exc
            nothing = "nothing to count" if math.isnan(number) else "without an interval"
            reason = f"{nothing}: counted by {found.package}"
            yield str(model), name, Estimate(number, n=len(responses), reason=reason)

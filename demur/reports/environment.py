"""The environment of all templates: whatever they print is data unless a template wrote it as markup."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from demur.reports import names, text

TEMPLATES: Final = Path(__file__).parent / "templates"
"""The frame of every page, and the pages and sections of reports."""


def environment_of(*folders: Path, filters: tuple[Callable[..., Any], ...] = (), **known: Any) -> Environment:
    """Return an environment for the templates of some folders, and for those of reports where these have none.

    `filters` are known under their own names, beside those that every page needs; `known` are values for all pages.
    """
    found = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        finalize=text.as_data,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared = (text.percent, text.signed, text.count, text.small, names.spoken)
    found.filters.update({function.__name__: function for function in (*shared, *filters)})
    found.globals.update(names=names, **known)
    return found

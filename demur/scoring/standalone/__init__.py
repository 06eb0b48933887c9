"""Modules that run without demur, and their sources for exported tasks and for reward files of releases."""

import inspect
import re
from types import ModuleType
from typing import Final

_OWN_IMPORT: Final = re.compile(r"^from demur\.\S+ import (?:\([^)]*\)|.*)\n", re.MULTILINE)


def standalone_source(*modules: ModuleType) -> str:
    """Return the sources of modules as one source, without the modules' imports from demur.

    A module follows those that it imports, and the last one gives the docstring. All use only Python's standard
    library, and no name stands at the top level of two of them.
    """
    *_, last = modules
    sources = (_OWN_IMPORT.sub("", inspect.getsource(module)) for module in modules)
    return "\n\n".join((f'"""{last.__doc__}"""\n', *sources))

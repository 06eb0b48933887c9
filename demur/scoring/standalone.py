"""Sources of modules that run without demur, for exported tasks and for reward files of releases."""

import inspect
import re
from types import ModuleType
from typing import Final

_OWN_IMPORT: Final = re.compile(r"^from demur\.\S+ import (?:\([^)]*\)|.*)\n", re.MULTILINE)


def standalone_source(*modules: ModuleType) -> str:
    """Return the sources of modules as one source, without the modules' imports from demur.

    A module follows those that it imports. All of them use only Python's standard library.
    """
    return "\n\n".join(_OWN_IMPORT.sub("", inspect.getsource(module)) for module in modules)

"""Every task that a model can be asked, by the name that its prompt begins with: `TASKS` of this package's modules."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

import dspy

import demur.programs.signatures as package

_MODULES: Final = [
    import_module(f"{package.__name__}.{info.name}")
    for info in iter_modules(package.__path__)
    if f"{package.__name__}.{info.name}" != __name__
]
SIGNATURES: Final[dict[str, type[dspy.Signature]]] = {
    signature.__name__: signature for module in _MODULES for signature in getattr(module, "TASKS", ())
}

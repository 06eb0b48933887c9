"""The taxonomy as prompts list it: targets, refusal codes and their order, a line each."""

from typing import Final

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import PRECEDENCE, Code

TARGETS: Final = "\n".join(f"- {target}: {words}" for target, words in load_taxonomy().targets.items())
"""What each target lets change."""

CODE_LINES: Final = tuple(f"{entry.code}: {entry.when} {entry.line}" for entry in load_taxonomy().codes)
"""When each refusal code is given, and where others begin."""

CODES: Final = "\n".join(f"- {line}" for line in CODE_LINES)
"""The same as a list."""

_ORDERED: Final = f"{', '.join(PRECEDENCE)}; {Code.OTHER} where none of them does"
ORDER: Final = f"Where several codes fit, the first that fits counts of: {_ORDERED}."

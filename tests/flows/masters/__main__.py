"""Writes the golden master of a round: NAME HOME ROUND."""

import json
import sys
from pathlib import Path

from demur.warehouse.home import Home
from tests.flows.masters import FOLDER, master_of

name, folder, of_round = sys.argv[1:]
made = json.dumps(master_of(Home(Path(folder)), of_round), indent=2, ensure_ascii=False) + "\n"
(FOLDER / f"{name}.json").write_text(made, encoding="utf-8")

"""One package of rooms: each says what it is and has its place in the layers."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = sorted(path.parent for path in (ROOT / "demur").glob("*/__init__.py"))
LINKS = ("flows", "programs", "levers", "warehouse", "deployments")


def doc_of(room: Path) -> str:
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""


def test_table_of_rooms_in_contributing_is_what_the_rooms_say() -> None:
    """The rooms and the rooms in them; a stage's folder is a part of the room of its stages."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `([\w/]+)/` \| (.+) \|$", text, re.M))
    stages = ROOT / "demur/flows/stages"
    rooms = [path.parent for path in (ROOT / "demur").glob("*/**/__init__.py") if stages not in path.parents[2:3]]
    assert table == {str(room.relative_to(ROOT)): doc_of(room).splitlines()[0] for room in rooms}


def test_no_room_has_more_modules_side_by_side_than_people_look_over() -> None:
    modules = Counter(path.parent for path in (ROOT / "demur").rglob("*.py") if path.name != "__init__.py")
    assert {str(room): number for room, number in modules.items() if number > 16} == {}


def test_every_room_has_a_place_in_the_layers() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in linter["contracts"] if one["type"] == "layers")
    placed = {name.strip().removeprefix("demur.") for layer in layers for name in layer.split("|")}
    assert placed == {room.name for room in ROOMS if room.name != "deployments"} | {"api", "errors", "plugins"}


def test_folders_at_the_top_are_links_to_rooms() -> None:
    assert {name: (ROOT / name).readlink() for name in LINKS} == {name: Path("demur") / name for name in LINKS}

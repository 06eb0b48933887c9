"""Names are the field's: no class name has two meanings, and no word that only this project would use is a name."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRIVATE_WORDS = frozenset(
    {"mind", "till", "purse", "errand", "desk", "seat", "seats", "ear", "reach", "tangle", "tangles"}
    | {"told", "whoever", "nobody", "sureness"}
)


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "demur").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_public_classes_have_names_of_their_own() -> None:
    places = defaultdict(set)
    for path, tree in sources():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(path)
    twice = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    assert twice == {}


def test_names_are_words_of_the_field() -> None:
    private = {
        f"{path}: {name}"
        for path, tree in sources()
        for name in {Path(path).stem, *names(tree)}
        if words(name) & PRIVATE_WORDS
    }
    assert private == set()


def test_docstrings_of_functions_say_what_they_return() -> None:
    oblique = {
        f"{path}: {node.name}"
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (ast.get_docstring(node) or "").startswith(("Say ", "Tell "))
    }
    assert oblique == set()

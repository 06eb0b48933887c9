"""YAML files as typed models, with file, line and field for each fault.

Only plain data is read: tags, anchors and aliases are refused, so a file can neither run code nor exhaust memory.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from demur.levers.explain import FieldPath, LeverError, Problem, explain, printable

MAX_BYTES = 5_000_000
MAX_DEPTH = 40

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Source:
    """A YAML file's text, with methods that find the line of a field."""

    name: str
    text: str
    schema: str | None = None

    def line(self, path: FieldPath) -> int:
        """Return the line, from 1, of the field at a path, or of its closest existing ancestor."""
        return self._line_in(yaml.compose(self.text, Loader=yaml.CSafeLoader), path)

    @staticmethod
    def _line_in(node: yaml.Node | None, path: FieldPath) -> int:
        line = 1 if node is None else _line(node.start_mark)
        for part in path:
            found = _child(node, part)
            if found is None:
                break
            key, node = found
            line = _line(key.start_mark)
        return line

    def error(self, problems: Iterable[Problem]) -> LeverError:
        """Return an error with a line for each problem, in the order of the file."""
        root = yaml.compose(self.text, Loader=yaml.CSafeLoader)
        placed = sorted((self._line_in(root, problem.path), problem.message) for problem in problems)
        return LeverError("\n".join(f"{self.name}:{line}: {message}" for line, message in placed))


class _Mark(Protocol):
    @property
    def line(self) -> int: ...


class _PlainLoader(yaml.CSafeLoader):
    """PyYAML's safe loader in C, with dates as texts."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def read_source(path: Path, schema: str | None = None) -> Source:
    """Return the text of a plain YAML file; `schema` is the command that prints its schema.

    Raises:
        LeverError: the file cannot be read, is empty, too large, not UTF-8, not YAML, or has more than plain data.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise LeverError(f"{path}: has {size:,} bytes; at most {MAX_BYTES:,} are allowed. Split the file")
        raw = path.read_bytes()
    except OSError as exc:
        raise LeverError(f"{path}: cannot be read ({exc.strerror}). Check the path and its permissions") from exc
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        raise LeverError(f"{path}:{line}: byte 0x{raw[exc.start]:02x} is not UTF-8. Save the file as UTF-8") from exc
    if not text.strip():
        raise LeverError(f"{path}: is empty.{_see(schema)}")
    _refuse_more_than_data(str(path), text)
    return Source(str(path), text, schema)


def plain_data(source: Source) -> dict[str, object]:
    """Return the file's content as plain values, not yet validated.

    Raises:
        LeverError: a value cannot be read, or the file holds no mapping.
    """
    try:
        data = yaml.load(source.text, Loader=_PlainLoader)
    except (yaml.YAMLError, ValueError) as exc:
        raise LeverError(f"{source.name}: {_one_line(exc)}. Quote the value if it is meant as text") from exc
    if not isinstance(data, dict):
        raise LeverError(
            f"{source.name}:1: holds {_kind(data)}; a mapping of fields is needed at the top.{_see(source.schema)}"
        )
    return data


def read_yaml(
    path: Path, model: type[Model], schema: str | None = None, context: Mapping[str, object] | None = None
) -> Model:
    """Return the content of a YAML file as a model.

    `schema` is the command that prints the JSON Schema of such files, for error messages.

    `context` holds further data for the model's validators.

    Raises:
        LeverError: with one line for each fault.
    """
    source = read_source(path, schema)
    try:
        return model.model_validate(plain_data(source), context=context)
    except ValidationError as exc:
        raise source.error(explain(exc, model)) from exc


def yaml_files(path: Path) -> list[Path]:
    """Return the YAML files of a directory in name order, or the file itself.

    Raises:
        LeverError: the directory holds no .yaml or .yml file.
    """
    if not path.is_dir():
        return [path]
    files = sorted(child for child in path.iterdir() if child.suffix in {".yaml", ".yml"} and child.is_file())
    if not files:
        raise LeverError(f"{path}: the directory has no .yaml or .yml file. Name a file or another directory")
    return files


def _refuse_more_than_data(name: str, text: str) -> None:
    """Read the parser's events; refuse aliases, tags, repeated keys, further documents and deep nesting."""
    problems: list[str] = []
    keys: list[set[str] | None] = []  # one entry for every open collection; a set for a mapping
    expects_key: list[bool] = []
    documents = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            place = f"{name}:{_line(event.start_mark)}:"
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise LeverError(
                    f"{place} a second document starts here; a file has only one. Remove the line of hyphens"
                )
            if isinstance(event, yaml.AliasEvent):
                alias = printable(event.anchor or "")
                problems.append(f"{place} alias '*{alias}' is not read. Write the value out")
            elif isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
                problems.append(f"{place} tag '{printable(event.tag)}' is not read: only plain data is. Remove the tag")
            if isinstance(event, yaml.CollectionEndEvent):
                keys.pop()
                expects_key.pop()
            if isinstance(event, (yaml.NodeEvent, yaml.CollectionEndEvent)) and keys and keys[-1] is not None:
                if not isinstance(event, yaml.CollectionStartEvent):
                    _note_key(event, keys[-1], expects_key[-1], place, problems)
                    expects_key[-1] = not expects_key[-1]
                elif expects_key[-1]:
                    raise LeverError(
                        f"{place} a list or mapping cannot be a field name. Write a plain name before the colon"
                    )
            if isinstance(event, yaml.CollectionStartEvent):
                keys.append(set() if isinstance(event, yaml.MappingStartEvent) else None)
                expects_key.append(True)
                if len(keys) > MAX_DEPTH:
                    raise LeverError(f"{place} nested more than {MAX_DEPTH} levels deep. Use fewer levels")
    except yaml.MarkedYAMLError as exc:
        raise LeverError(
            f"{name}:{_line(exc.problem_mark)}: is not valid YAML: {exc.problem}. Check indentation and quotes"
        ) from exc
    except yaml.YAMLError as exc:
        raise LeverError(f"{name}: is not valid YAML: {_one_line(exc)}. Remove the character") from exc
    if problems:
        raise LeverError("\n".join(problems))


def _note_key(event: yaml.Event, seen: set[str], is_key: bool, place: str, problems: list[str]) -> None:
    if not is_key or not isinstance(event, yaml.ScalarEvent):
        return
    if event.value in seen:
        problems.append(f"{place} field '{printable(event.value)}' is given twice in one mapping. Keep one of them")
    seen.add(event.value)


def _child(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node that has the child's line, and the child; None if there is no such child.

    In a mapping, the first node is the key. In a sequence, both nodes are the child.
    """
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _line(mark: _Mark | None) -> int:
    return 1 if mark is None else mark.line + 1


def _one_line(exc: Exception) -> str:
    return " ".join(str(exc).split())


def _see(schema: str | None) -> str:
    return f" `{schema}` says what it must hold" if schema else ""


def _kind(data: object) -> str:
    return {list: "a list", str: "a text", type(None): "nothing"}.get(type(data), f"a {type(data).__name__}")

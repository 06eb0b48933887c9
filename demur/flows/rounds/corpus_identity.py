"""The identity of a round's corpus: two corpora of one file name have rounds and releases of their own."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur.configuration.corpus_section import CorpusChoice, DocumentsChoice
from demur.configuration.round_config import FRESH, NAME_LENGTH, RoundConfig
from demur.corpora.corpus import read_questions
from demur.corpora.corpus_rows import OnBadRow
from demur.corpora.documents.found import is_address
from demur.corpora.public_sets import published_sets
from demur.engine.context import RoundContext, home_reading
from demur.engine.logs import observer
from demur.errors import CorpusError
from demur.flows.rounds.request import RoundRequest, requested_config
from demur.warehouse.home import Home
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection


@dataclass(frozen=True, slots=True)
class CorpusIdentity:
    """What tells a corpus from another one of the same name, as hashes: no path of a user is stored.

    `content` is the hash of a file's bytes, or of the names and sizes of a folder's files; None for an address. The
    files with questions of people about documents belong to the corpus: their bytes to its content, and the place of
    `corpus.questions` to its place.
    """

    place: str
    content: str | None

    def record(self, name: str) -> dict[str, str | None]:
        """Return the identity for the stored configuration of a round."""
        return {"name": name, "place": self.place, "content": self.content}


def identity_of(context: RoundContext) -> CorpusIdentity | None:
    """Return the identity of a round's corpus; None if the corpus cannot be read."""
    identity = _identity_of_rows(context)
    files = question_files(context)
    if identity is None or not files:
        return identity
    place = identity.place
    if context.documents.questions is not None:
        place = _hash(repr([place, str(files[0].resolve())]))
    digests = [_digest(path) if path.is_file() else None for path in files]
    return CorpusIdentity(place, _hash(repr([identity.content or identity.place, *digests])))


def question_files(context: RoundContext) -> tuple[Path, ...]:
    """Return the files with questions of people in a round from documents: `corpus.questions`, then `asking.like`."""
    config = context.config
    if config.documents is None:
        return ()
    return tuple(context.file(path) for path in (config.documents.questions, config.asking.like) if path is not None)


def check_question_files(context: RoundContext) -> None:
    """Check the files with questions of people, before anything is asked.

    Raises:
        CorpusError: a file cannot be read, or a line is no question.
    """
    for path in question_files(context):
        read_questions(path)


def _identity_of_rows(context: RoundContext) -> CorpusIdentity | None:
    corpus = context.config.corpus
    if isinstance(corpus, DocumentsChoice):
        if is_address(corpus.documents):
            return CorpusIdentity(_hash(corpus.documents), None)
        path = context.folder / corpus.documents
    else:
        path = context.file(corpus.path)
    if not path.exists():
        return None
    place = _hash(str(path.resolve()))
    if path.is_dir():
        files = sorted((str(one.relative_to(path)), one.stat().st_size) for one in path.rglob("*") if one.is_file())
        return CorpusIdentity(place, _hash(repr(files)))
    return CorpusIdentity(place, _digest(path))


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def named_apart(home: Home, config: RoundConfig, folder: Path) -> RoundConfig:
    """Return the configuration with a name that no round of another corpus has.

    If a round has the configuration's name and another corpus, part of the corpus's hash is added to the name. A corpus
    is the same if it lies at the same place or has the same content. A round from before corpora had an identity has
    the same corpus if one of its questions is in the file.

    Args:
        home: The home of the rounds.
        config: The configuration, named after its corpus.
        folder: The folder at which relative paths of the configuration start.
    """
    identity = identity_of(RoundContext(home, config, folder, config.name, 0))
    if identity is None or not home.loader.is_file():
        return config
    with home_reading(home) as con:
        rounds = list(records(con, "rounds_of_name", [config.name, config.name]))
        for row in rounds:
            if _is_same(row["corpus"], identity):
                return _renamed(config, row["name"])
        taken = [row for row in rounds if row["name"] == config.name]
        if not taken or any(row["corpus"] is None and _shares_questions(row["bases"], config, folder) for row in taken):
            return config
    apart = _hash(identity.content or identity.place)[:6]
    name = f"{config.name[: NAME_LENGTH - len(apart) - 1]}-{apart}"
    return _renamed(config, name)


def _renamed(config: RoundConfig, name: str) -> RoundConfig:
    return config.model_copy(update={"name": name, "round_id": f"{name}-{FRESH}" if config.fresh else name})


def _is_same(known: Mapping[str, Any] | None, identity: CorpusIdentity) -> bool:
    if known is None:
        return False
    return known["place"] == identity.place or (identity.content is not None and known["content"] == identity.content)


def _shares_questions(bases: list[str], config: RoundConfig, folder: Path) -> bool:
    """Return whether a corpus has a base instance of a round, or nothing can be said."""
    corpus = config.corpus
    if not bases or not isinstance(corpus, CorpusChoice):
        return True
    wanted = set(bases)
    try:
        rows = corpus.open(folder / corpus.path, on_bad_row=OnBadRow.SKIP)
        return any(row.base_id in wanted for row in rows)
    except CorpusError:
        return True  # the start of the round says what is wrong


def notice_corpus(con: Connection, context: RoundContext, request: RoundRequest) -> None:
    """Print notices about a round's corpus that the request does not give.

    That is its format if it was recognised, the name of the round if another corpus has the usual name, and a change of
    its content since the round's last start.
    """
    if request.corpus is not None:
        usual, _ = requested_config(request)
        corpus = context.config.corpus
        reader = corpus.format if isinstance(corpus, CorpusChoice) else ""
        known = published_sets().get(reader)
        if known is not None and not request.corpus.startswith(f"{reader}:"):
            observer().notice(f"corpus: {corpus.name} has rows of {known.title}; --corpus {reader}:FILE")
        if usual.name != context.config.name:
            observer().notice(
                f"corpus: round '{usual.name}' of this home has another corpus named {corpus.name}. This round is "
                f"'{context.config.name}'"
            )
    identity = identity_of(context)
    for row in records(con, "rounds_of_name", [context.config.name, context.config.name]):
        known = row["corpus"]
        if row["round_id"] == context.round_id and known and identity and known["content"] != identity.content:
            name = context.config.corpus.name
            also = ", or a file with questions of people," if question_files(context) else ""
            observer().notice(
                f"corpus: {name}{also} has changed since round '{context.round_id}' was started. The round goes on "
                "with what is in it now; a finished round gets a new version of its release"
            )

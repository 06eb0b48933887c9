"""The request to start, plan or continue a round, and files of round configurations."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from demur.configuration.corpus_section import Corpus, CorpusChoice
from demur.configuration.round_config import FRESH, SHIPPED, RoundConfig
from demur.corpora.corpus import format_names
from demur.corpora.corpus_rows import OnBadRow
from demur.corpora.documents.found import is_address
from demur.corpora.jsonl import PACKED_SUFFIXES
from demur.corpora.public_sets import OUR_FIELDS, published_sets, recognised
from demur.corpora.record_files import parse_map
from demur.errors import ConfigError
from demur.lanes.spec import Replayed
from demur.levers.explain import LeverError, first_fault
from demur.levers.yaml_file import read_yaml

# Files of round configurations: finding and reading them.


def find_round_config(name_or_path: str) -> Path:
    """Return the path of a round configuration: a file, or a shipped configuration by name, such as "embedded".

    Raises:
        ConfigError: there is no such file and no such name.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    ours = SHIPPED / f"{name_or_path}.yaml"
    if path.name == name_or_path and ours.is_file():
        return ours
    if "://" in name_or_path:
        raise ConfigError(
            f"round configuration '{name_or_path}' is an address. A configuration names addresses, keys and code, so "
            "it is read from this machine only: download it, look at it, and name the file"
        )
    names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.yaml")))
    raise ConfigError(
        f"round configuration '{name_or_path}' is neither a file nor one of ours ({names}). Name one of these, or a "
        "file"
    )


def read_round_config(path: Path) -> RoundConfig:
    """Return the round configuration in a file. Relative paths in it are relative to the folder of the file.

    Raises:
        ConfigError: the file is invalid; the message has one line for every problem.
    """
    try:
        return read_yaml(path, RoundConfig, "demur config schema", context={"paid_stages": _paid_stages})
    except LeverError as exc:
        raise ConfigError(str(exc)) from exc


def _paid_stages() -> tuple[str, ...]:
    """Return the names of the stages that may have a cap.

    This imports all stages, which takes a second. It is therefore called only for configurations with caps.
    """
    from demur.flows.stages.registry import PAID_STAGES

    return PAID_STAGES


# The request to start, plan or continue a round.


EMBEDDED: Final = "embedded"
RULES: Final = "rules"
"""The configuration in place of the embedded one on another corpus, since recordings answer only their own
questions."""

AGAIN: Final = "invalid"


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """A request for a round: a configuration, and replacements of some of its settings.

    The fields are the parameters of the flows of a round and of `demur round`.

    Attributes:
        config: A configuration file, or the name of a shipped configuration, such as embedded or weekly.
        round_id: The id of the round to start or to continue. If None, the configuration decides. A configuration
            with fresh rounds then continues its unfinished round, or starts a new round if there is none.
        corpus: A corpus in place of the configuration's, as FILE, FORMAT:FILE or documents:FOLDER. The round is named
            after the corpus; if the request names a configuration, after the configuration and the corpus.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: If true, every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: With "invalid", judgements that could not be read are asked for again.
        mapping: Paths in the corpus's rows by our fields, as in `question=query,answers=answer`.
        answers: With "proved", screeners decide where no passage states an accepted answer; "stated" leaves such rows
            out. None: as configured.
        questions: A file of questions that people asked about the documents, beside the asker's.
        bad_rows: With "skip", faulty rows of the corpus are left out and counted; with "fail", the first one ends the
            start. None: as configured; for public sets, skip.
    """

    config: str = EMBEDDED
    round_id: str | None = None
    corpus: str | None = None
    bases: int | None = None
    max_usd: float | None = None
    probe: bool = True
    replay: str | None = None
    again: str | None = None
    mapping: str | None = None
    answers: str | None = None
    bad_rows: str | None = None
    questions: str | None = None

    def run_name(self, flow_name: str) -> str:
        """Return the name of a flow run, such as `embedded/verify`: a name for the round, and the name of the flow.

        The name for the round is its id. If the request has no id, it is the name of the corpus or, if there is none,
        of the configuration.
        """
        return f"{self.round_id or Path(self.corpus or self.config).stem}/{flow_name}"


def asks_again(again: str | None) -> bool:
    """Return whether unreadable judgements are asked for again.

    Raises:
        ConfigError: `again` has a value other than None or "invalid".
    """
    if again not in (None, AGAIN):
        raise ConfigError(
            f"again '{again}' is not '{AGAIN}': only unreadable judgements (invalid) can be asked for again"
        )
    return again is not None


def check_usd(max_usd: float) -> None:
    """Check a cost limit.

    Raises:
        ConfigError: the limit is negative, infinite or not a number.
    """
    if not 0 <= max_usd < float("inf"):
        raise ConfigError(f"max-usd {max_usd} must be an amount of US dollars, 0 or more")


def requested_config(request: RoundRequest) -> tuple[RoundConfig, Path]:
    """Return the configuration of a request, and the folder against which its relative paths are resolved.

    Raises:
        ConfigError: the file or a replacement cannot be used.
    """
    own = request.corpus is not None and request.config == EMBEDDED
    path = find_round_config(RULES if own else request.config)
    config = read_round_config(path)
    update: dict[str, Any] = {}
    if request.corpus is not None:
        corpus, stem = _other_corpus(config, request)
        name = stem if own else f"{config.name}-{stem}"[:64].rstrip(".-_")
        update = {"corpus": corpus, "name": name, "round_id": f"{name}-{FRESH}" if config.fresh else name}
    elif options := [name for name, value in _reading_options(request) if value is not None]:
        raise ConfigError(f"--{', --'.join(options)} says how a file of questions is read. Give the file with --corpus")
    elif config.documents is not None and not _are_ours(config.documents.documents, path.resolve().parent):
        _check_asks(config, config.documents.documents, replayed=request.replay is not None)
    if request.questions is not None:
        documents = update.get("corpus", config.corpus)
        if isinstance(documents, CorpusChoice):
            raise ConfigError(
                "--questions gives questions of people about documents, and this round draws from a file of questions. "
                "Give the documents with --documents, or questions with passages with --corpus"
            )
        update["corpus"] = documents.model_copy(update={"questions": Path(request.questions).resolve()})
    if request.replay is not None:
        file = Path(request.replay).resolve()
        update["models"] = tuple(spec if spec.lane.embedded else Replayed.by(spec, file) for spec in config.models)
    if request.bases is not None:
        if request.bases < 1:
            raise ConfigError(f"bases {request.bases} must be at least 1")
        update["bases"] = request.bases
    if request.max_usd is not None:
        check_usd(request.max_usd)
        update["budget"] = config.budget.model_copy(update={"max_usd": request.max_usd})
    return config.model_copy(update=update), path.resolve().parent


DOCUMENTS: Final = "documents"
"""The prefix of a folder of documents in the name of a corpus. No format of question files has this name."""
OUR_RECORDING: Final = Path("documents")
"""The name, in a configuration, of the recording about the shipped documents."""


def _are_ours(documents: str, folder: Path) -> bool:
    """Return whether a configuration in a folder means the shipped documents, for which a recording has replies."""
    return documents == DOCUMENTS and not (folder / documents).exists()


def _check_asks(config: RoundConfig, documents: str, *, replayed: bool) -> None:
    """Check that a configuration can make questions about the user's documents.

    Raises:
        ConfigError: the corpus of the configuration is a file of questions, or the asker is a recording that has
            replies only about the shipped documents.
    """
    if config.documents is None:
        why = f"round configuration '{config.name}' draws from a file of questions"
    else:
        if config.roles.asker is None:
            return
        asker = config.model_spec(config.roles.asker)
        if replayed or asker.fallback is not None or asker.provider != "recorded" or asker.file != OUR_RECORDING:
            return
        why = f"model '{asker.name}' of round configuration '{config.name}' replies from the recording of our documents"
    raise ConfigError(
        f"documents {documents}: language models ask the questions, but {why}. `demur config new my-round.yaml "
        "--from documents` writes a configuration to put your models into (models, roles.asker, roles.prover), then "
        f"`demur round my-round.yaml --documents {documents}`. `demur round documents` shows a round of our documents "
        "without a key"
    )


def _reading_options(request: RoundRequest) -> tuple[tuple[str, str | None], ...]:
    return ("map", request.mapping), ("answers", request.answers), ("bad-rows", request.bad_rows)


def _other_corpus(config: RoundConfig, request: RoundRequest) -> tuple[Corpus, str]:
    """Return the corpus that replaces the corpus of a configuration, and a short name for it."""
    assert request.corpus is not None
    corpus = request.corpus
    prefix, _, rest = corpus.partition(":")
    replaced: Corpus
    if rest and prefix == DOCUMENTS:
        if options := [name for name, value in _reading_options(request) if value is not None]:
            raise ConfigError(f"--{', --'.join(options)} is for a file of questions (--corpus), and not for documents")
        _check_asks(config, rest, replayed=request.replay is not None)
        assert config.documents is not None
        here = rest if is_address(rest) else str(Path(rest).resolve())
        replaced = config.documents.model_copy(update={"documents": here})
        stem = Path(config.documents.model_copy(update={"documents": rest}).name).stem
    else:
        is_format = bool(rest) and prefix in format_names()
        file = Path(rest if is_format else corpus)
        if config.documents is not None:
            raise ConfigError(
                f"corpus {file}: round configuration '{config.name}' draws from documents. Give documents with "
                "--documents, or name a configuration that has corpus.path"
            )
        replaced = _questions(config.questions, request, file, prefix if is_format else None)
        stem = (file.with_suffix("") if file.suffix in PACKED_SUFFIXES else file).stem
    return replaced, re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip(".-_")[:48] or "corpus"


def _questions(configured: CorpusChoice, request: RoundRequest, file: Path, named: str | None) -> CorpusChoice:
    """Return the choice of a file of questions, with the options of a request.

    A file of a public set is recognised by its first row, if the request names no format and maps no fields.
    """
    known = recognised(file) if named is None and request.mapping is None and file.exists() else None
    reader = named or known or configured.format
    given: dict[str, Any] = configured.model_dump() | {
        "only": (),
        "path": file.resolve(),
        "format": reader,
        "on_bad_row": request.bad_rows or (OnBadRow.SKIP if reader in published_sets() else configured.on_bad_row),
        "answers": request.answers or configured.answers,
    }
    try:
        if request.mapping is not None:
            given["map"] = parse_map(request.mapping, OUR_FIELDS)
        return CorpusChoice.model_validate(given)
    except ValidationError as exc:
        raise ConfigError(f"corpus {file}: {first_fault(exc)}") from exc
    except ValueError as exc:
        raise ConfigError(str(exc)) from exc

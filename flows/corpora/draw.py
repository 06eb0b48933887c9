"""Which base instances a round draws from its corpus: seeded, without replacement, none that must rest."""

import hashlib
from collections.abc import Set
from dataclasses import dataclass

from demur.flows.context import RoundContext
from demur.flows.corpora.corpus import CorpusReading, CorpusRow, read_corpus
from demur.flows.errors import ConfigError
from demur.flows.round_config import Reuse
from demur.levers.vocabulary import Layout
from demur.warehouse.connection import Connection
from demur.warehouse.rounds import used_bases


@dataclass(frozen=True, slots=True)
class Draw:
    """The order in which a round takes base instances from its corpus: ids of available ones, first one first."""

    order: tuple[str, ...]
    resting: int
    layout: Layout

    def fresh_rounds(self, bases: int) -> int:
        """Return how many rounds of so many bases the available ones suffice for."""
        return len(self.order) // bases


def open_corpus(context: RoundContext) -> CorpusReading:
    """Return the rows of the round's corpus."""
    corpus = context.config.corpus
    return read_corpus(context.file(corpus.path), corpus.format, on_bad_row=corpus.on_bad_row)


def draw_order(context: RoundContext, con: Connection) -> Draw:
    """Return the round's draw.

    Raises:
        CorpusError: the corpus cannot be read.
        ConfigError: it mixes layouts, or has fewer bases to give than the round needs; nothing was bought yet.
    """
    config = context.config
    resting = _resting(context, con)
    available: list[tuple[bytes, str]] = []
    layouts: set[Layout] = set()
    rested = 0
    for row in open_corpus(context):
        layouts.add(row.layout)
        if row.base_id in resting:
            rested += 1
        else:
            available.append((hashlib.sha256(f"{context.seed}|draw|{row.base_id}".encode()).digest(), row.base_id))
    if len(layouts) > 1:
        raise ConfigError(
            f"corpus.path {config.corpus.path}: holds rows with one passage and rows with several; a round takes one "
            "layout. Split the file in two"
        )
    if len(available) < config.bases:
        why = f", {rested} rest (base_reuse: {config.base_reuse.policy})" if rested else ""
        raise ConfigError(
            f"corpus.path {config.corpus.path}: has {len(available)} base instances to give{why}; bases: "
            f"{config.bases} are wanted. Lower bases, allow reuse, or use a larger corpus"
        )
    return Draw(tuple(base_id for _, base_id in sorted(available)), rested, layouts.pop())


def drawn_rows(context: RoundContext, wanted: Set[str]) -> dict[str, CorpusRow]:
    """Return the rows of the given base instances, by id."""
    return {row.base_id: row for row in open_corpus(context) if row.base_id in wanted}


def _resting(context: RoundContext, con: Connection) -> set[str]:
    reuse = context.config.base_reuse
    if reuse.policy is Reuse.ALLOW:
        return set()
    return used_bases(con, context.round_id, reuse.rounds)

"""The draw of a round from its corpus: a seeded order of base instances.

Base instances that other rounds used recently must rest and are left out.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import itemgetter

from demur.configuration.round_config import Reuse
from demur.corpora.corpus import CorpusReading, read_corpus
from demur.corpora.rows import CorpusRow
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.flows.stages.ingest.of_documents import rows_of_documents
from demur.levers.vocabulary import Layout
from demur.warehouse.connection import Connection
from demur.warehouse.rounds import known_bases, used_bases


@dataclass(frozen=True, slots=True)
class Draw:
    """The order in which a round draws base instances from its corpus.

    Attributes:
        order: Ids of the available base instances, first to last.
        resting: The number of base instances that must rest.
        layout: The layout of the base instances.
        wanted: The wanted number by domain. Without quotas, the only key is None.
        domains: The domains of `order`, in the same order.
        known: Ids of base instances with answers that every probe knows.
    """

    order: tuple[str, ...]
    resting: int
    layout: Layout
    wanted: Mapping[str | None, int]
    domains: tuple[str | None, ...]
    known: frozenset[str] = frozenset()

    @property
    def available(self) -> Counter[str | None]:
        """The number of available base instances by domain."""
        return Counter(self.domains)

    @property
    def fresh_rounds(self) -> int:
        """The number of rounds for which the available base instances suffice."""
        return min(self.available[domain] // wanted for domain, wanted in self.wanted.items())

    def with_known(self, known: Set[str], share: float) -> "Draw":
        """Return a draw in which known base instances come early.

        In each domain, at least `share` of the first n base instances are known, for every n.

        Otherwise base instances keep their order. When no known base instances are left, unknown base instances fill
        the rest.
        """
        turns = {
            domain: _interleaved(
                [one for one, of in zip(self.order, self.domains, strict=True) if of == domain], known, share
            )
            for domain in self.wanted
        }
        order = tuple(next(turns[domain]) for domain in self.domains)
        return replace(self, order=order, known=frozenset(known))

    def known_left(self, numbers: Mapping[str | None, int]) -> set[str | None]:
        """Return the domains that have known base instances after their first `numbers[domain]` base instances."""
        first = self.first(numbers)
        rest = zip(self.order, self.domains, strict=True)
        return {domain for base_id, domain in rest if base_id in self.known and base_id not in first}

    def first(self, numbers: Mapping[str | None, int]) -> dict[str, int]:
        """Return the first `numbers[domain]` base instances of each domain: their places in the order, by id."""
        taken: Counter[str | None] = Counter()
        places = {}
        for place, (base_id, domain) in enumerate(zip(self.order, self.domains, strict=True)):
            if taken[domain] < numbers[domain]:
                taken[domain] += 1
                places[base_id] = place
        return places


def least_known(wanted: int, share: float) -> int:
    """Return `share` of `wanted`, rounded up: the least number of known base instances."""
    return math.ceil(wanted * share - 1e-9)


def _interleaved(order: Sequence[str], known: Set[str], share: float) -> Iterator[str]:
    """Yield ids in their order.

    Known ids move forward where the share of known ids would otherwise be below `share`.
    """
    ahead = iter([one for one in order if one in known])
    taken = set[str]()
    number = 0
    rest = iter(order)
    for place in range(1, len(order) + 1):
        early = (one for one in ahead if one not in taken) if number < least_known(place, share) else iter(())
        one = next(early, None) or next(one for one in rest if one not in taken)
        taken.add(one)
        number += one in known
        yield one


def open_corpus(context: RoundContext) -> CorpusReading:
    """Return the rows of the round's corpus file."""
    corpus = context.config.questions
    return read_corpus(context.file(corpus.path), corpus.format, on_bad_row=corpus.on_bad_row)


def corpus_rows(context: RoundContext, con: Connection) -> Iterator[CorpusRow]:
    """Yield the rows of the round's corpus: rows of its file, or accepted questions of its documents.

    Rows of a file without a language get the configuration's language if there is one.
    """
    if context.config.documents is not None:
        yield from rows_of_documents(context, con)
        return
    whole = context.config.questions.language
    for row in open_corpus(context):
        yield replace(row, language=whole) if whole and row.language is None else row


def draw_order(context: RoundContext, con: Connection) -> Draw:
    """Return the round's draw.

    The size of a draw from documents is not checked here; `check_supply` has checked the supply before.

    Raises:
        CorpusError: the corpus cannot be read.
        ConfigError: a file mixes layouts, or has too few base instances.
    """
    draw = possible_draw(context, con)
    if context.config.documents is None and (shortage := shortage_of(context, draw)):
        raise ConfigError(shortage)
    if (known := context.config.generation.known) is not None:
        return draw.with_known(known_bases(con, context.round_id), known.min_share)
    return draw


def shortage_of(context: RoundContext, draw: Draw) -> str | None:
    """Return a message on missing base instances with the remedy; None if there are enough."""
    for domain, wanted in draw.wanted.items():
        if (given := draw.available[domain]) < wanted:
            why = f", {draw.resting} rest (base_reuse: {context.config.base_reuse.policy})" if draw.resting else ""
            of_domain, setting = ("", "bases") if domain is None else (f" of domain '{domain}'", f"domains.{domain}")
            return (
                f"corpus.path {context.config.questions.path}: has {given} base instances{of_domain} to give{why}; "
                f"{setting}: {wanted} are wanted. Lower {setting}, allow reuse, or use a larger corpus"
            )
    return None


def possible_draw(context: RoundContext, con: Connection) -> Draw:
    """Return the draw of a round from its corpus, even if the draw is too small.

    Raises:
        CorpusError: the corpus cannot be read.
        ConfigError: the corpus mixes layouts, has no usable rows, or lacks an id of `corpus.only`.
    """
    config = context.config
    if config.documents is not None:
        return _draw_of_documents(context, con)
    corpus = config.questions
    resting = resting_bases(context, con)
    quotas = corpus.domains
    only = set(corpus.only)
    unseen = set(only)
    available: list[tuple[str, str, str | None]] = []
    layouts: set[Layout] = set()
    rested = 0
    for row in open_corpus(context):
        unseen.discard(row.source_id)
        if only and row.source_id not in only:
            continue
        layouts.add(row.layout)
        if quotas and row.domain not in quotas:
            continue
        if row.base_id in resting:
            rested += 1
        else:
            available.append((context.place("draw", row.base_id), row.base_id, row.domain if quotas else None))
    if unseen:
        raise ConfigError(
            f"corpus.only: {', '.join(sorted(unseen))} is no id of corpus.path {corpus.path}. Remove these "
            "ids, or name another file"
        )
    if len(layouts) > 1:
        raise ConfigError(
            f"corpus.path {corpus.path}: holds rows with one passage and rows with several; a round takes one "
            "layout. Split the file in two"
        )
    available.sort(key=itemgetter(0))
    draw = Draw(
        order=tuple(base_id for _, base_id, _ in available),
        resting=rested,
        layout=layouts.pop(),
        wanted={domain: number for domain, number in quotas.items()} or {None: config.bases},
        domains=tuple(domain for _, _, domain in available),
    )
    if not available:
        raise ConfigError(shortage_of(context, draw))
    return draw


def _draw_of_documents(context: RoundContext, con: Connection) -> Draw:
    """Return the draw from accepted questions of documents. It may be empty."""
    resting = resting_bases(context, con)
    rows = {row.base_id for row in rows_of_documents(context, con)}
    order = sorted(rows - resting, key=lambda one: context.place("draw", one))
    return Draw(
        order=tuple(order),
        resting=len(rows) - len(order),
        layout=Layout.MULTI if context.documents.neighbours else Layout.SINGLE,
        wanted={None: context.config.bases},
        domains=(None,) * len(order),
    )


def drawn_rows(context: RoundContext, con: Connection, wanted: Set[str]) -> dict[str, CorpusRow]:
    """Return the corpus rows of the wanted base instances, by base id."""
    return {row.base_id: row for row in corpus_rows(context, con) if row.base_id in wanted}


def resting_bases(context: RoundContext, con: Connection) -> set[str]:
    """Return the ids of base instances that must rest because other rounds used them."""
    reuse = context.config.base_reuse
    if reuse.policy is Reuse.ALLOW:
        return set()
    return used_bases(con, context.round_id, reuse.rounds)

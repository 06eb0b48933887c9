"""The draw of a round from its corpus: a seeded order of base instances.

Base instances rest, and are left out, if other rounds used them and the setting `base_reuse` does not allow their use.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import itemgetter

from demur.configuration.round_config import Reuse
from demur.corpora.corpus import CorpusReading, CorpusReport
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
        resting: The number of base instances that rest.
        layout: The layout of the base instances.
        wanted: The wanted number of base instances in each domain. If `corpus.domains` is empty, the only key is None.
        domains: The domain of each base instance in `order`.
        known: Ids of the known base instances: those whose answers every probe knows.
        report: The numbers of rows in the file of questions; None for documents.
    """

    order: tuple[str, ...]
    resting: int
    layout: Layout
    wanted: Mapping[str | None, int]
    domains: tuple[str | None, ...]
    known: frozenset[str] = frozenset()
    report: CorpusReport | None = None

    @property
    def available(self) -> Counter[str | None]:
        """The number of available base instances by domain."""
        return Counter(self.domains)

    @property
    def fresh_rounds(self) -> int:
        """The number of rounds for which the available base instances suffice."""
        return min(self.available[domain] // wanted for domain, wanted in self.wanted.items())

    def with_known(self, known: Set[str], share: float) -> "Draw":
        """Return a draw in which known base instances are moved forward.

        For every n, at least `share` of the first n base instances of each domain are known, as long as there are known
        base instances. Apart from that, the order is unchanged.
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
        """Return the domains in which known base instances come after the first `numbers[domain]` base instances."""
        first = self.first(numbers)
        rest = zip(self.order, self.domains, strict=True)
        return {domain for base_id, domain in rest if base_id in self.known and base_id not in first}

    def first(self, numbers: Mapping[str | None, int]) -> dict[str, int]:
        """Take the first `numbers[domain]` base instances of each domain; return their places in `order`, by id."""
        taken: Counter[str | None] = Counter()
        places = {}
        for place, (base_id, domain) in enumerate(zip(self.order, self.domains, strict=True)):
            if taken[domain] < numbers[domain]:
                taken[domain] += 1
                places[base_id] = place
        return places


def least_known(wanted: int, share: float) -> int:
    """Return how many of `wanted` base instances must be known: the part `share` of them, rounded up."""
    return math.ceil(wanted * share - 1e-9)


def _interleaved(order: Sequence[str], known: Set[str], share: float) -> Iterator[str]:
    """Yield the ids in `order`, with known ids moved forward wherever their share would be below `share`."""
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
    """Open the round's file of questions and return an iterator over its rows."""
    corpus = context.config.questions
    return corpus.open(context.file(corpus.path))


def corpus_rows(context: RoundContext, con: Connection) -> Iterator[CorpusRow]:
    """Yield the rows of the round's corpus: rows of the file of questions, or accepted questions about documents.

    If a row of a file declares no language, it gets the language `corpus.language`, which may be None.
    """
    if context.config.documents is not None:
        yield from rows_of_documents(context, con)
        return
    whole = context.config.questions.language
    for row in open_corpus(context):
        yield replace(row, language=whole) if whole and row.language is None else row


def draw_order(context: RoundContext, con: Connection) -> Draw:
    """Return the round's draw.

    For a corpus of documents, the number of base instances is not checked, since `check_supply` checks it.

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
    """Return an error message if the draw has fewer base instances than wanted, or None if it has enough."""
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
    """Return the draw of a round from its corpus, even if the draw has fewer base instances than wanted.

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
    reading = open_corpus(context)
    for row in reading:
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
            f"corpus.only: {', '.join(sorted(unseen))} are not ids in corpus.path {corpus.path}. Remove these "
            "ids, or name another file"
        )
    if len(layouts) > 1:
        raise ConfigError(
            f"corpus.path {corpus.path}: has rows with one passage and rows with several; a round has one "
            "layout. Split the file in two"
        )
    available.sort(key=itemgetter(0))
    draw = Draw(
        order=tuple(base_id for _, base_id, _ in available),
        resting=rested,
        layout=layouts.pop(),
        wanted={domain: number for domain, number in quotas.items()} or {None: config.bases},
        domains=tuple(domain for _, _, domain in available),
        report=reading.report,
    )
    if not available:
        raise ConfigError(shortage_of(context, draw))
    return draw


def _draw_of_documents(context: RoundContext, con: Connection) -> Draw:
    """Return the draw from accepted questions about documents. The draw may be empty."""
    resting = resting_bases(context, con)
    languages = {row.base_id: row.language for row in rows_of_documents(context, con)}
    order = sorted(languages.keys() - resting, key=lambda one: context.place("draw", one))
    return Draw(
        order=each_language_first(order, languages),
        resting=len(languages) - len(order),
        layout=Layout.MULTI if context.documents.neighbours else Layout.SINGLE,
        wanted={None: context.config.bases},
        domains=(None,) * len(order),
    )


def each_language_first(order: Sequence[str], languages: Mapping[str, str | None]) -> tuple[str, ...]:
    """Move the first base instance of each language before the others, so that small rounds miss no language."""
    firsts = {languages[one]: one for one in reversed(order)}
    return tuple(sorted(order, key=lambda one: firsts[languages[one]] != one))


def drawn_rows(context: RoundContext, con: Connection, wanted: Set[str]) -> dict[str, CorpusRow]:
    """Return the rows of the corpus for the base instances whose ids are in `wanted`, by id."""
    return {row.base_id: row for row in corpus_rows(context, con) if row.base_id in wanted}


def resting_bases(context: RoundContext, con: Connection) -> set[str]:
    """Return the ids of the base instances that rest because other rounds used them (`base_reuse`)."""
    reuse = context.config.base_reuse
    if reuse.policy is Reuse.ALLOW:
        return set()
    return used_bases(con, context.round_id, reuse.rounds)

"""The draw of a round from its corpus, and accepted questions about documents as rows of a corpus."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from demur.configuration.round_config import Reuse
from demur.corpora.corpus import CorpusReading, CorpusReport
from demur.corpora.corpus_rows import CorpusPassage, CorpusRow, ProofSpan, Provenance
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.flows.stages.questions.sources import DocumentPassage
from demur.levers.vocabulary import Layout, QuestionKind
from demur.programs.checks.questions import gives_answer
from demur.warehouse.round_rows import known_bases, used_bases
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Accepted questions about documents, of this round and of earlier rounds, as rows of a corpus.
#
# With `asking.check: people`, these are only questions that people have read.


FOLDER: Final = Path(__file__).parent / "ingest"


def rows_of_documents(
    context: RoundContext, con: Connection, *, own: bool = True, unread: bool = False
) -> Iterator[CorpusRow]:
    """Yield the accepted questions whose layout is the round's layout.

    Questions of earlier rounds are included if this round has read all their passages. If `own` is false, questions of
    this round are left out. If `unread` is true, questions of this round that still wait for people are included.
    """
    several = context.documents.neighbours > 0
    by_people = context.config.asking.check is not None
    for record in records(con, FOLDER / "accepted.sql", [context.round_id]):
        waits = by_people and not record["readers"]
        if (own or not record["is_own"]) and (not waits or unread and record["is_own"]):
            row = _row(record)
            if (len(row.passages) > 1) is several:
                yield row


def _row(record: Mapping[str, Any]) -> CorpusRow:
    signal = list(record["passage_ids"])
    answers = tuple(record["answers"])
    # noise was chosen by the answers of the asker; it must not state those of people either
    mended = answers if record["is_mended"] and record["kind"] != QuestionKind.YES_NO else ()
    shown = [
        one
        for one in (DocumentPassage(**passage) for passage in record["shown"])
        if one.passage_id in signal or not mended or not gives_answer(one.shown, mended, one.language)
    ]
    places = {one.passage_id: place for place, one in enumerate(shown)}
    titles = dict.fromkeys(one.document for one in shown if one.passage_id in signal and one.document)
    proof = (
        ProofSpan(places[signal[span["passage"]]], span["start"], span["end"], span["text"]) for span in record["proof"]
    )
    return CorpusRow(
        source_id=record["question_id"],
        domain=None,
        title="; ".join(titles) or None,
        question=record["question"],
        answers=answers,
        passages=tuple(CorpusPassage(one.shown, one.passage_id in signal, one.document) for one in shown),
        asked_of=Provenance(
            documents=tuple(record["document_ids"]),
            passage_ids=tuple(places),
            proof=tuple(proof),
            kind=record["kind"],
        ),
        language=record["language"],
    )


# The draw of a round from its corpus: a seeded order of base instances.
#
# Base instances rest, and are left out, if other rounds used them and the setting `base_reuse` does not allow their
# use.


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

"""Evidence from several passages. If one passage names the subject of another, the other's sentences gain weight."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from demur.rules.roles.reading.weigh import PassageEvidence, Text, evidence
from demur.text import PassageAnalysis
from demur.text.tokens import fold

LENT: Final = 0.6
"""The share of the bridging sentence's score that the other passage's sentences gain."""


def subject_of(passage: PassageAnalysis) -> str:
    """Return the first name in a passage, which is usually the subject, in lower case; empty if there is no name."""
    return passage.names[0].norm if passage.names else ""


def chained(question: str, passages: Sequence[Text]) -> list[tuple[PassageEvidence, ...]]:
    """Return chains of one or two sentences, the best first; a chain's last sentence is the answering one.

    In a chain of two, the first sentence names the subject of the second sentence's passage. The question does not name
    this subject.
    """
    found = evidence(question, passages)
    asked = fold(question)
    best_in: dict[int, PassageEvidence] = {}
    for one in found:
        best_in.setdefault(one.passage.index, one)
    bridges: dict[int, PassageEvidence] = {}
    for passage in {e.passage.index: e.passage for e in found}.values():
        subject = subject_of(passage)
        if len(subject) < 4 or subject in asked:
            continue
        naming = (e for e in found if e.passage.index != passage.index and subject in fold(e.sentence.text))
        bridge = next(naming, None)
        if bridge is not None:
            bridges[passage.index] = bridge
    chains: list[tuple[PassageEvidence, ...]] = []
    for one in found:
        bridge = bridges.get(one.passage.index)
        if bridge is None:
            chains.append((one,))
        else:
            chains.append((bridge, replace(one, score=one.score + LENT * bridge.score)))
    return sorted(chains, key=lambda c: (-c[-1].score, c[-1].passage.index, c[-1].sentence.index))

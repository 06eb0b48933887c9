"""Evaluations with an index from before each original text had all its base instances: what their systems could see."""

from typing import Final

from demur.flows.stages.respond.index import given_away
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

BEFORE_TEXTS: Final = frozenset({"3589cadd3edb2c72"})
"""Digests of the question to a system with an index while only originals of the same base instance were left out."""


def copies_seen(con: Connection, evaluation: str, prompts_digest: str) -> str | None:
    """Return how many items of an evaluation were asked while copies of their original passages could be found.

    The result is a sentence, computed from the passages of the release. It is None for an evaluation without an index,
    and for an evaluation whose systems were told which copies to leave out.

    Args:
        con: from `reading`.
        evaluation: the id of the evaluation.
        prompts_digest: the digest of its prompts.
    """
    if prompts_digest not in BEFORE_TEXTS:
        return None
    given = given_away(records(con, "bases_of_evaluation", [evaluation]))
    to_refuse = [row["base_id"] for row in records(con, "items_to_refuse", [evaluation])]
    affected = sum(base in given for base in to_refuse)
    if not affected:
        return (
            f"Made before originals with the same text counted as one. None of {len(to_refuse)} items to refuse had a "
            "copy of its original passage in the index."
        )
    return (
        f"Made before originals with the same text counted as one. For {affected} of {len(to_refuse)} items to refuse "
        "the index had a copy of the original passage under another base instance, so that a system could find the "
        "answer there. Evaluate the system again."
    )

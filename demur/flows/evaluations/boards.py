"""Boards of comparable scores, and pairwise comparisons of models from several evaluations."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pandas as pd

from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.flows.evaluations.evaluation_request import copies_seen
from demur.levers.vocabulary import Code
from demur.reports.boards import Board
from demur.reports.reference_figures import Reference, references
from demur.reports.tables import named_table
from demur.reports.tables.formats import CellKind, rate, with_interval
from demur.reports.texts import counted
from demur.scoring import SEED
from demur.scoring.difficulty import difficulty
from demur.scoring.intervals import Row, known, limits
from demur.scoring.model_comparisons import compare
from demur.scoring.table_rows import HEADLINES, Bootstrap, paired_rows
from demur.warehouse.statements import frame, records
from demur.warehouse.transactions import Connection

# Boards: scores of evaluations with the same release, prompts, judge and version of the metrics.


IN_COMMON: Final = (
    ("release", "release", "release_digest"),
    ("items", "sample", "sample"),
    ("prompts", "prompts", "prompts_digest"),
    ("judge", "judge", "judge_digest"),
    ("whose classification of bare codes counts", "codes_by", "codes_by"),
    ("code that counts", "metrics_version", "metrics_version"),
)
"""Properties that all scores of a board share: their name in words, the column of the value, and that of the digest."""


def boards(
    con: Connection, release: str | None = None, evaluations: Sequence[str] = (), reported: Sequence[Path] = ()
) -> list[Board]:
    """Return the boards that `chosen_boards` chooses, with the data for the page of boards.

    `reported` are files of figures that others reported, in addition to the published ones.
    """
    return [_board(con, row, reported) for row in chosen_boards(con, release, evaluations)]


def chosen_boards(con: Connection, release: str | None = None, evaluations: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the rows of the view `boards`, each with the keys `differs` and `copies_seen`.

    If `release` is not None, only boards of this release are returned. If `evaluations` is not empty, only boards that
    contain all of these evaluations are returned. `differs` lists in words how a board differs from the first board.

    Raises:
        FlowError: there is no board, an evaluation does not exist, or no board contains all evaluations.
    """
    found = list(records(con, "boards", [release, list(evaluations) or None]))
    if evaluations:
        found = shared_boards(con, found, evaluations)
    if not found:
        whose = f" of release '{release}'" if release else ""
        raise FlowError(f"there is no board{whose}: run `demur evaluate`, or release a round")
    return [
        {
            **row,
            "differs": differences(found[0], row),
            "copies_seen": _copies_seen(con, row),
            **_judge_in_words(con, row),
        }
        for row in found
    ]


def _judge_in_words(con: Connection, board: Mapping[str, Any]) -> dict[str, str]:
    """Return whether people checked the judge of a board (`checked`), and what is odd in its judgements (`odd`)."""
    found = next(records(con, "judge_as_checked", [board["judge_digest"], board["board_id"]]))
    checked = "checked by nobody"
    if found["responses"] is not None:
        alike = with_interval(rate(found["observed"]), found["observed_low"], found["observed_high"], CellKind.RATE)
        checked = f"as people on {alike} of {counted(found['responses'], 'response')}"
    odd = [
        f"{found[name]:,} of {found['judged']:,} {words}"
        for name, words in (("contradictions", "contradict themselves"), ("unreadable", "could not be read"))
        if found[name]
    ]
    return {"checked": checked, "odd": ", ".join(odd)}


def _copies_seen(con: Connection, board: Mapping[str, Any]) -> str | None:
    """Return what systems with an index could see; all evaluations of a board are of one release and one prompt."""
    evaluation = next(records(con, "evaluations_of_board", [board["board_id"]]))
    return copies_seen(con, evaluation["round_id"], board["prompts_digest"])


def shared_boards(con: Connection, found: list[dict[str, Any]], evaluations: Sequence[str]) -> list[dict[str, Any]]:
    """Return the boards that contain all of the evaluations.

    Raises:
        FlowError: an evaluation does not exist, or two evaluations are on no common board. In the second case the
            message names the differences between their boards.
    """
    standing: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in evaluations}
    for row in found:
        for evaluation in records(con, "evaluations_of_board", [row["board_id"]]):
            standing.get(evaluation["round_id"], {})[row["board_id"]] = row
    if missing := [name for name, rows in standing.items() if not rows]:
        raise FlowError(
            f"{', '.join(missing)} is not an evaluation here. `demur evaluations list` shows all evaluations"
        )
    for first, second in combinations(evaluations, 2):
        if not standing[first].keys() & standing[second].keys():
            rows = (next(iter(standing[name].values())) for name in (first, second))
            raise FlowError(
                f"{first} and {second} cannot share a board: they differ in {'; '.join(differences(*rows))}. "
                "Evaluate the models on the same release, with the same prompts and judge, or show each board alone"
            )
    return [row for row in found if all(row["board_id"] in rows for rows in standing.values())]


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Return the differences between two boards, in words."""
    found = []
    for words, name, digest in IN_COMMON:
        if first[digest] != second[digest]:
            names = dict.fromkeys((str(first[name]), str(second[name])))
            found.append(f"{words} ({', '.join(names)}{'' if len(names) > 1 else ', with different content'})")
    return found


def references_of(board: Mapping[str, Any], reported: Sequence[Path]) -> list[Reference]:
    """Return the figures that others reported of a board's release."""
    return references(board["benchmark"], board["release"], [board["judge"]], reported)


def _board(con: Connection, row: Mapping[str, Any], reported: Sequence[Path]) -> Board:
    board_id = row["board_id"]
    entries = list(records(con, "board_entries", [board_id]))
    labels, responses = labelled_responses(con, entries)

    def labelled(name: str) -> pd.DataFrame:
        rows = frame(con, name, [board_id])
        rows["respondent"] = [labels[key] for key in zip(rows["round_id"], rows["respondent"], strict=True)]
        return rows

    shown = [{**one, "respondent": labels[one["round_id"], one["respondent"]]} for one in entries]
    return Board(
        board_id=board_id,
        **{
            name: row[name]
            for name in ("release", "release_digest", "prompts", "judge", "metrics_version", "sample", "layout")
        },
        **{name: row[name] for name in ("audit", "calibration", "checked", "odd", "probes")},
        differs=row["differs"],
        copies_seen=row["copies_seen"],
        ranking=named_table("board").read(con, board=board_id),
        # all evaluations of a board have the same items
        keys=named_table("key_agreement").read(con, round=entries[0]["round_id"]),
        entries=pd.DataFrame(shown),
        scores=labelled("board_scores"),
        curves=labelled("board_curves"),
        confusion=labelled("board_confusion"),
        contrasts=pd.DataFrame(list(_contrasts(shown, responses))),
        domains=pd.DataFrame(list(_hardness(responses, "domain"))),
        languages=pd.DataFrame(list(_hardness(responses, "language"))),
        history=frame(con, "board_history", [board_id]),
        references=references_of(row, reported),
    )


def labelled_responses(
    con: Connection, entries: Sequence[Mapping[str, Any]]
) -> tuple[dict[tuple[str, str], str], pd.DataFrame]:
    """Return the labels of respondents, and the judged responses of all respondents.

    A key of the labels is the id of an evaluation with the name of a respondent. The column `model` of the responses
    contains the label of the respondent.
    """
    labels = _labels(entries)
    return labels, pd.concat([judged_responses(con, entry, labels) for entry in entries], ignore_index=True)


def _labels(entries: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return a unique label for each respondent: its name, and the id of its evaluation if the name is not unique."""
    names = Counter(entry["respondent"] for entry in entries)
    return {
        (one["round_id"], one["respondent"]): f"{one['respondent']} [{one['round_id']}]"
        if names[one["respondent"]] > 1
        else str(one["respondent"])
        for one in entries
    }


def judged_responses(con: Connection, entry: Mapping[str, Any], labels: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """Return the judged responses of one respondent, one row each, with the columns that scoring functions take."""
    values = [entry["round_id"], entry["respondent"], entry["judge"]]
    rows = pd.DataFrame(list(records(con, "board_responses", values)))
    return rows.assign(model=labels[entry["round_id"], entry["respondent"]])


def _contrasts(entries: Sequence[Mapping[str, Any]], responses: pd.DataFrame) -> Iterator[Row]:
    """Yield the differences in headline metrics between two respondents with equal `family` and unequal `alignment`.

    `family` and `alignment` are tags of respondents in the configuration. Respondents without both tags are left out.
    """
    tagged = [one for one in entries if one["family"] is not None and one["alignment"] is not None]
    tagged.sort(key=lambda one: (one["family"], one["respondent"]))
    for first, second in combinations(tagged, 2):
        if first["family"] != second["family"] or first["alignment"] == second["alignment"]:
            continue
        alignment = {one["respondent"]: one["alignment"] for one in (first, second)}
        pair = responses[responses["model"].isin(list(alignment))]
        for found in compare(pair, replicates=REPLICATES, seed=SEED, metrics=HEADLINES):
            yield {
                "family": first["family"],
                "first": f"{found.first} ({alignment[found.first]})",
                "second": f"{found.second} ({alignment[found.second]})",
                "metric": found.metric,
                **limits(found.difference, "difference"),
                "p_value": known(found.p_value),
                "items": found.items,
            }


def _hardness(responses: pd.DataFrame, label: str) -> Iterator[Row]:
    """Yield the difficulty of the items of each domain or language (the column `label`).

    A domain or language has one row for its items to answer, and one row for its items to refuse.
    """
    if responses[label].isna().all():
        return
    answered = responses["expected"] == Code.ANSWER_CORRECTLY.value
    for part, rows in (("answers", responses[answered]), ("refusals", responses[~answered])):
        for found in difficulty(rows.reset_index(drop=True), label, replicates=REPLICATES, seed=SEED):
            yield {label: found.pop("value"), "part": part, **found}


# Pairwise comparisons of models from several evaluations, on shared items under one judge.


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs of models on one board.

    Attributes:
        board_id: The id of the board.
        release: The release of the board.
        prompts: The prompts of the board.
        judge: The judge of the board.
        rows: A row for each headline metric and pair. For each metric, Holm's method adjusts the p-values of its pairs.
    """

    board_id: str
    release: str
    prompts: str
    judge: str
    rows: list[Row]


def compared_pairs(con: Connection, evaluations: Sequence[str]) -> list[ComparedPairs]:
    """Compare the respondents of several evaluations in pairs, on every board that contains all these evaluations.

    `evaluations` are ids of evaluations or of released rounds.

    Raises:
        FlowError: an evaluation is missing, the evaluations share no board, or only one model has answered.
    """
    boards = shared_boards(con, list(records(con, "boards", [None, list(evaluations)])), evaluations)
    found = []
    for board in boards:
        entries = list(records(con, "entries_of_evaluations", [board["board_id"], list(evaluations)]))
        if len(entries) < 2:
            continue
        _, responses = labelled_responses(con, entries)
        rows = list(paired_rows(responses, Bootstrap(REPLICATES, SEED)))
        facts: dict[str, Any] = {name: board[name] for name in ("board_id", "release", "prompts", "judge")}
        found.append(ComparedPairs(**facts, rows=rows))
    if not found:
        raise FlowError(
            f"{', '.join(evaluations)}: only one model has answered, so there is no pair. Name another evaluation"
        )
    return found

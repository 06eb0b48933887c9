"""`demur rbr pairs`: a round's comparisons as preference pairs."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import finite, write_lines, write_out
from demur.cli.printing import echo
from demur.configuration.formats import PairFormat
from demur.reports.text import counted

EXAMPLES: Final = """
[bold]Examples[/bold]

demur rbr pairs embedded --policy selective_refusal --out pairs.jsonl

demur rbr pairs --conversational --format parquet --out pairs.parquet
"""


def run(
    round_id: Annotated[
        str | None,
        typer.Argument(metavar="[ROUND]", help="A round; the newest by default.", autocompletion=complete_round),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Only pairs of this policy: a name, or a policy file of yours.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Margin of every pair. Default: the margin of the fit.", callback=finite, min=0)
    ] = None,
    conversational: Annotated[
        bool, typer.Option("--conversational", help="Write messages (role, content) in place of texts.")
    ] = False,
    withheld: Annotated[
        bool, typer.Option("--withheld", help="Keep pairs with withheld material, which a marker replaces.")
    ] = False,
    output: Annotated[PairFormat, typer.Option("--format", help="File format of pairs.")] = PairFormat.JSONL,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output, as JSONL.")] = None,
) -> None:
    """Write a round's comparisons as preference pairs: prompt, chosen, rejected, margin.

    Preference-tuning libraries read these columns, for example TRL with DPOTrainer. RewardTrainer of TRL also reads the
    margin. The column reward_difference is computed with the fitted weights. The prompt of a benchmark item is the full
    prompt of respondents, with passages. Pairs with withheld material are left out unless --withheld is given.
    """
    from demur.configuration.settings import demur_home
    from demur.rewards.pairs import PairRequest, parquet_pairs, preference_pairs

    if out is None and output is PairFormat.PARQUET:
        raise typer.BadParameter("Parquet needs a file: name one", param_hint="--out")
    rows = preference_pairs(demur_home(), PairRequest(round_id, policy, margin, conversational, withheld))
    if output is PairFormat.PARQUET and out is not None:
        write_out(out, parquet_pairs(rows, conversational))
        echo(f"{counted(len(rows), 'pair')} written to {out}")
        return
    write_lines([json.dumps(row, ensure_ascii=False) for row in rows], out, counted(len(rows), "pair"))

"""`demur release`: commands on frozen releases, such as the differences between two of them."""

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from demur.cli.terminal.options import Answers, BadRows, FieldMapping, Output, Printed, complete_release, write_out
from demur.cli.terminal.printing import WIDEST, echo, echo_table, terminal_width
from demur.programs.options import Prompts
from demur.reports.texts import count, counted
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.reports.comparison_pages import ReleaseDiff
    from demur.reports.texts import Row
    from demur.warehouse.releases.verifying import Verified


# `demur release`: commands on frozen releases.


Choice = TypeVar("Choice", bound=StrEnum)
app: Final = typer.Typer(help="List, show, verify, sign, export and publish frozen releases.", no_args_is_help=True)

Name = Annotated[
    str,
    typer.Argument(
        help="Release, as `demur release list` prints it: NAME or NAME/VERSION.", autocompletion=complete_release
    ),
]
NameOrFolder = Annotated[
    str,
    typer.Argument(
        help="Release, as `demur release list` prints it: NAME or NAME/VERSION; or a copy's folder.",
        autocompletion=complete_release,
    ),
]


@app.command("list", epilog="Example: demur release list --format json")
def list_releases(
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List releases, oldest first.

    `digest` identifies the data files. `manifest` identifies the whole release. Tables show the first 12 digits.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.releases.manifest import releases

    rows = (
        {
            "name": one.name,
            "version": one.version,
            "round": one.round_id,
            "items": one.items,
            "digest": one.digest,
            "manifest": one.manifest_digest,
        }
        for one in releases(demur_home())
    )
    echo_table(output, named_table("releases").shown(rows))


IMPORT_EXAMPLES: Final = """
[bold]Examples[/bold]

demur release import hf://aashiqmuhamed/RefusalBench-NQ       the published rows; a file of them works too

demur release import dev-v2.0.json --name squad --licence cc-by-sa-4.0     impossible rows expect a refusal

demur release import rows/ --name ours --map question=query,context=chunks[].text,answers=gold,expected=label

demur release import train.jsonl --name ours --without-answers refuse --bad-rows skip
"""


@app.command("import", epilog=IMPORT_EXAMPLES)
def import_rows(
    place: Annotated[
        str,
        typer.Argument(
            help="A file (JSONL, JSON array, CSV, Parquet), a folder of such files, or an address: hf://OWNER/NAME, "
            "https://..., s3://...",
            metavar="FILE|FOLDER|ADDRESS",
        ),
    ],
    set_format: Annotated[
        str | None,
        typer.Option(
            "--format", help="refusalbench (the published fields) or items (anybody's). Default: told by the first row."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the release. Default: the published or the file's.")] = None,
    mapping: FieldMapping = None,
    licence: Annotated[
        str | None,
        typer.Option(
            "--licence", "--license", help="Licence of the rows, such as cc-by-4.0. Default: what the source states."
        ),
    ] = None,
    bad_rows: BadRows = None,
    without_answers: Annotated[
        str,
        typer.Option(help="fail, or refuse: what rows expect that have no answers and do not say what they expect."),
    ] = "fail",
    split: Annotated[str | None, typer.Option(help="Split of a data set of the Hub. Default: test.")] = None,
    revision: Annotated[
        str | None, typer.Option(help="Revision of a data set of the Hub: a commit, tag or branch.")
    ] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Freeze rows that others made as a release: a published benchmark, or questions of your own.

    A row of the format items has a question, a context or passages, answers, and what is expected: answer, refuse (for
    whatever reason) or a code. id, source_id, class, intensity, language and domain may be added. Nothing is asked of a
    model, and only addresses need a network. The release is evaluated, exported and compared like any other.
    """
    import json

    from demur.configuration.settings import demur_home
    from demur.corpora.corpus_rows import OnBadRow
    from demur.exchange.sets.importing import ImportRequest, import_set
    from demur.exchange.sets.set_fields import SetFormat, WithoutAnswers
    from demur.programs.installation import missing_packages_named

    request = ImportRequest(
        place,
        None if set_format is None else _choice(SetFormat, "--format", set_format),
        name,
        mapping,
        licence,
        bad_rows or OnBadRow.FAIL,
        _choice(WithoutAnswers, "--without-answers", without_answers),
        split,
        revision,
    )
    with missing_packages_named():
        found = import_set(demur_home(), request)
    release, facts = found.release, found.facts
    if output is Output.JSON:
        shown = {"release": release.label, "digest": release.digest, "created": release.created, "imported": facts}
        echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    for note in found.said:
        echo(note, err=True)
    refused = sum(number for code, number in facts["expected"].items() if code != "ANSWER_CORRECTLY")
    left_out = ", ".join(f"{reason} {number}" for reason, number in facts["left_out"].items()) or "none"
    passages = "one passage each" if facts["layout"] == "single" else "several passages each"
    without = "" if facts["with_class"] else "; without classes, so that reasons of refusals are not scored"
    echo(
        f"Release    {release.label}{'' if release.created else ' (was there before)'}\n"
        f"Items      {count(release.items)}, {passages}, of {counted(facts['source_questions'], 'source question')}\n"
        f"Expected   {count(release.items - refused)} to answer, {count(refused)} to refuse{without}\n"
        f"Left out   {left_out}\n"
        f"Licence    {facts['licence']}\n"
        f"Report     {release.path / 'report.html'}\n"
        f"Next       demur evaluate {release.label} --model openai:MODEL --judge openai:MODEL; "
        f"demur explore --release {release.label}"
    )


def _choice(kinds: type[Choice], option: str, given: str) -> Choice:
    try:
        return kinds(given)
    except ValueError:
        raise typer.BadParameter(f"{option} '{given}' is not one of {', '.join(kinds)}") from None


@app.command("show", epilog="Example: demur release show embedded")
def show(name: Name) -> None:
    """Show a release's manifest: files, row counts, checksums, and provenance."""
    import json

    from demur.configuration.settings import demur_home
    from demur.warehouse.releases.manifest import manifest

    echo(json.dumps(manifest(demur_home(), name), indent=2, ensure_ascii=False))


@app.command("verify", epilog="Example: demur release verify embedded/1 --allowed-signers signers")
def verify(
    name: NameOrFolder,
    manifest: Annotated[
        str | None, typer.Option(help="Expected SHA-256 of the manifest: 64 hexadecimal digits.", metavar="DIGEST")
    ] = None,
    allowed_signers: Annotated[
        Path | None,
        typer.Option(help="OpenSSH file of allowed signers. One of them must have signed the release.", metavar="FILE"),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="table or json.")] = Format.TABLE,
) -> None:
    """Compare a release with its frozen state. Exit status is 1 if they differ.

    Every file is compared with its checksum in the manifest. The manifest is compared with its digest in the warehouse.
    Options compare the manifest with a digest of yours or with a signature.
    """
    import json
    from dataclasses import asdict

    from demur.configuration.settings import demur_home
    from demur.warehouse.releases.verifying import verify_release

    if manifest is not None and not re.fullmatch("[0-9a-f]{64}", manifest):
        raise typer.BadParameter(f"--manifest '{manifest}' is not a SHA-256: give 64 digits, 0-9 and a-f")
    found = verify_release(demur_home(), name, manifest, allowed_signers)
    echo(json.dumps(asdict(found), ensure_ascii=False, indent=2) if output is Format.JSON else _as_text(found))
    if found.problems:
        raise typer.Exit(1)


def _as_text(found: "Verified") -> str:
    if found.problems:
        return "\n".join(found.problems)
    lines = [f"{found.label}: every file has its checksum; the manifest's sha256 is {found.manifest_digest}"]
    if found.held_against:
        lines.append(f"That is the manifest of {' and '.join(found.held_against)}")
    else:
        lines.append(
            "The manifest itself was not verified: no warehouse here recorded it. Give --manifest DIGEST or "
            "--allowed-signers FILE"
        )
    if found.signed and not any(by.startswith("a signature") for by in found.held_against):
        lines.append("It is signed; verify the signer with --allowed-signers FILE")
    return "\n".join(lines)


@app.command("sign", epilog="Example: demur release sign embedded/1 --key ~/.ssh/id_ed25519")
def sign(
    name: NameOrFolder,
    key: Annotated[
        Path, typer.Option(help="A private SSH key, or the public key of one in ssh-agent.", metavar="FILE")
    ],
) -> None:
    """Sign a release's manifest, and thereby the whole release, with an SSH key.

    The signature is stored beside the manifest. An altered release is refused.
    """
    from demur.configuration.settings import demur_home
    from demur.warehouse.releases.verifying import sign_release

    echo(f"Signed: {sign_release(demur_home(), name, key)}")


def _coded(prompts: Prompts) -> Prompts:
    """Refuse prompts without refusal codes, since other tools score responses by the codes."""
    if prompts is Prompts.PLAIN:
        raise typer.BadParameter("plain prompts have no codes, and other tools score by codes. Use published or ours")
    return prompts


PromptSet = Annotated[Prompts, typer.Option(help="Set of prompts for respondents.", callback=_coded)]
Licence = Annotated[
    str | None,
    typer.Option(
        "--license",
        help="Licence of the questions, by its identifier on the Hub. Default: that of an imported set, or other.",
    ),
]
Language = Annotated[str, typer.Option(help="Language of the questions, as a two-letter code.")]


@app.command("export", epilog="Example: demur release export embedded --to inspect tasks/embedded")
def export(
    name: NameOrFolder,
    folder: Annotated[Path, typer.Argument(help="A new folder for the files.", metavar="FOLDER")],
    tool: Annotated[
        str, typer.Option("--to", help="inspect, lm-eval, promptfoo, hf, training, or an exporter of another package.")
    ],
    prompts: PromptSet = Prompts.PUBLISHED,
    licence: Licence = None,
    language: Language = "en",
) -> None:
    """Write a release in another tool's format: a task of Inspect or lm-evaluation-harness, or a data set (hf).

    `--to training` writes demonstrations and preferences from items of some levers. Items of the other levers are for
    scoring.

    Exported files run without demur. `demur import responses --from` imports the responses.
    """
    from demur.configuration.settings import demur_home
    from demur.exchange.exporting.export import export_release
    from demur.exchange.exporting.items import ExportRequest

    use = export_release(demur_home(), name, tool, folder, ExportRequest(prompts, licence, language))
    echo(f"written to {folder}\nuse it: {use}")


@app.command("push", epilog="Example: demur release push embedded --to hf:owner/refusal --dry-run")
def push(
    name: NameOrFolder,
    target: Annotated[str, typer.Option("--to", help="hf:OWNER/NAME, s3://BUCKET/PREFIX, or a folder.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the files, and send nothing.")] = False,
    public: Annotated[
        bool, typer.Option("--public", help="Make the data set public on the Hub. Default: private.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="You may publish an imported set although its licence restricts this.")
    ] = False,
    prompts: PromptSet = Prompts.PUBLISHED,
    licence: Licence = None,
    language: Language = "en",
) -> None:
    """Publish a release as a data set of the Hub, or unchanged in an object store or folder.

    The Hub receives the files of `export --to hf` and a folder `release/` with the release, in one commit. In object
    stores and folders no file is overwritten, and existing files are not sent again.
    """
    from demur.configuration.settings import demur_home
    from demur.exchange.exporting.publishing import PushRequest, push_release

    request = PushRequest(name, target, public, prompts, licence, language, yes)
    done = push_release(demur_home(), request, dry_run=dry_run)
    for path, size in done.sizes.items():
        echo(f"{size:>12,}  {path}")
    total = f"{sum(done.sizes.values()):>12,}  bytes in {counted(len(done.sizes), 'file')}"
    echo(f"{total} {'would be sent' if dry_run else 'sent'} to {done.target}, visible to {done.seen_by}")


@app.command("rederive", epilog="Example: demur release rederive frontier/1 --replay replies.jsonl.gz")
def rederive(
    name: NameOrFolder,
    replay: Annotated[Path, typer.Option(help="A recording of the release's round.", metavar="FILE")],
    config: Annotated[
        str | None,
        typer.Option(help="The round's configuration. Needed if it names files of yours.", metavar="CONFIG"),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(help="The round's questions. Needed after `demur round --corpus`.", metavar="FILE"),
    ] = None,
    mapping: FieldMapping = None,
    answers: Answers = None,
    bad_rows: BadRows = None,
    trust_release: Annotated[
        str | None,
        typer.Option(
            help="SHA-256 of the manifest of a release that was not frozen here, in place of --config.",
            metavar="DIGEST",
        ),
    ] = None,
) -> None:
    """Make a release again from recorded replies and compare the data files. Exit status is 1 if a file differs.

    No model is asked. The round runs in a temporary home, which is deleted at the end. The temporary home has the list
    of questions that earlier rounds used.
    """
    from demur.configuration.settings import demur_home, silence_prefect_log
    from demur.flows.orchestration.temporary_api import start_temporary_api

    silence_prefect_log()
    start_temporary_api()
    from demur.flows.rederivation import rederive as made_again

    reading = {"mapping": mapping, "answers": answers, "bad_rows": bad_rows}
    found = made_again(demur_home(), name, replay, config, corpus, reading, trust_release)
    if found.differences:
        echo("\n".join(found.differences))
        raise typer.Exit(1)
    echo(f"{found.label}: {len(found.same)} files were made again from {replay.name}, and all bytes are equal")


# `demur release diff`: differences between two releases.


DIFFERENCES_EXAMPLES: Final = """
[bold]Examples[/bold]

demur release diff weekly/1 weekly/2

demur release diff weekly/1 weekly/2 --fail-on "crs drop > 0.02" --page diff.html

demur release diff https://example.org/releases/a ./b --format json
"""
FAILED: Final = 1

Place = Annotated[
    str,
    typer.Argument(help="NAME, NAME/VERSION, a release's folder, or its address.", autocompletion=complete_release),
]


def show_differences(
    first: Place,
    second: Place,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit status 1 if a score changed by more: METRIC drop|rise|change > NUMBER.",
            metavar="CONDITION",
        ),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Also write a self-contained page to this file.")] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Compare two releases: items by stratum and lever, prompts, models, settings, and scores.

    Both releases are verified first. Scores are compared for each respondent with the same model and judge in both
    releases. A difference is the second score minus the first, with a 95 % interval.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.release_differences import broken, condition, release_diff
    from demur.reports.comparison_pages import render_release_diff

    conditions = [condition(text) for text in fail_on or ()]
    diff = release_diff(demur_home(), first, second)
    failed = list(broken(diff, conditions))
    if page is not None:
        write_out(page, render_release_diff(diff, failed))
    if output is Output.JSON:
        echo(json.dumps({**diff.as_dict(), "failed": failed}, ensure_ascii=False))
    else:
        echo(_text(diff))
        for problem in failed:
            echo(f"\n{problem}")
    if failed:
        raise typer.Exit(FAILED)


def _text(diff: "ReleaseDiff") -> str:
    """Return the differences as tables. Equal parts have no table."""
    if diff.same:
        return f"{diff.first} and {diff.second}: the data files are the same"
    found = diff.items
    lines = [
        f"{diff.first} and {diff.second}: {found['in_both']} of {found['first']} and {found['second']} items, "
        f"{found['bases_in_both']} of {found['bases_first']} and {found['bases_second']} base instances are in both"
    ]
    for title, rows in (("Prompts", diff.prompts), ("Models", diff.models), ("Settings", diff.settings)):
        if rows:
            lines += ["", title, _shown("release_facts", rows)]
    counted = [row for row in diff.strata if row["first"] != row["second"] or row["in_both"] != row["first"]]
    if counted:
        lines += ["", "Items by stratum", _shown("release_strata", counted)]
    if diff.scoring_versions:
        first, second = diff.scoring_versions
        lines += ["", f"The scores are of scoring versions {first} and {second}, so they are not compared"]
    if diff.scores:
        scores = [row for row in diff.scores if row["metric"] == "calibrated_refusal_score"]
        lines += ["", "Calibrated refusal scores, second minus first", _shown("release_scores", scores)]
    return "\n".join(lines)


def _shown(name: str, rows: "Sequence[Row]") -> str:
    from demur.reports.tables import named_table
    from demur.reports.tables.named import text_of

    return text_of(named_table(name).shown(rows), terminal_width() or WIDEST)

"""The page of a round's results: its report with links to items."""

from demur.reports.explorer.pages import Page, head_of
from demur.reports.reference_figures import references
from demur.reports.report.report import ReportFacts, read_report, report_context
from demur.reports.tables import named_table
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.home import Home
from demur.warehouse.release import Release, read_manifest, releases


def results_page(snapshot: Snapshot, home: Home, round_id: str, release: Release | None = None) -> Page:
    """Return the results page of a round.

    The audit and the recordings are those of `release`. The default release is the round's newest. The results of an
    evaluation have no audit and no recordings.
    """
    head = head_of(snapshot, round_id)
    found = [release] if release is not None else [one for one in releases(home) if one.round_id == round_id]
    described = read_manifest(found[-1].path).model_dump() if found else {}
    label = found[-1].label if found else head["release_evaluated"] or ""
    con = snapshot.connection()
    [own] = named_table("overview").read(con, round=round_id).records
    benchmark = (described.get("imported") or {}).get("benchmark") or own["benchmark"]
    facts = ReportFacts(
        title=head["configuration"],
        release=label,
        recorded=described.get("recorded", ()),
        said={name: described.get(name) for name in ("audit", "calibration")},
        references=references(benchmark, label, own["judges"] or ()),
    )
    return Page("report", report_context(read_report(con, round_id, facts)))

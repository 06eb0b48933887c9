"""An exporter: the questions of a release as a page of cards."""

from demur.exchange.exporting.items import Exported


def export(found, asked):
    """Return the files of a release by name, and the command that uses them."""
    cards = [
        f"## {item.id}\n\n{item.perturbed_query}\n\nExpected: {item.expected_rag_behavior}\n" for item in found.items
    ]
    page = f"# {found.release.label}\n\nLicence: {asked.licence}\n\n" + "\n".join(cards)
    return Exported({"cards.md": page}, "open {folder}/cards.md")

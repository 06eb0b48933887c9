"""Invented instances and the inputs of the programs, as the adapter hands them to the rules lane."""

from collections.abc import Collection
from itertools import chain

from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.perturbation import verifying
from demur.programs.signatures.response import NumberedPassage
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.rules.roles import Outputs, answer
from tests.text.bases import several, single

CATALOGUE = load_catalogue()

BRIDGE = single(
    "Who designed the Harrow Bridge?",
    ("Ada Quill",),
    "The Harrow Bridge crosses the river Teel at the old ferry landing. It was designed by Ada Quill, an "
    "engineer from Marlow, and opened in 1871. The grey stone came from a quarry near Brent. Tolls were "
    "taken until 1902, when the town bought the bridge from its owner, Lord Penrose.",
)

MILL = several(
    "In which year did the mill that Oskar Lind bought burn down?",
    ("1894",),
    ("Oskar Lind was a grain merchant from Talsund. In 1880 he bought the Vester Mill on the lower canal.", True),
    ("The Vester Mill was the largest mill of the district. It burned down in 1894 and was never rebuilt.", True),
    ("The Osten Mill ground rye for the garrison. It was pulled down in 1911 to make room for a school.", False),
    ("Talsund is a port town. Its harbour was dredged in 1860 and again in 1923.", False),
)


def numbered(base: BaseInstance) -> tuple[NumberedPassage, ...]:
    return tuple(NumberedPassage(number=p.index + 1, text=p.text) for p in base.passages)


def respond(which: str, question: str, passages: tuple[NumberedPassage, ...]) -> str:
    task = "AnswerFromPassage" if len(passages) == 1 else "AnswerFromPassages"
    out = answer(f"respondent/{which}", task, {"question": question, "passages": passages}, 0, CATALOGUE)
    return str(out["response"])


def lever_of(
    lever_class: LeverClass,
    intensity: Intensity,
    lever_id: str | None = None,
    catalogue: Catalogue = CATALOGUE,
    parts: Collection[str] = (),
) -> Lever:
    """A lever of the stratum: that one, or the first that may change these parts and has to change no other."""
    levers = catalogue.stratum(lever_class, intensity)
    named = (x for x in levers if x.id == lever_id)
    exact = (x for x in levers if x.target == " and ".join(sorted(parts, reverse=True)))
    fitting = (x for x in levers if lever_id is None and all(part in x.target for part in parts))
    return next(chain(named, exact, fitting), levers[0])


def verdict(
    which: str,
    base: BaseInstance,
    lever_class: LeverClass,
    intensity: Intensity,
    *,
    question: str | None = None,
    changed: dict[int, str] | None = None,
    lever_id: str | None = None,
    catalogue: Catalogue = CATALOGUE,
) -> Outputs:
    """Return the verdict of `verifier/<which>` on a perturbation written down by hand."""
    parts = {*(["query"] if question else []), *(["context"] if changed else [])}
    lever = lever_of(lever_class, intensity, lever_id, catalogue, parts)
    perturbation = Perturbation(
        question=question or base.question,
        changed=tuple(ChangedPassage(index=i, text=t) for i, t in (changed or {}).items()),
        lever=lever.name,
    )
    inputs = verifying(base, perturbation, stratum_brief(lever_class, intensity), lever)
    return answer(f"verifier/{which}", "VerifyPerturbation", inputs, 0, catalogue)

"""What verifiers see of what a change means, each in a case that readers failed for the same reason."""

import pytest

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import Intensity, LeverClass
from tests.rules.roles.cases import BRIDGE, verdict
from tests.text.bases import single

MEDIUM, HIGH, LOW = Intensity.MEDIUM, Intensity.HIGH, Intensity.LOW
CAPITAL = single("which country is corran the capital of", ("Norway",), "Corran is the capital of Norway, near Sweden.")
RIVER = single("which river runs by selby", ("Tarn River",), "The Tarn River runs by Selby. Far off is the Bel River.")
ELSE = single("who else worked with ned corbin", ("Emma Perrin",), "Ned Corbin worked with Emma Perrin and Ada Brandt.")
JOBS = single("what are most jobs", ("small repairs",), "Most jobs are small repairs, such as a new lock or a door.")
BAND = single("who sang low tide", ("The Bells",), "The Bells are a band of two, Ann and Joe. They sang Low Tide.")
FIRM = single("where is oak press", ("Selby",), "In Selby stands the house of Oak Press, which it has. It prints maps.")
SCAN = single("how many rode in the car", ("36 people",), "The cable car at Orlo had 36 people in it.")
QUAKE = single("what size are the quakes", ("small",), "The quakes are small. The valley has ten of them each year.")


@pytest.mark.parametrize(
    ("which", "base", "of", "intensity", "question", "text", "issue"),
    [
        ("rederive", CAPITAL, LeverClass.CONTRADICTION, MEDIUM, None,
         f"{CAPITAL.passages[0].text} Another record has: Corran is the capital of Peru.", "other places"),
        ("rederive", ELSE, LeverClass.CONTRADICTION, MEDIUM, None,
         f"{ELSE.passages[0].text} Another record has: Ned Corbin worked with Anna Sorel.", "one more of several"),
        ("rederive", RIVER, LeverClass.MISSING_INFO, MEDIUM, None,
         "The [illegible] runs by Selby. Far off is the Bel River.", "of the answer's kind"),
        ("rederive", JOBS, LeverClass.MISSING_INFO, MEDIUM, None,
         "Most jobs are [illegible], such as a new lock or a door.", "explains it"),
        ("rederive", BAND, LeverClass.MISSING_INFO, MEDIUM, None,
         "[illegible] are a band of two, Ann and Joe. They sang Low Tide.", "goes on to describe"),
        ("wording", FIRM, LeverClass.MISSING_INFO, MEDIUM, None, "Today, it prints maps.", "refers to nothing"),
        ("wording", BRIDGE, LeverClass.MISSING_INFO, MEDIUM, None,
         "It was designed by [a], [see note 4] or [see note 4], and [see note 4] opened.", "again and again"),
        ("strict", BRIDGE, LeverClass.AMBIGUITY, MEDIUM, "Who was that?", None, "next to nothing"),
        ("strict", BRIDGE, LeverClass.AMBIGUITY, HIGH, "harrow bridge info", None, "not all of the question"),
        ("strict", BRIDGE, LeverClass.CONTRADICTION, MEDIUM, None,
         f"{BRIDGE.passages[0].text} It was not designed by Ada Quill but by another one.", "none is named"),
        ("strict", SCAN, LeverClass.CONTRADICTION, LOW, None,
         f'{SCAN.passages[0].text} Uncorrected scan: "The cable car at Orlo had 36 pe0ple in it."', "as it was"),
        ("strict", QUAKE, LeverClass.GRANULARITY, MEDIUM, "what did all the people of the valley want", None, "nobody"),
    ],
)  # fmt: skip
def test_verifier_says_what_is_wrong(
    which: str,
    base: BaseInstance,
    of: LeverClass,
    intensity: Intensity,
    question: str | None,
    text: str | None,
    issue: str,
) -> None:
    found = verdict(which, base, of, intensity, question=question, changed={0: text} if text else None)
    said = " | ".join(str(one) for one in found["issues"])
    assert issue in said, said


def test_name_of_the_question_is_out_of_place_in_a_passage_that_knows_nothing_of_it() -> None:
    base = single(
        "what sort of thing is Anna Sorel's coin", ("a mark",), "The mark was the coin of the land. It is gone."
    )
    for said, wrong in (("Accounts of Anna Sorel may differ.", True), ("Accounts of the mark may differ.", False)):
        text = f"{base.passages[0].text} {said}"
        found = verdict("wording", base, LeverClass.EPISTEMIC, LOW, changed={0: text})
        assert any("nothing to do with" in str(one) for one in found["issues"]) is wrong

"""Contradictions copy what answers and exchange the answer; the accepted answer stays where it was."""

import random
import re

import pytest

from demur.levers.frames import Style
from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import LeverClass
from demur.rules.corpus import Corpus
from demur.rules.operators.contradiction.undoing import negated
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, find_operator
from demur.text.analysis import analyse
from demur.text.answers import find_answers
from demur.text.people import first_name_of
from tests.rules.recipes.drafts import Recipes, levers_of
from tests.text.bases import ACTRESS, COUNT, DAM, LIGHTHOUSE, POLAR, several, single

CONTRA = Recipes(LeverClass.CONTRADICTION)
SEEDS = range(6)


def test_twin_sets_somebody_of_another_first_name_behind_the_person_who_answers() -> None:
    text = "The ballad of the red mare was sung by Maria Garza. Garza wrote it in Orlo."
    base = single("who sang the ballad of the red mare", ("Maria Garza",), text)
    for seed in SEEDS:
        made = CONTRA.draft(base, "Undated Twin Versions", seed).changed[0]
        put = re.fullmatch(r"The ballad .* by Maria Garza \((.*)\)\. Garza wrote it in Orlo\.", made)
        assert put is not None and re.search(r"\b(?!Maria)[A-Z]\w+ Garza\b", put[1]), made
    again = single(base.question, base.answers, text.replace(". Garza", ". Maria Garza"))
    assert CONTRA.declined(again, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_of_a_day_stays_in_its_year_and_keeps_its_form() -> None:
    base = single("when did the ferry to orlo start", ("14 June 1871",), "The ferry to Orlo started on 14 June 1871.")
    for seed in SEEDS:
        text = CONTRA.draft(base, "Undated Twin Versions", seed).changed[0]
        assert re.match(r"The ferry to Orlo started on 14 June 1871 \(.*14 (?!June)[A-Z][a-z]+ 1871.*\)\.$", text)


def test_twin_repeats_the_sentence_where_no_brackets_fit_into_it() -> None:
    base = single("who tamed the red mare", ("Maria Garza",), "Maria Garza (born 1950) tamed the red mare in Orlo.")
    for seed in SEEDS:
        text = CONTRA.draft(base, "Undated Twin Versions", seed).changed[0]
        copy = re.search(r'"([A-Z]\w+(?: \w+)+) \(born 1950\) tamed the red mare in Orlo\."', text)
        assert text.startswith(base.passages[0].text) and copy is not None
        assert copy[1].endswith(" Garza") and not copy[1].startswith("Maria")


def test_twin_that_would_leave_an_accepted_answer_declines() -> None:
    assert CONTRA.declined(LIGHTHOUSE, "Undated Twin Versions") is DeclineReason.NO_SUITABLE_SPAN  # '1871' would do


def test_twin_with_several_passages_stands_whole_in_one_noise_passage() -> None:
    base = several(
        "Which year did the founder of Brightwater Press die?",
        ("1960",),
        ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps of the coast.", True),
        ("Mara Lindqvist was a Swedish printer. She died in Halden in 1960.", True),
        ("Oak Press printed hymn books until 1950. It was sold to a rival in the same street of the town.", False),
    )
    for seed in SEEDS:
        made = CONTRA.draft(base, "Undated Twin Versions", seed)
        assert set(made.changed) == {2}
        assert re.match(
            r"Mara Lindqvist was a Swedish printer\. She died in Halden in (?!1960)19\d\d \(.*1960.*\)\.$",
            made.changed[2],
        )


@pytest.mark.parametrize("base", [POLAR, DAM])
def test_twin_of_what_has_no_other_value_declines(base: BaseInstance) -> None:
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_of_a_measure_that_stands_in_another_unit_beside_declines() -> None:
    base = single("how much snow falls in orlo", ("6.8 inches",), "Snowfall in Orlo is 6.8 inches (17.3 cm) a year.")
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_of_several_different_answers_declines() -> None:
    base = single(
        "who played the twins in the long winter",
        ("Rosa Delmar", "Hugh Penrose"),
        "Rosa Delmar played one of the twins in The Long Winter. Hugh Penrose played the other.",
    )
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_of_a_person_keeps_the_gender_that_the_passage_tells() -> None:
    text = "{} Penrose wrote the play about the mill in Leeds. It was a success there."
    for first, sex in (("Thomas", "male"), ("Emily", "female")):
        base = single("who wrote the play about the mill", (f"{first} Penrose",), text.format(first))
        made = CONTRA.draft(base, "Undated Twin Versions").changed[0]
        (other,) = set(re.findall(r"(\w+) Penrose", made)) - {first}
        assert first_name_of(other.lower()) == sex


def test_superseded_version_says_that_it_is_withdrawn() -> None:
    text = CONTRA.draft(ACTRESS, "Superseded Version Flagged").changed[0]
    assert re.search(r"Rosa Ann Delmar \([^)]+ in an (?:old|earlier) version[^)]*\) plays", text)


def test_scan_garbles_the_figure_of_an_answer() -> None:
    base = single("how many rode in the cable car", ("36 passengers",), "The cable car at Orlo had 36 passengers.")
    text = CONTRA.draft(base, "Scan Damage beside Clean Text").changed[0]
    assert text.endswith('"The cable car at Orlo had 3b passengers."')


def test_twin_declines_a_place_that_others_beside_it_tell_and_one_more_of_several() -> None:
    told = "Corran is the capital of Bulgaria. It lies in Europe."
    more = "Ned Corbin worked with Emma Perrin in 1931. He was a printer."
    for base in (
        single("which country has corran as its capital", ("Bulgaria",), told),
        single("who else worked with ned corbin", ("Emma Perrin",), more),
    ):
        assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_declines_where_another_part_of_the_sentence_is_asked_about() -> None:
    base = single(
        "who was an early friend of inductive proof",
        ("Ellen Marsh",),
        "Three schools arose: deduction, taught by Ellen Marsh; inductivism, the proof of Anna Sorel; and doubt.",
    )
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_SUITABLE_SPAN


def test_scan_garbles_the_answer_and_nothing_else() -> None:
    text = CONTRA.draft(COUNT, "Scan Damage beside Clean Text").changed[0]
    added = text.removeprefix(COUNT.passages[0].text)
    assert not find_answers(added, COUNT.answers)
    assert re.search(r'"The tower of Saint Orla holds \S{5} \S{5}\."', added)


BOTH = several(
    "Are Local Arn and Two Bells both board games?",
    ("yes",),
    ("Local Arn is a board game from Selby. It is played by two.", True),
    ("Two Bells is a board game by Ellen Marsh. It takes an hour.", True),
    ("Corran Press was a house that printed rules of play and sold them in tins in the town of Halden.", False),
)
EARLIER = several(
    "Who was born earlier, Anna Sorel or Emma Perrin?",
    ("Anna Sorel",),
    ("Anna Sorel (born 4 May 1950) is a rower from Lima. She won twice.", True),
    ("Emma Perrin (born 9 June 1958) is a rower from Selby. She wrote a book.", True),
    ("The Garton Plate is a rowing race on the river Tam, and was first held in the year 1901 by a club.", False),
)


@pytest.mark.parametrize(("base", "expected"), [(BOTH, r"is a (?:card|dice) game"), (EARLIER, r"born \d+ \w+ 19\d\d")])
def test_twin_of_an_entry_that_is_compared_exchanges_what_decides(base: BaseInstance, expected: str) -> None:
    for seed in SEEDS:
        made = CONTRA.draft(base, "Undated Twin Versions", seed)
        assert set(made.changed) == {2} and re.search(expected, made.changed[2])


def test_twin_of_entries_compared_by_year_turns_their_order_round() -> None:
    for seed in SEEDS:
        text = CONTRA.draft(EARLIER, "Undated Twin Versions", seed).changed[2]
        year = int(re.findall(r"\((?:born) \d+ \w+ (\d{4})\)", text)[0])
        assert year > 1958 if "Anna Sorel" in text else year < 1950


def test_twin_of_a_comparison_that_another_value_would_not_change_declines() -> None:
    assert CONTRA.declined(POLAR, "Undated Twin Versions") is DeclineReason.NO_RIVAL
    denied = BaseInstance(question=BOTH.question, answers=("no",), passages=BOTH.passages)
    assert CONTRA.declined(denied, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_twin_makes_two_things_of_one_nation_where_they_are_said_to_be_of_two() -> None:
    base = several(
        "Are Anna Sorel and Emma Perrin both French rowers?",
        ("no",),
        ("Anna Sorel (born 4 May 1950) is a French rower. She won twice.", True),
        ("Emma Perrin (born 9 June 1958) is a Swedish rower. She wrote a book.", True),
        ("The Garton Plate is a rowing race on the river Tam, and was first held in the year 1901 by a club.", False),
    )
    text = CONTRA.draft(base, "Undated Twin Versions").changed[2]
    assert "Emma Perrin (born 9 June 1958) is a French rower." in text


def test_source_that_denies_names_nobody_where_the_corpus_has_no_other_value() -> None:
    said = "The red mare of Selby was tamed by Ostrava in the spring. She won the Garton Plate in the same year."
    alone = single("who tamed the red mare", ("Ostrava",), said)
    assert CONTRA.declined(alone, "Modal Dilution") is DeclineReason.NO_RIVAL
    noise = "Corran Press was a house that printed rules of play and sold them in tins in the town of Halden."
    beside = several("who tamed the red mare", ("Ostrava",), (said, True), (noise, False))
    assert CONTRA.declined(beside, "Modal Dilution") is DeclineReason.NO_FRAME
    text = CONTRA.draft(beside, "Contradictory Universals").changed[1]
    assert "The red mare of Selby was tamed not by Ostrava but by somebody else in the spring." in text


def test_passage_that_leads_to_the_answer_is_given_once_more_with_another_thing() -> None:
    base = several(
        "In which valley is the mill of the owner of Tarn House?",
        ("the valley of Temm in the far north",),
        ("Tarn House is a villa of 1901. It belongs to Peter Quill and stands on a hill.", True),
        ("Peter Quill (born 1950) is a composer. His mill is in the valley of Temm in the far north.", True),
        ("Martin Lund (born 1948) is a composer from Halden. He wrote three operas.", False),
        ("Tarn Lake is a lake near Selby, on the shores of which some villas were built.", False),
    )
    lever = levers_of(LeverClass.CONTRADICTION)["Undated Twin Versions"]
    pull = Pull(analyse(base), lever, Style.TERSE, random.Random(1), Corpus.of([base]))
    made = find_operator("contradiction.second_source")(pull)
    assert isinstance(made, Draft), made
    assert [text for text in made.changed.values() if "belongs to Martin Lund and stands" in text]


def test_condition_ties_what_answers_to_another_sentence_and_fails() -> None:
    base = single(
        "Why did the dam at Norby fail?",
        ("badger tunnels",),
        "The dam was built of earth. The dam at Norby failed because of badger tunnels. Water reached the old church.",
    )
    made = CONTRA.draft(base, "Logical Biconditional Break").changed[0]
    assert '"The dam at Norby failed because of badger tunnels" is true if and only if "' in made
    assert made.startswith(base.passages[0].text) and made.endswith("The second is true; the first is not.")


def test_date_is_put_after_the_end_of_what_it_is_asked_of() -> None:
    base = single("when was the mill opened", ("1871",), "The mill at Temm was opened in 1871. It ground rye.")
    text = CONTRA.draft(base, "Temporal Paradox").changed[0]
    assert re.match(r"The mill at Temm was opened in 1871, \w+ years after it had closed for good\. It", text)


@pytest.mark.parametrize(
    ("sentence", "answer", "expected"),
    [
        ("The mill was opened in 1802.", "1802", "The mill was not opened in 1802."),
        ("He left Orlo in 1802.", "1802", "He did not leave Orlo in 1802."),
        ("It is a body whose task is to keep order.", "to keep order", "It is a body whose task is not to keep order."),
        ("Orlo has been the seat of the court.", "seat of the court", "Orlo has not been the seat of the court."),
        ("Some mills were opened in 1802.", "1802", "Some mills were not opened in 1802."),
        ("All mills were opened in 1802.", "1802", None),
        ("He played nine seasons in Orlo.", "Orlo", None),
        ("The Temm was slowly dug through Orlo.", "Orlo", None),
        ("The mill was opened when Ned Corbin came.", "Ned Corbin", None),
        ("Ned Corbin was a miller.", "Ned Corbin", None),
        ("It was built in stone and opened in 1802.", "1802", None),
    ],
)
def test_verb_is_denied_only_where_that_denies_what_is_asked(sentence: str, answer: str, expected: str | None) -> None:
    assert negated(sentence, (answer,)) == expected


def test_two_states_are_the_sentence_that_answers_and_its_denial() -> None:
    base = single(
        "what are the knots of orlo made of",
        ("hemp",),
        "The knots of Orlo are made of hemp. They are tied in spring.",
    )
    pulled = CONTRA.pull(base, "Binary State Flip")
    assert isinstance(pulled.made, Draft) and not pulled.failures
    assert pulled.made.changed[0].startswith(base.passages[0].text)
    assert '"The knots of Orlo are not made of hemp."' in pulled.made.changed[0]


def test_source_of_an_answer_without_a_known_kind_is_quoted_with_its_denial() -> None:
    base = single("what are the knots of orlo made of", ("hemp",), "The knots of Orlo are made of hemp.")
    assert '"The knots of Orlo are not made of hemp."' in CONTRA.draft(base, "Citation against Its Own Text").changed[0]


def test_condition_fails_only_where_no_other_sentence_tells_what_is_asked() -> None:
    text = "The mill of Orlo was built by Ned Corbin. The harbour is deep. Corbin was the builder of the mill of Orlo."
    base = single("who was the builder of the mill of orlo", ("Ned Corbin", "Corbin"), text)
    assert isinstance(CONTRA.pull(base, "Logical Biconditional Break").made, Declined)

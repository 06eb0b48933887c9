"""Where a perturbation changed its base instance, and how much it added."""

import pytest

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.vocabulary import ChangePlace
from demur.programs.checks.changes import change_place, words_added

QUESTION = "When was the mill at Harrow built?"
FIRST = "The mill at Harrow was built in 1802. It ground rye for four farms. Its wheel is gone."
SECOND = "Harrow lies on a brook. Its fair is in May. The road to Tolna passes it."
BASE = BaseInstance(
    question=QUESTION,
    answers=("1802",),
    passages=(Passage(index=0, text=FIRST, relevant=True), Passage(index=1, text=SECOND, relevant=False)),
)


def made(question: str = QUESTION, **passages: str) -> Perturbation:
    changed = tuple(ChangedPassage(index=int(name[1:]), text=text) for name, text in passages.items())
    return Perturbation(question=question, changed=changed, lever="x")


@pytest.mark.parametrize(
    ("perturbation", "place", "added"),
    [
        (made("When was the second mill at Harrow built?"), ChangePlace.QUESTION, 1),
        (made("When was the mill at Harrow built, and by whom?"), ChangePlace.QUESTION_END, 3),
        (made(p0=f"{FIRST} A ledger has 1811."), ChangePlace.LAST_SENTENCE, 4),
        (made(p0=FIRST.replace("gone", "lost")), ChangePlace.LAST_SENTENCE, 1),
        (made(p0=FIRST.replace(" Its wheel is gone.", "")), ChangePlace.LAST_SENTENCE, 0),
        (made(p0=FIRST.replace("1802", "1811")), ChangePlace.FIRST_SENTENCE, 1),
        (made(p0=FIRST.replace("four", "nine")), ChangePlace.INSIDE, 1),
        (made(p0=FIRST.replace("four", "nine"), p1=f"{SECOND} It pays."), ChangePlace.INSIDE, 3),
        (made(p0="Tolna has a bell, a bridge and six wells."), ChangePlace.WHOLE_PASSAGE, 9),
        (made(p0=""), ChangePlace.WHOLE_PASSAGE, 0),
        (made("When was it built?", p0=f"{FIRST} A ledger has 1811."), ChangePlace.LAST_SENTENCE, 5),
    ],
)
def test_change_place_is_where_words_came_or_went(perturbation: Perturbation, place: ChangePlace, added: int) -> None:
    assert change_place(BASE, perturbation) is place
    assert words_added(BASE, perturbation) == added

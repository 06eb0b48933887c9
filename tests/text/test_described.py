"""The thing that a question asks about: its whole name, its kind by the passage's own words, else none."""

import pytest

from demur.levers.frames import Kind
from demur.rules.described import defined_as, described, entry_of
from demur.text.analysis import analyse
from demur.text.kinds import kind_of_answer
from tests.text.bases import several, single


@pytest.mark.parametrize(
    ("text", "kind", "noun"),
    [
        ("Brand (1866) is a 1987 American drama film directed by Ada Quill.", Kind.FILM, "drama film"),
        ("Brand was an American football coach and former player.", Kind.PERSON, "football coach"),
        ("Brand is a former American college and professional football player.", Kind.PERSON, "football player"),
        ("Brand is a Canadian animated comedy television series based on a book.", Kind.SHOW, "television series"),
        ("Brand is a rock band from Selby.", Kind.BAND, "rock band"),
        ("Brand is a card game.", Kind.GAME, "card game"),
        ("Brand is a game of patience.", None, ""),
        ("Brand went home.", None, ""),
    ],
)
def test_definition_in_a_passage_tells_kind_and_noun(text: str, kind: Kind | None, noun: str) -> None:
    assert defined_as(text, "Brand") == (kind, noun)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("when was catch the last tram made", "the film catch the last tram"),
        ("When was Catch the Last Tram made?", "Catch the Last Tram"),
        ("who directed the movie catch the last tram", "the movie catch the last tram"),
        ("who starred in catch the last", None),
        ("When was the Catch the Last Tram song made?", None),
    ],
)
def test_topic_is_the_whole_name_with_its_kind_in_lower_case(question: str, said: str | None) -> None:
    about = described(analyse(single(question, ("1994",), "Catch the Last Tram is a 1994 film by Ada Quill.")))
    assert (about.said if about else None) == said


def test_topic_of_several_passages_opens_one_that_bears_on_the_answer() -> None:
    base = several(
        "Who owns the paper that Ada Quill edits?",
        ("Hugh Penrose",),
        ("The Selby Post is a paper. Ada Quill edits it. Hugh Penrose owns it.", True),
        ("Ada Quill (born 1961) is an editor.", False),
    )
    assert described(analyse(base)) is None


def test_entry_opens_with_a_name_and_says_what_it_is() -> None:
    assert entry_of('"Low Tide" is a song by Ada Quill.') == ("Low Tide", Kind.SONG, "song")
    assert entry_of("It is a song.") is None


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("who directed the film low tide", "Qim Jun-ryo", Kind.PERSON),
        ("which singer is on the coin", "Qim Jun-ryo", Kind.PERSON),
        ("who played the lion", "Selby Park", None),
    ],
)
def test_name_that_no_list_has_is_a_persons_where_only_people_do_what_is_asked(
    question: str, answer: str, kind: Kind | None
) -> None:
    assert kind_of_answer(analyse(single(question, (answer,), f"Low Tide is a film on {answer}."))) is kind

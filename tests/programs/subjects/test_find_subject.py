import pytest

from demur.programs.instances import BaseInstance
from demur.programs.rules.subjects import (
    Aspect,
    SubjectKind,
    aspect_of,
    counted,
    doing_of,
    find_subject,
    is_chained,
    kind_nouns,
    like,
    passage_subject,
)
from demur.programs.text.analysis import analyse
from tests.programs.rules.bases import ACTRESS, LIGHTHOUSE, TOWN, single


def asked(question: str, answer: str, text: str) -> BaseInstance:
    return single(question, (answer,), text)


SONG = asked(
    "who sings paper boats in the rain",
    "Mara Quist",
    '"Paper Boats in the Rain" is a song by Mara Quist. It was released in 2009 and has four verses.',
)
RIVER = asked(
    "What is the length of the Sorn River?",
    "212 km",
    "The Sorn River is a river in the north. It has a length of 212 km and flows into the sea at Port Amery.",
)
GAME_HALL = asked(
    "how many seats does the harbour arena have",
    "4,200",
    "The Harbour Arena is an arena in Fenmouth. The arena has 4,200 seats and was opened in 1998.",
)


@pytest.mark.parametrize(
    ("base", "phrase", "kind"),
    [
        (SONG, "the song paper boats in the rain", SubjectKind.SONG),
        (RIVER, "the Sorn River", SubjectKind.LANDFORM),
        (LIGHTHOUSE, "the Corran lighthouse", SubjectKind.BUILDING),
        (GAME_HALL, "the harbour arena", SubjectKind.BUILDING),
    ],
)
def test_subject_of_a_question_is_its_named_thing_with_article_and_kind(
    base: BaseInstance, phrase: str, kind: SubjectKind
) -> None:
    subject = find_subject(analyse(base))
    assert subject is not None
    assert (subject.phrase, subject.kind) == (phrase, kind)


def test_subject_is_never_an_accepted_answer() -> None:
    base = asked("what album is glass pier on", "Glass Pier", '"Glass Pier" is the title song of the album Glass Pier.')
    subject = find_subject(analyse(base))
    assert subject is None or subject.phrase != "glass pier"


def test_lower_case_title_without_article_gets_the_word_for_its_kind() -> None:
    subject = find_subject(analyse(SONG))
    assert subject is not None
    assert subject.short == "paper boats in the rain"
    assert like(subject) == "songs like paper boats in the rain"


def test_possessive_ending_is_no_part_of_the_subject() -> None:
    base = asked(
        "When did Liv Dahl's second book appear?",
        "1931",
        "Liv Dahl (born 1890) was a poet. Her second book appeared in 1931.",
    )
    subject = find_subject(analyse(base))
    assert subject is not None
    assert subject.phrase == "Liv Dahl"
    assert kind_nouns(subject) == "poets"


def test_aspect_of_a_who_question_about_a_film_is_casting() -> None:
    analysis = analyse(ACTRESS)
    subject = find_subject(analysis)
    assert subject is not None
    assert aspect_of(analysis, subject) is Aspect.CASTING


def test_aspect_of_a_chained_question_stays_open() -> None:
    analysis = analyse(TOWN)
    subject = find_subject(analysis)
    assert subject is not None
    assert is_chained(analysis)
    assert aspect_of(analysis, subject) is Aspect.NATURE


def test_counted_noun_of_how_many_is_the_plural_phrase() -> None:
    assert counted(analyse(GAME_HALL)) == "seats"
    assert counted(analyse(RIVER)) is None


def test_doing_of_a_plain_who_question_gives_three_forms() -> None:
    doing = doing_of(analyse(SONG))
    assert doing is not None
    assert (doing.finite, doing.participle, doing.infinitive) == (
        "sings paper boats in the rain",
        "sung paper boats in the rain",
        "sing paper boats in the rain",
    )


def test_doing_of_a_question_with_two_questions_in_it_is_none() -> None:
    base = asked("who built the mill and when did it burn", "Ada Finch", "Ada Finch built the mill. It burnt in 1804.")
    assert doing_of(analyse(base)) is None


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("The Salter Mill is a mill in Harnby. The Salter Mill was closed in 1957.", "the Salter Mill"),
        ("He was born in Ullen. Later he moved.", None),
        ("In 1904 the orchard was planted.", None),
        ("Lake Arn (German: Arnsee) is a lake.", "Lake Arn"),
    ],
)
def test_passage_subject_is_its_opening_name_or_nothing(text: str, called: str | None) -> None:
    analysis = analyse(asked("What is it?", "a lake", text))
    assert passage_subject(analysis.passages[0]) == called


@pytest.mark.parametrize(
    ("question", "passage", "phrase"),
    [
        ("Who was in charge of the county Orlo Ford is located in?", "Orlo Ford is a village.", "Orlo Ford"),
        ("In which hand is the Cello Sonata in D minor written?", "The Sonata in D minor is old.",
         "the Cello Sonata in D minor"),
        ("who was the book of elam written to", "Elam was written to the north. Elam is short.", "the book of elam"),
    ],
)  # fmt: skip
def test_name_is_taken_whole_and_without_what_heads_a_clause_about_it(question: str, passage: str, phrase: str) -> None:
    subject = find_subject(analyse(asked(question, "Ada Finch", f"{passage} Ada Finch is named in it.")))
    assert subject is not None
    assert subject.phrase == phrase


@pytest.mark.parametrize(
    ("question", "passage", "kind"),
    [
        ("What river flows through the town Ada Finch played for?", "Ada Finch played in a show.", SubjectKind.PERSON),
        ("What song was written in Kingston, Jamaica?", "A song was written in Kingston, Jamaica.", SubjectKind.PLACE),
    ],
)
def test_kind_is_no_work_where_a_work_is_only_mentioned_nearby(question: str, passage: str, kind: SubjectKind) -> None:
    subject = find_subject(analyse(asked(question, "Elm Beck", f"{passage} Elm Beck is named in it.")))
    assert subject is not None
    assert subject.kind is kind


def test_name_that_is_a_plural_with_the_takes_a_plural_verb() -> None:
    base = asked("When did the Harbour Lights form?", "1971", "The Harbour Lights are a band that formed in 1971.")
    subject = find_subject(analyse(base))
    assert subject is not None
    assert subject.plural


@pytest.mark.parametrize(
    ("question", "passage", "kind"),
    [
        ("Who flew The Gull?", "The Gull was a Cornish biplane of 1921.", SubjectKind.PRODUCT),
        ("In which city is WQXO heard?", "WQXO is a news talk radio station.", SubjectKind.COMPANY),
        ("Thumb Federation is on what network?", "Thumb Federation: TF is a television series.", SubjectKind.SHOW),
        ("Who was the film Orlo produced by?", "Orlo was made by a firm of that town.", SubjectKind.FILM),
        ("How long has Helen Marsh been playing?", "For years, Ann Marsh has played.", SubjectKind.PERSON),
    ],
)
def test_kind_is_what_the_passage_or_the_word_beside_the_name_says(
    question: str, passage: str, kind: SubjectKind
) -> None:
    subject = find_subject(analyse(asked(question, "Elm Beck", f"{passage} Elm Beck is named in it.")))
    assert subject is not None
    assert subject.kind is kind


def test_piece_of_a_quotation_is_no_subject() -> None:
    base = asked(
        'Who wrote the book titled "Their Lives: The Clinton Machine"?',
        "Ida Sorel",
        "Their Lives: The Clinton Machine is a book by Ida Sorel.",
    )
    subject = find_subject(analyse(base))
    assert subject is None or subject.name == "Their Lives: The Clinton Machine"


def test_common_noun_that_a_passage_writes_large_is_no_name() -> None:
    base = asked(
        "When did the school start teaching engineering?",
        "1873",
        "The School of Engineering opened in 1891. Engineering was taught there from 1873.",
    )
    subject = find_subject(analyse(base))
    assert subject is None or not subject.is_named


@pytest.mark.parametrize(
    "text",
    [
        "Nine matches were held at the event.",
        "A common error is to leave the lid off.",
        "The Prisoners (Temporary Discharge) Act was passed.",
        "Party and government leaders Name is a heading.",
    ],
)
def test_passage_that_opens_with_no_name_has_no_subject_of_its_own(text: str) -> None:
    assert passage_subject(analyse(asked("who won", "Ida", f"{text} Ida won.")).passages[0]) is None


def test_title_that_ends_in_a_preposition_is_kept_whole() -> None:
    base = asked(
        "who plays anna in the tide goes by", "Ida Finch", "The Tide Goes By is a film. Ida Finch plays in it."
    )
    subject = find_subject(analyse(base))
    assert subject is not None
    assert subject.name == "The Tide Goes By"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which body is part of hall of fame of Tarn?", "the hall of fame"),
        ("who has more super bowl wins", "the super bowl"),
    ],
)
def test_find_subject_without_its_article_gets_one(question: str, said: str) -> None:
    text = "The Hall of Fame of Tarn is a body. The Super Bowl is the final match of a league."
    subject = find_subject(analyse(asked(question, "nobody", text)))
    assert subject is not None
    assert subject.phrase.lower().startswith(said)


def test_find_subject_half_of_a_case_name_is_none_of_its_own() -> None:
    base = asked("What did Rostin v. Holt decide?", "nothing", "Rostin v. Holt was a case. Holt lost it.")
    subject = find_subject(analyse(base))
    assert subject is None or subject.phrase != "Holt"


def test_passage_subject_common_nouns_lose_the_capital_of_the_sentence() -> None:
    base = asked("What is it?", "work", "Building construction is work. It takes a year.")
    assert passage_subject(analyse(base).passages[0]) == "building construction"

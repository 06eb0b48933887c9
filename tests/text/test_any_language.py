import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.text import find_answers
from demur.text.answers import find_spellings, is_yes_no, keys_in
from demur.text.language_detection import ARTICLES, YES_NO, TextPart, supports
from demur.text.tokens import sentences, tokenise, words

HAN = st.text(alphabet="磨坊在河边谁建造了灯塔桥红蓝", min_size=2, max_size=8)
GERMAN = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüß", min_size=3, max_size=12)


@pytest.mark.parametrize(
    ("language", "answer", "text"),
    [
        ("de", "1.200", "Sie besaß zuletzt 1200 Bücher."),
        ("de", "3,5", "Der Turm ist 3,50 m hoch."),
        ("es", "1.200,5", "Costó 1200,5 euros."),
        ("fr", "12500", "Il y avait 12 500 habitants."),
        ("ru", "12500", "Было 12\u00a0500 жителей."),
        ("de", "sieben", "Es führen 7 Brücken über den Fluss."),
        ("de", "der Leuchtturm", "Man sah den Leuchtturm schon von weitem."),
        ("fr", "l'usine", "Elle travaille à l’usine."),
        ("de", "STRASSE", "Die Straße ist lang."),
        ("de", "Müller", "Frau Mu\u0308ller kam."),
        ("zh", "林海", "灯塔由工匠林海建造。"),
        ("zh", "1911年", "它于１９１１年关闭。"),
        ("ja", "木村", "灯台は木村が建てた。"),
        ("ko", "서울", "그는 서울에서 태어났다."),
    ],
)
def test_answer_in_another_spelling_is_found(language: str, answer: str, text: str) -> None:
    assert find_answers(text, (answer,), language)


@pytest.mark.parametrize(
    ("language", "answer", "text"),
    [
        ("de", "1.200", "Sie besaß 1,2 Bücher und 200 Karten."),
        ("de", "12", "Es waren 1.200 und 3,12 und 120."),
        ("de", "schön", "Das ist schon lange her."),
        ("de", "ja", "Ja, das Tor ist offen."),
        ("zh", "三", "十三座桥。"),
        ("zh", "红色", "阀门是蓝色的。"),
        ("es", "sí", "Sí, abre de noche."),
    ],
)
def test_answer_that_is_another_word_or_number_is_not_found(language: str, answer: str, text: str) -> None:
    assert not find_answers(text, (answer,), language)


@given(HAN, HAN, HAN)
def test_answer_without_spaces_is_found_where_it_stands(before: str, answer: str, after: str) -> None:
    text = f"{before}{answer}{after}"
    spans = [span.of(text) for span in find_spellings(text, answer, "zh")]
    assert answer in spans


@given(GERMAN, GERMAN, GERMAN)
def test_answer_in_other_case_and_form_of_characters_is_found_as_a_whole_word(one: str, answer: str, two: str) -> None:
    told = unicodedata.normalize("NFD", answer.upper())
    assert any(True for _ in find_spellings(f"{one} {told} {two}", answer, "de"))
    inside = f"{one}{answer}"
    found = any(True for _ in find_spellings(inside, answer, "de"))
    assert found == (inside == answer)


@given(st.integers(min_value=0, max_value=10**9))
def test_number_has_one_key_however_its_language_groups_it(value: int) -> None:
    from babel.numbers import format_decimal

    for language in ("de", "es", "fr", "zh", "ru", "pl"):
        [key] = keys_in(format_decimal(value, locale=language, group_separator=True), language)
        assert key.key == f"#{value}", language


@given(st.text(max_size=60), st.sampled_from(["de", "es", "fr", "zh", "ja", "hi", "th", "ar"]))
def test_any_text_is_read_without_error_and_its_tokens_stand_in_it(text: str, language: str) -> None:
    for token in tokenise(text):
        assert text[token.start : token.end] == token.text
    assert [s.text for s in sentences(text, language)] == [s.span.of(text) for s in sentences(text, language)]
    for key in keys_in(text, language):
        assert key.key and key.start < key.end <= len(text)
    find_answers(text, (text,), language) if text.strip() else None


def test_words_of_scripts_without_spaces_are_characters_and_marks_stay_with_their_letters() -> None:
    assert [t.text for t in words("4号罐有12座桥")] == ["4", "号", "罐", "有", "12", "座", "桥"]
    assert [t.text for t in words("हिन्दी है")] == ["हिन्दी", "है"]


def test_sentences_of_other_languages_end_by_their_own_marks() -> None:
    assert [s.text for s in sentences("磨坊在河边。它被卖了！", "zh")] == ["磨坊在河边。", "它被卖了！"]
    german = sentences("Am 3. Mai kam Dr. Weiß. Er blieb z. B. bis Juni.", "de")
    assert [s.text for s in german] == ["Am 3. Mai kam Dr. Weiß.", "Er blieb z. B. bis Juni."]


def test_supports_says_what_is_read_of_a_language() -> None:
    assert all(supports("en", part) for part in TextPart)
    assert (
        not supports("de", TextPart.WORDS)
        and supports("de", TextPart.ARTICLES)
        and supports("de", TextPart.NUMBER_WORDS)
    )
    assert not supports("zh", TextPart.NUMBER_WORDS) and supports("zh", TextPart.NUMBERS)
    assert ARTICLES.keys() <= YES_NO.keys()
    assert is_yes_no("Nein.", "de") and is_yes_no("是", "zh") and not is_yes_no("no", "de")

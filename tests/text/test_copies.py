"""Texts that give away base instances: the same text, near copies, and texts with the sentence of an answer."""

from demur.text.matching import Original, distinct_texts

DUG = "The harbour of Tamsin was dug in 1871 by the engineer Aldo Brecht and his two sons."
ICE = "It freezes over in hard winters, and then the ferry to Ostby lies still for weeks."
MILL = "The mill of Ostby ground rye for the whole valley until the flood of the year 1902."


def bases_of(*originals: Original) -> dict[str, set[str]]:
    """Return the base instances of each text, by the first base instance that has it and its place."""
    return {f"{one.originals[0].base_id}:{one.originals[0].place}": set(one.bases) for one in distinct_texts(originals)}


def test_same_text_with_other_spaces_case_and_marks_is_one_text() -> None:
    found = bases_of(
        Original("a", 0, f"{DUG} {ICE}", ("1871",)), Original("b", 0, f"{DUG.upper()}\n\n{ICE[:-1]}", ("Brecht",))
    )
    assert found == {"a:0": {"a", "b"}}


def test_text_within_a_longer_one_and_below_another_heading_gives_both_away() -> None:
    found = bases_of(
        Original("a", 0, f"Guide > Harbour\n{DUG}", ("1871",)),
        Original("b", 0, f"Tamsin\n{ICE} {DUG} {MILL}", ("Aldo Brecht",)),
    )
    assert found == {"a:0": {"a", "b"}, "b:0": {"a", "b"}}


def test_text_with_the_sentence_of_an_answer_gives_its_base_away() -> None:
    long = " ".join(f"Boat number {number} brought salt and iron from the north in that year." for number in range(40))
    found = bases_of(Original("a", 0, f"{DUG} {MILL} {long}", ("1871",)), Original("b", 0, f"{long[:500]} {DUG}"))
    assert found["b:0"] == {"a", "b"}


def test_texts_on_other_matters_and_noise_give_nothing_away() -> None:
    found = bases_of(
        Original("a", 0, DUG, ("1871",)), Original("b", 0, MILL, ("rye",)), Original("c", 0, f"{DUG} {ICE}")
    )
    assert found == {"a:0": {"a"}, "b:0": {"b"}, "c:0": {"a", "c"}}


def test_texts_of_one_pattern_with_other_answers_give_nothing_away() -> None:
    of_ostby = DUG.replace("Tamsin", "Ostby").replace("1871", "1902")
    found = bases_of(
        Original("a", 0, f"{DUG} {ICE}", ("1871",)),
        Original("b", 0, f"{of_ostby} {ICE}", ("1902",)),
        Original("c", 0, f"{DUG} {ICE}".replace("1871", "the year 1871"), ("Brecht",)),
    )
    assert found == {"a:0": {"a", "c"}, "b:0": {"b", "c"}, "c:0": {"a", "c"}}


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    text = "塔姆辛港于1871年由工程师布雷希特开凿，冬天常常结冰，渡船停航数周。"
    found = bases_of(Original("a", 0, text, ("1871年",)), Original("b", 0, f"港口指南\n{text}这里有一座磨坊。"))
    assert found == {"a:0": {"a"}, "b:0": {"a", "b"}}

import lemminflect
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

from demur.text.lexicon import inflection, lemmas

EVERY = 20
"""Share of the dictionaries' words that are looked up: one in this many."""
UNKNOWN = ["", ",", "-", "run,", "run,noun", "runs-", "é", "漢", "qzx"]


def test_lemmas_are_those_of_the_dictionary_that_the_library_parses() -> None:
    parsed = LemmaLUCodec.load(lemminflect.Lemmatizer().lemma_lu_fn)
    words = [*list(parsed)[::EVERY], *UNKNOWN]

    lemmas("runs")
    entries = lemminflect.Lemmatizer().lemma_dict

    assert not isinstance(entries, dict)
    assert [repr(entries.get(word, {})) for word in words] == [repr(parsed.get(word, {})) for word in words]


def test_inflections_are_those_of_the_dictionary_that_the_library_parses() -> None:
    parsed = InflectionLUCodec.load(lemminflect.Inflections().infl_lu_fn)
    words = [*list(parsed)[::EVERY], "be", "can", "ought", *UNKNOWN]

    assert inflection("run", "VBD") == "ran"
    entries = lemminflect.Inflections().infl_dict

    assert not isinstance(entries, dict)
    assert [repr(entries.get(word, {})) for word in words] == [repr(parsed.get(word, {})) for word in words]

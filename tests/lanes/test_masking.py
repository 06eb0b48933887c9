"""Keys are taken out of what is kept or said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.keys import HIDDEN, Mask


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-0123456789abcdefABCDEF",
        "sk-ant-api03-0123456789abcdef",
        "gsk_0123456789abcdef0123",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "ya29.a0Af_BwC-123",
        "AKIAABCDEFGHIJKLMNOP",
        "hf_0123456789abcdefgh",
    ],
)
def test_mask_takes_what_looks_like_a_key_out_of_errors_and_leaves_replies_alone(secret: str) -> None:
    said = f"Incorrect API key provided: {secret}. Find yours at https://example.org"
    assert Mask().error(said) == f"Incorrect API key provided: {HIDDEN}. Find yours at https://example.org"
    assert Mask().reply(said) == said


def test_mask_takes_tokens_out_of_repeated_headers_and_addresses() -> None:
    said = "401 for 'Authorization: Bearer abcdefgh.ijkl-mnop' at https://x.org/v1?key=abc123&alt=1"
    assert Mask().error(said) == f"401 for 'Authorization: Bearer {HIDDEN}' at https://x.org/v1?key={HIDDEN}&alt=1"


def test_mask_leaves_ordinary_errors_alone() -> None:
    said = "HTTP 400: max_tokens: 9000 > 8192, see https://docs.example.org/limits?page=2 (request req_011CQabc)"
    assert Mask("k" * 20, ["t" * 12]).error(said) == said


@given(
    key=st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=4, max_size=40),
    other=st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=8, max_size=40),
    before=st.text(max_size=20),
    after=st.text(max_size=20),
)
def test_mask_hides_our_key_everywhere_and_the_machines_others_in_errors(
    key: str, other: str, before: str, after: str
) -> None:
    mask = Mask(key, [other])
    said = f"{before}{key}{after}{other}"
    assert key not in mask.reply(said).replace(HIDDEN, "\n")
    assert other not in mask.error(said).replace(HIDDEN, "\n")


def test_mask_takes_keys_of_this_machine_out_of_prompts_and_leaves_short_words_and_keys_of_a_corpus_alone() -> None:
    mask = Mask("k" * 20, ["t" * 12, "x", "key"])
    assert mask.prompt(f"x key {'k' * 20} {'t' * 12} sk-proj-0123456789abcdef") == (
        f"x key {HIDDEN} {HIDDEN} sk-proj-0123456789abcdef"
    )
    assert mask.prompt("half \ud83d of a pair") == "half \ufffd of a pair"

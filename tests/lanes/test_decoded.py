"""Providers' answers, read by attribute without the SDKs' types."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.decoded import Decoded, decoded

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"\A[a-z]{1,8}_\Z"), inner, max_size=3),
    max_leaves=8,
)


def plain(value: object) -> object:
    if isinstance(value, Decoded):
        return {name: plain(getattr(value, name)) for name in value.fields}
    return [plain(one) for one in value] if isinstance(value, list) else value


@given(st.dictionaries(st.from_regex(r"\A[a-z]{1,8}_\Z"), VALUES, max_size=4))
def test_decoded_any_object_is_read_back_by_attribute(fields: dict[str, object]) -> None:
    assert plain(decoded(json.dumps(fields).encode())) == fields


@pytest.mark.parametrize("raw", [b"[1]", b"null", b"<html>", b'{"choices": [', b"\xff"])
def test_decoded_what_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError):
        decoded(raw)

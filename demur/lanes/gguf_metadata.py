"""Metadata of GGUF files: what a model's cache of keys and values takes for each token."""

import struct
from collections.abc import Iterator
from typing import Any, Final

_NUMBERS: Final = {**dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))), 10: "<Q", 11: "<q", 12: "<d"}
"""Formats of the types of numbers, by their code."""
_STRING, _ARRAY = 8, 9
_KIND: Final = "general.architecture"
_BYTES_OF_A_NUMBER: Final = 2
"""llama.cpp keeps keys and values as 16-bit floats."""


def cache_bytes(head: bytes, tokens: int) -> int:
    """Return the least memory in bytes that the cache of `tokens` tokens takes; 0 if the metadata do not tell.

    `head` is the beginning of a GGUF file. Layers with a sliding window keep at most the window's tokens.
    """
    try:
        known = dict(_fields(head))
        own = {name.split(".", 1)[1]: value for name, value in known.items() if name.startswith(known[_KIND] + ".")}
        layers, heads = own["block_count"], own["attention.head_count"]
        of_head = own["embedding_length"] // (max(heads) if isinstance(heads, list) else heads)
        kept = own.get("attention.head_count_kv", heads)
        width = own.get("attention.key_length", of_head) + own.get("attention.value_length", of_head)
        held = min(tokens, own.get("attention.sliding_window") or tokens)
        of_layers = sum(kept) if isinstance(kept, list) else kept * layers
        return int(of_layers * width * held * _BYTES_OF_A_NUMBER)
    except (KeyError, TypeError, ValueError, ArithmeticError, struct.error):
        return 0


def _fields(head: bytes) -> Iterator[tuple[str, Any]]:
    """Yield names and values up to the tokeniser, whose fields follow those of the model."""
    (count,) = struct.unpack_from("<Q", head, 16)
    place = 24
    for _ in range(count):
        name, place = _read(head, place, _STRING)
        if name.startswith("tokenizer."):
            return
        (kind,) = struct.unpack_from("<I", head, place)
        value, place = _read(head, place + 4, kind)
        yield name, value


def _read(head: bytes, place: int, kind: int) -> tuple[Any, int]:
    """Return the value at a place, and the place behind it."""
    if kind == _STRING:
        (length,) = struct.unpack_from("<Q", head, place)
        return head[place + 8 : place + 8 + length].decode(), place + 8 + length
    if kind == _ARRAY:
        of, length = struct.unpack_from("<IQ", head, place)
        place += 12
        values = []
        for _ in range(length):
            value, place = _read(head, place, of)
            values.append(value)
        return values, place
    (value,) = struct.unpack_from(_NUMBERS[kind], head, place)
    return value, place + struct.calcsize(_NUMBERS[kind])

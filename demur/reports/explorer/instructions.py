"""Instructions of levers, from the catalogues that are installed or given; loaded when first asked for."""

from functools import cache


@cache
def load_instructions() -> dict[str, str]:
    """Return the instructions of all levers by id; the first call reads the catalogue."""
    from demur.levers.load import load_catalogue

    return {lever.id: lever.instruction for lever in load_catalogue(None)}


def instruction_of(lever_id: str) -> str:
    """Return what a lever asks generators to do, an empty text for a lever of a catalogue that is not here."""
    return load_instructions().get(lever_id, "")

"""Instructions of levers, from the catalogues that are installed or given; loaded when first asked for."""

from functools import cache


@cache
def load_instructions() -> dict[str, str]:
    """Return the instructions of all levers by id; the first call reads the catalogue."""
    from demur.levers.load import load_catalogue

    return {lever.id: lever.instruction for lever in load_catalogue(None)}


def instruction_of(lever_id: str) -> str:
    """Return a lever's instruction to generators, empty for a lever of an unknown catalogue."""
    return load_instructions().get(lever_id, "")

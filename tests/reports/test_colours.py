import re

import pytest

from demur.reports.pages.rendering import TEMPLATES

PAIRS = [
    ("ink", "paper"),
    ("ink", "surface"),
    ("ink", "wash"),
    ("ink", "warm-wash"),
    ("muted", "paper"),
    ("muted", "surface"),
    ("accent", "paper"),
    ("accent", "surface"),
    ("warm", "paper"),
    ("ins", "ins-wash"),
    ("del", "del-wash"),
    *((f"k-{kind}-ink", f"k-{kind}") for kind in ("ca", "cr", "wa", "wc", "fr", "mr", "in")),
]
THEMES = ("light", "dark", "print")
AA = 4.5
STRONGEST_HEAT = 0.5


def themes() -> dict[str, dict[str, str]]:
    """Return the variables of every theme; dark and print change those of light."""
    blocks = re.findall(r":root \{(.*?)\}", (TEMPLATES / "page.css").read_text("utf-8"), flags=re.DOTALL)
    found = [dict(re.findall(r"--([\w-]+): ([^;]+);", block)) for block in blocks]
    return {name: {**found[0], **values} for name, values in zip(THEMES, found, strict=True)}


def rgb(colour: str) -> tuple[float, ...]:
    if colour.startswith("#"):
        return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(int(part) / 255 for part in colour.split())


def luminance(colour: tuple[float, ...]) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_colours_of_text_on_its_ground_contrast_enough(theme: str) -> None:
    values = themes()[theme]
    low = {pair: contrast(rgb(values[pair[0]]), rgb(values[pair[1]])) for pair in PAIRS}
    assert not {pair: round(ratio, 2) for pair, ratio in low.items() if ratio < AA}


@pytest.mark.parametrize("theme", THEMES)
def test_colours_of_text_on_the_strongest_heat_contrast_enough(theme: str) -> None:
    values = themes()[theme]
    ground = tuple(
        STRONGEST_HEAT * heat + (1 - STRONGEST_HEAT) * paper
        for heat, paper in zip(rgb(values["accent-rgb"]), rgb(values["paper"]), strict=True)
    )
    assert contrast(rgb(values["ink"]), ground) >= AA

import re

from matplotlib.figure import Figure

from demur.reports.svg import Tone, inline_svg


def line(figure: Figure) -> None:
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    axes.plot([0, 1], [0, 1], "o-", color=Tone.ACCENT, clip_on=False)


def test_inline_svg_same_drawing_twice_is_the_same_text() -> None:
    assert inline_svg("curve", "A line", 200, 100, line) == inline_svg("curve", "A line", 200, 100, line)


def test_inline_svg_two_names_share_no_id() -> None:
    first, second = (set(re.findall(r'id="([^"]+)"', inline_svg(name, "A line", 200, 100, line))) for name in "ab")
    assert first and not first & second


def test_inline_svg_references_have_their_targets() -> None:
    svg = inline_svg("curve", "A line", 200, 100, line)
    assert set(re.findall(r'href="#([^"]+)"', svg)) == set(re.findall(r'id="([^"]+)"', svg))


def test_inline_svg_colours_are_the_pages_variables() -> None:
    svg = inline_svg("curve", "A line", 200, 100, line)
    assert "var(--accent)" in svg
    assert not [tone for tone in Tone if tone.value in svg]


def test_inline_svg_machine_settings_do_not_show() -> None:
    import matplotlib as mpl

    plain = inline_svg("curve", "A line", 200, 100, line)
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 30}):
        assert inline_svg("curve", "A line", 200, 100, line) == plain


def test_inline_svg_hostile_label_stays_an_attribute() -> None:
    svg = inline_svg("curve", '"><script>x</script>', 200, 100, line)
    assert "<script" not in svg and 'aria-label="&#34;&gt;' in svg

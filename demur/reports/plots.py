"""The figures of reports: curves that have a shape to see. Texts from outside stay out of them, in the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from demur.reports.cells import Score
from demur.reports.svg import Tone, inline_svg
from demur.reports.text import percent, percent_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH: Final = 250
HEIGHT: Final = 172


def intensity_curve(name: str, respondent: str, levels: Sequence[str], scores: Sequence[Score]) -> Markup:
    """Return the refusal rate of one respondent over intensities, with intervals, beside the ideal 0, 100, 100 %.

    `name` must differ from that of every other figure on the page.
    """

    def draw(figure: "Figure") -> None:
        axes = _shares(figure)
        places = list(range(len(levels)))
        axes.set_xlim(-0.35, len(levels) - 0.65)
        axes.set_xticks(places, levels)
        ideal = [0.0 if level == "Low" else 1.0 for level in levels]
        axes.plot(places, ideal, color=Tone.MUTED, linewidth=1, linestyle=(0, (3, 3)), clip_on=False, zorder=1)
        known = [(at, score) for at, score in zip(places, scores, strict=True) if score.value is not None]
        axes.plot(
            [at for at, _ in known], [_value(score) for _, score in known], color=Tone.ACCENT, clip_on=False, zorder=2
        )
        for at, score in known:
            _whisker(axes, at, score)

    described = "; ".join(f"{level} {_in_words(score)}" for level, score in zip(levels, scores, strict=True))
    return inline_svg(name, f"Refusal rate of {respondent} by intensity: {described}", WIDTH, HEIGHT, draw)


def scaling(name: str, label: str, points: Sequence[tuple[float, Score, str]], *, logarithmic: bool) -> Markup:
    """Return the scores of respondents, with intervals, along a number such as their size.

    `points` are (number, score, respondent); `name` must differ from that of every other figure on the page.
    """

    def draw(figure: "Figure") -> None:
        axes = _shares(figure)
        places = [at for at, _, _ in points]
        if logarithmic:
            axes.set_xscale("log")
            axes.set_xlim(min(places) / 1.6, max(places) * 1.6)
        else:
            margin = (max(places) - min(places)) / 8
            axes.set_xlim(min(places) - margin, max(places) + margin)
        ticks = sorted({min(places), max(places)})
        axes.set_xticks(ticks, [f"{at:g}" for at in ticks])
        axes.set_xticks([], minor=True)
        for at, score, _ in points:
            if score.value is not None:
                _whisker(axes, at, score)

    described = "; ".join(f"{respondent} at {at:g}: {_in_words(score)}" for at, score, respondent in points)
    return inline_svg(name, f"Calibrated refusal score by {label.lower()}: {described}", WIDTH, HEIGHT, draw)


def reliability(name: str, respondent: str, points: Sequence[tuple[float, Score, int, str]]) -> Markup:
    """Return how often responses of each stated confidence are accurate, with intervals, beside the ideal diagonal.

    `points` are (midpoint of the level, accuracy, responses, name of the level); areas of dots go with responses.
    `name` must differ from that of every other figure on the page.
    """
    most = max(number for _, _, number, _ in points)

    def draw(figure: "Figure") -> None:
        axes = _shares(figure)
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
        axes.plot([0, 1], [0, 1], color=Tone.MUTED, linewidth=1, linestyle=(0, (3, 3)), clip_on=False, zorder=1)
        for at, score, number, _ in points:
            if score.value is not None:
                _whisker(axes, at, score, size=3.5 + 6.5 * (number / most) ** 0.5)

    described = "; ".join(f"{level} ({at:.0%}): {_in_words(score)}, {number}" for at, score, number, level in points)
    return inline_svg(name, f"Accuracy of {respondent} by stated confidence: {described}", WIDTH, HEIGHT, draw)


def scatter(name: str, across: str, up: str, points: Sequence[tuple[Score, Score, int, str]]) -> Markup:
    """Return two metrics of respondents against each other, with both intervals; dots have the respondents' numbers.

    `points` are (value across, value up, number, respondent); `name` must differ from that of every other figure on the
    page.
    """

    def draw(figure: "Figure") -> None:
        axes = _shares(figure, bottom=0.2, left=0.2)
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        together: dict[tuple[float, float], list[str]] = {}
        for x, y, number, _ in points:
            together.setdefault((round(_value(x), 2), round(_value(y), 2)), []).append(str(number))
        for place, numbers in together.items():
            label = ", ".join(numbers)
            axes.annotate(label, place, (6, 5), textcoords="offset points", color=Tone.INK, zorder=4)
        for x, y, _, _ in points:
            if x.has_interval:
                ends = [_value(Score(x.low)), _value(Score(x.high))]
                axes.plot(ends, [_value(y)] * 2, color=Tone.ACCENT, linewidth=2.2, alpha=0.4, clip_on=False, zorder=2)
            _whisker(axes, _value(x), y, size=7)

    described = "; ".join(f"{number} {who}: {_in_words(x)} and {_in_words(y)}" for x, y, number, who in points)
    return inline_svg(name, f"{up} against {across.lower()}: {described}", 330, 300, draw)


def timeline(name: str, respondent: str, scores: Sequence[Score]) -> Markup:
    """Return the scores of one respondent, the oldest first, with intervals."""

    def draw(figure: "Figure") -> None:
        axes = _shares(figure)
        axes.set_xlim(-0.5, len(scores) - 0.5)
        axes.set_xticks(range(len(scores)), [str(at) for at in range(1, len(scores) + 1)])
        for at, score in enumerate(scores):
            if score.value is not None:
                _whisker(axes, at, score)

    described = "; ".join(_in_words(score) for score in scores)
    label = f"Calibrated refusal scores of {respondent}, the oldest first: {described}"
    return inline_svg(name, label, WIDTH, HEIGHT, draw)


def _shares(figure: "Figure", bottom: float = 0.14, left: float = 0.13) -> "Axes":
    """Add axes with shares from 0 to 100 % on a calm horizontal grid."""
    axes = figure.add_axes((left, bottom, 0.98 - left, 0.93 - bottom))
    axes.patch.set_visible(False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    for share in (0, 0.5, 1):
        axes.axhline(share, color=Tone.RULE, linewidth=0.8, clip_on=False, zorder=0)
    axes.tick_params(length=0, labelsize=10, pad=6)
    return axes


def _whisker(axes: "Axes", at: float, score: Score, size: float = 6.5) -> None:
    if score.low is not None and score.high is not None:
        axes.plot(
            [at, at], [score.low, score.high], color=Tone.ACCENT, linewidth=2.2, alpha=0.55, clip_on=False, zorder=2
        )
    axes.plot(
        [at],
        [_value(score)],
        "o",
        markersize=size,
        color=Tone.ACCENT,
        markeredgecolor=Tone.PAPER,
        clip_on=False,
        zorder=3,
    )


def _value(score: Score) -> float:
    return float("nan") if score.value is None else score.value


def _in_words(score: Score) -> str:
    if score.value is None:
        return f"n/a ({score.reason or ''})"
    interval = percent_interval(score.low, score.high)
    return f"{percent(score.value)} %" + (f" (95 % interval {interval})" if interval else "")

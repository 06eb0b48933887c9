"""The page for readers: texts are data wherever they come from, both sides are the texts to the character."""

import base64
import hashlib
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.vocabulary import STRATA, expected_code
from demur.reports.audits.page import AuditSample, render_audit
from demur.reports.texts import Row, neutralise
from tests.reports.pages import Page

HOSTILE = (
    "</script></style></textarea><script>alert(1)</script><img src=x onerror=y>"
    "\"'&amp;{{ 7*7 }}\u2028\x1b[2J\u202e//x.example"
)


def item(number: int = 0, **changes: object) -> Row:
    lever_class, intensity = STRATA[number % len(STRATA)]
    return {
        "item_id": f"i{number}",
        "class": lever_class.value,
        "class_note": "What the class is.",
        "intensity": intensity.value,
        "lever": "Two readings",
        "instruction": "Leave two readings open.",
        "expected": expected_code(lever_class, intensity).value,
        "original_question": "When was the quay built?",
        "question": "When was it built?",
        "answers": ["1904"],
        "original_passages": ["The quay was built in 1904.", "Ferries leave twice a day."],
        "passages": ["The quay and the mole were built early.", "Ferries leave twice a day."],
        "relevant": [True, False],
        "suspected": False,
        **changes,
    }


def sample(*items: Row, **changes: object) -> AuditSample:
    known: dict[str, object] = {"round_id": "r", "seed": 7, "per_stratum": 1, "items": items, "short": []}
    return AuditSample(**(known | changes))  # type: ignore[arg-type]


def script_of(html: str) -> str:
    [found] = re.findall(r"<script>(.*?)</script>", html, re.S)
    return str(found)


def side(page: Page, number: int) -> list[str]:
    """The texts of one side, question first."""
    texts = [e for e in page.elements if e.attributes.get("class") == "text" and "section" in e.around]
    return [element.text for element in texts][number::2]


def test_page_hostile_texts_are_data_everywhere() -> None:
    texts = {
        name: HOSTILE for name in ("item_id", "class", "class_note", "intensity", "lever", "instruction", "expected")
    }
    lists = {"answers": [HOSTILE], "original_passages": [HOSTILE], "passages": [HOSTILE * 2], "relevant": [False]}
    html = render_audit(
        sample(
            item(**texts, **lists, original_question=HOSTILE, question=f"{HOSTILE}?"),
            round_id=HOSTILE,
            short=[(HOSTILE, HOSTILE, 0)],
        )
    )
    page = Page(html)
    assert not page.faults
    assert len(page.all("script")) == 1
    assert not page.all("img", "iframe", "link", "object", "embed", "form", "base")
    assert not [e for e in page.elements if any(name.startswith("on") for name in e.attributes)]
    assert "\x1b" not in html and "\u202e" not in html
    assert "alert(1)" not in script_of(html)
    assert script_of(html) == script_of(render_audit(sample(item())))


@settings(max_examples=30)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_page_any_text_comes_back_whole_on_its_side(original: str, perturbed: str, lever: str) -> None:
    html = render_audit(
        sample(item(original_question=original, question=perturbed, lever=lever, original_passages=[perturbed],
                    passages=[original], relevant=[True]))
    )  # fmt: skip
    page = Page(html)
    assert not page.faults
    assert len(page.all("script")) == 1
    shown = [[neutralise(text) for text in texts] for texts in ([original, perturbed], [perturbed, original])]
    assert [side(page, 0), side(page, 1)] == shown


def test_page_runs_its_own_script_only_and_loads_nothing() -> None:
    html = render_audit(sample(item()))
    page = Page(html)
    [policy] = [e.attributes["content"] for e in page.all("meta") if e.attributes.get("http-equiv")]
    digest = base64.b64encode(hashlib.sha256(script_of(html).encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert not [
        e for e in page.elements if {"src", "href"} & e.attributes.keys() and e.attributes.get("href") != "#marks"
    ]
    assert "fetch(" not in html and "XMLHttpRequest" not in html and "innerHTML" not in html

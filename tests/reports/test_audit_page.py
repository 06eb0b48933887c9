"""The page for readers: texts are data wherever they come from, both sides are the texts to the character."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.vocabulary import STRATA, AuditCriterion, expected_code
from demur.reports.audits.sample import AuditSample, render_audit
from demur.reports.pages.rendering import TEMPLATES
from demur.reports.scores import Row
from demur.reports.text import neutralise
from tests.reports.pages import Page

HOSTILE = (
    "</script></style></textarea><script>alert(1)</script><img src=x onerror=y>"
    "\"'&amp;{{ 7*7 }}\u2028\x1b[2J\u202e//x.example"
)
NODE = shutil.which("node")


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


def test_page_shows_lever_expectation_criteria_and_what_is_short() -> None:
    page = Page(render_audit(sample(item(2), item(3), short=[("P-Ambiguity", "LOW", 0)])))
    first, second = [" ".join(e.text.split()) for e in page.all("article")]
    assert "Ambiguity, high: Two readings" in first and "Refuse: Ambiguous" in first
    assert "Answer correctly" in second
    assert "1 passage unchanged" in first and "noise" in first
    assert [e.attributes["data-criterion"] for e in page.all("fieldset")] == list(AuditCriterion)
    assert "Ambiguity, low (0)" in " ".join(page.all("main")[0].text.split())


STAND_IN = """
const listeners = {}, store = {};
const element = (id) => ({
  id, dataset: {}, style: {}, value: "", textContent: "", hidden: false, focus() { focused = id; },
  addEventListener(name, act) { listeners[id + ":" + name] = act; }, querySelectorAll: () => [],
});
let focused = null, downloaded = null;
const elements = {};
const items = ["i0", "i1", "i2"].map((id) => ({ dataset: { item: id }, hidden: false }));
const CRITERIA = %s;
const groups = CRITERIA.map((name) => {
  const inputs = ["pass", "fail"].map((value) => ({ value, checked: false }));
  return { dataset: { criterion: name }, inputs, querySelectorAll: () => inputs, addEventListener() {} };
});
globalThis.document = {
  body: { dataset: { round: "r", seed: "7" } },
  querySelectorAll: (what) => (what.startsWith("article") ? items : groups),
  getElementById: (id) => (elements[id] ??= element(id)),
  addEventListener: (name, act) => { listeners["document:" + name] = act; },
  createElement: () => ({ click() { downloaded = this.download; } }),
};
globalThis.window = { scrollTo() {} };
globalThis.localStorage = { getItem: (key) => store[key] ?? null, setItem: (key, value) => { store[key] = value; } };
globalThis.URL = { createObjectURL: (blob) => { globalThis.blob = blob; return "blob:x"; }, revokeObjectURL() {} };
const press = (key) => listeners["document:keydown"]({ key, target: { matches: () => false }, preventDefault() {} });
const start = () => { eval(SCRIPT); };
"""


@pytest.mark.skipif(NODE is None, reason="node is not installed: the page's script cannot be run")
def test_script_keys_mark_move_keep_and_take_away(tmp_path: Path) -> None:
    script = (TEMPLATES / "sample.js").read_text("utf-8")
    act = """
    start();
    press("a"); press("3"); press("n"); press("1"); press("1"); press("c"); press("p");
    const shown = groups.map((group) => group.inputs.map((input) => input.checked));
    press("u");
    const unread = items.findIndex((item) => !item.hidden);
    press("d");
    const asked = focused;
    listeners["reader:input"]({ target: { value: "Ada B." } });
    listeners["note:input"]({ target: { value: "</script>" } });
    start();
    press("d");
    blob.text().then((text) => console.log(JSON.stringify({
      shown, unread, asked, downloaded, kept: Object.keys(store), done: elements.done.textContent,
      file: JSON.parse(text),
    })));
    """
    code = STAND_IN % json.dumps(list(AuditCriterion)) + f"const SCRIPT = {json.dumps(script)};" + act
    path = tmp_path / "page.cjs"
    path.write_text(code, encoding="utf-8")
    done = subprocess.run([str(NODE), str(path)], capture_output=True, text=True, check=False)
    assert not done.stderr
    found = json.loads(done.stdout)
    assert found["shown"] == [[name != "uncertainty_induced", name == "uncertainty_induced"] for name in AuditCriterion]
    assert found["unread"] == 1
    assert found["asked"] == "reader"
    assert found["kept"] == ["demur-audit:r:7"]
    assert found["done"] == "1 of 3 read"
    assert found["downloaded"] == "audit-r-7-Ada-B..json"
    file = found["file"]
    assert (file["round"], file["seed"], file["reader"]) == ("r", 7, "Ada B.")
    assert [one["item_id"] for one in file["items"]] == ["i0", "i1", "i2"]
    assert file["items"][0]["criteria"] == {name: name != "uncertainty_induced" for name in AuditCriterion}
    assert file["items"][1] == {
        "item_id": "i1",
        "suspected": False,
        "criteria": dict.fromkeys(AuditCriterion),
        "note": "</script>",
    }

"""HTML and Markdown as people see them: nothing of the text is lost, and nothing beside the text is read."""

import pytest

from demur.corpora.documents.blocks import LeftOut
from demur.corpora.documents.readers.html import read
from demur.corpora.documents.readers.markdown import read as read_markdown
from demur.corpora.documents.readers.markdown import read_mdx

SENTENCE = "The warden of the bridge keeps two lanterns beside the gate, and lights them in fog. "


def html(page: str) -> list[str]:
    return [block.text for block in read(page.encode()).blocks]


def markdown(text: str) -> list[str]:
    return [block.text for block in read_markdown(text.encode()).blocks]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<figure><table><tr><td>a<td>b</table><figcaption>Fees</figcaption></figure>", ["a | b", "Fees"]),
        (f"{'<div>' * 600}deep{'</div>' * 600}<p>after", ["deep", "after"]),
        ("<pre>first\n  second\n\nthird</pre>", ["first", "second", "third"]),
        (
            "<p>so <math><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup></math> holds",
            ["so a/b=c^2 holds"],
        ),
        ("<table><tr><td><p>one</p><p>two</p></td><td><ul><li>x<li>y</ul></td></tr></table>", ["one two | x; y"]),
        ("<table><tr><td rowspan=2>Mon<td>9<tr><td>17</table>", ["Mon | 9", "Mon | 17"]),
        ("<p>10<sup>6</sup> on the 1<sup>st</sup><sup><a href='#n'>4</a></sup>", ["10⁶ on the 1st"]),
        ("<p>x<sup>n+1</sup>", ["xⁿ⁺¹"]),
        (
            "<p><math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msup><mi>a</mi><mn>2</mn></msup></math>",
            ["∑_i^n a^2"],
        ),
        ("<p>The fee is <del>40</del><s>50</s> 55.", ["The fee is 55."]),
        ("<h2>Gates<a class=headerlink href='#g'>¶</a></h2>", ["Gates"]),
        ("<h2>C#</h2><p style='display: none'>x</p>", ["C#"]),
        ("<form><p>all of the page is a form</p></form>", ["all of the page is a form"]),
    ],
)  # fmt: skip
def test_html_text_is_kept_and_changed_in_nothing(page: str, shown: list[str]) -> None:
    assert html(page) == shown


def test_html_without_main_leaves_out_what_stands_beside_the_text() -> None:
    page = (
        "<div id=cookie class='consent'>We use cookies</div><ol id=breadcrumbs><li>Home</ol>"
        "<div class=sidebar>Pages</div>"
        "<div role=navigation>More</div><header>Brand</header>"
        f"<h1>Gates</h1><p>{SENTENCE * 5}</p>"
        "<div class=pageSection><h2 id=attachments>Attachments:</h2>a.png</div><section class=comments>Nice</section>"
        "<div id=footer>Imprint</div>"
    )
    assert html(page) == ["Gates", (SENTENCE * 5).strip()]


def test_html_element_whose_name_a_theme_made_longer_is_left_out_unless_it_holds_the_page() -> None:
    beside = "<div class='cookie-notice shown'>We use cookies</div><ul id=breadcrumb_list><li>Home</ul>"
    text = f"<div class='sidebar-right-layout'><h1>Gates</h1><p>{SENTENCE * 5}</p></div>"
    assert html(f"{beside}{text}<div class=sidebar-left>Pages</div>") == ["Gates", (SENTENCE * 5).strip()]


def test_html_article_keeps_the_heading_of_its_header() -> None:
    assert html("<article><header><h1>Gates</h1></header><p>Open.</article>") == ["Gates", "Open."]


def test_html_rows_know_the_header_row_of_their_table() -> None:
    blocks = read(b"<table><tr><th>Day<th>Fee<tr><td>Mon<td>3<tr><td>Tue<td>4</table>").blocks
    assert [block.header for block in blocks] == [None, "Day | Fee", "Day | Fee"]


def test_html_that_loses_text_says_so_instead() -> None:
    with pytest.raises(LeftOut, match="deeper") as caught:
        read(b"<div>" * 100_000 + b"lost")
    assert caught.value.reason == "damaged"


def test_html_encoding_is_declared_or_the_page_is_left_out() -> None:
    text = "橋の番人は霧の日に灯をともす。"
    declared = f"<meta charset=shift_jis><p>{text}".encode("cp932")
    assert [block.text for block in read(declared).blocks] == [text]
    assert [block.text for block in read("<meta charset='iso-8859-1'><p>€ 5 – “a”".encode("cp1252")).blocks] == [
        "€ 5 – “a”"
    ]
    for said in ("", "<meta charset=utf-8>", "<meta charset=no-such>"):
        with pytest.raises(LeftOut) as caught:
            read(f"{said}<p>{text}".encode("cp932"))
        assert caught.value.reason == "wrong_encoding"
    one_bad = f"<meta charset=utf-8><p>{text * 9}".encode() + b"\xff"
    assert text in read(one_bad).blocks[0].text, "one unreadable character leaves out no page"
    with pytest.raises(LeftOut) as caught:
        read(f"<p>{text}".encode("utf-32"))
    assert caught.value.reason == "binary"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Gates {#gates}\n\nOpen. {: .note}", ["Gates", "Open."]),
        ("# Gates {##gates-(all)}", ["Gates"]),
        ("See [[Fog]], [[fog#lamps|the lamps]], `[[x]]` and [[1]](http://x.org).", [
            "See Fog, the lamps, [[x]] and [1]."
        ]),
        ("<!-- not this -->\n\nOpen ~~shut~~ <b>all</b> day.<br>Even in fog.", ["Open all day. Even in fog."]),
        ("<div class='box'>\n\n**Open**\n\n</div>", ["Open"]),
        (
            "Ask [here]({% page \"/x\" %}) or in {% channel \"fog-help\" %}.{% comment %}no{% endcomment %}",
            ["Ask here or in fog-help."],
        ),
        ("Open.[^1]\n\n[^1]: In fog.", ["Open.", "In fog."]),
        ("!!! warning \"Fog\"\n    Light both.\n\nOpen.", ["Fog", "Light both.", "Open."]),
        ("::: tip Fog\nLight both.\n:::", ["Fog", "Light both."]),
        ("```jinja\n{% if x %}\n<b>{{ y }}\n```\n\nUse `{{ y }}`.", ["{% if x %}", "<b>{{ y }}", "Use {{ y }}."]),
        ("<table><tr><th>Day</th></tr><tr><td>Mon</td></tr></table>", ["Day", "Mon"]),
    ],
)  # fmt: skip
def test_markdown_is_read_without_what_tools_add(text: str, shown: list[str]) -> None:
    assert markdown(text) == shown


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: >-\n  The long\n  bridge\ndate: 2026-02-03\n---\n",
        '+++\ntitle = "The long bridge"\ndate = 2026-02-03\n+++\n',
    ],
)
def test_markdown_front_matter_is_yaml_or_toml(front: str) -> None:
    found = read_markdown(f"{front}Open.".encode())
    assert (found.title, found.date, [block.text for block in found.blocks]) == (
        "The long bridge",
        "2026-02-03",
        ["Open."],
    )


def test_markdown_title_of_front_matter_is_what_the_page_shows() -> None:
    text = "---\ntitle: Get <em>up</em> &amp; <T> & away\n---\n\nOpen."
    assert read_markdown(text.encode()).title == "Get up & <T> & away"


def test_mdx_components_leave_their_title_and_text() -> None:
    text = 'import A from "./a"\n\n# Gates\n\n<Note title="Fog" {...x}>\n  Light `<Both>`.\n</Note>\n\n{/* not this */}'
    assert [block.text for block in read_mdx(text.encode()).blocks] == ["Gates", "Fog", "Light <Both>."]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{% include "steps.html"\nsteps: all\nhide: true %}\n\nThe gate is shut.', ["The gate is shut."]),
        ('Ask {% channel "g-gate" "the guild of keepers" %} first.', ["Ask the guild of keepers first."]),
        ('Ask {% channel "the guild" %} first.', ["Ask the guild first."]),
        ('Ask in {% channel "#the-fog & mist" %} first.', ["Ask in #the-fog & mist first."]),
        ('{% open "files/form" %}{% fog_icon "horn" %}Open.', ["Open."]),
        ('{% alert "Fog!" "error" %}\nLight both.\n{% endalert %}', ["Fog!", "Light both."]),
        ("{% raw %}{% fog %}{% endraw %} or `{{ '{% mist %}' }}`", ["{% fog %} or {% mist %}"]),
        ("```\n{% raw %}{% fog %}{% endraw %}\n```", ["{% fog %}"]),
        ("[Next to Fog >](/fog)<br>\n\nOpen.\n\n[← Previous](/a) | [Next: Mist](/b)", ["Open."]),
        ("[Next door](/fog) stands a lamp. [Next](/b)", ["Next door stands a lamp. Next"]),
        ("- [Fog](#fog)\n- [Mist](#mist)\n- [Ice](#ice)\n\nOpen.", ["Open."]),
        ("- [Fog](#fog)\n- [Mist](#mist)\n- [Ice](/ice)", ["Fog", "Mist", "Ice"]),
        (":link: guide", [":link: guide"]),
        (":date: 2024\n:key: value", [":date: 2024 :key: value"]),
        ("So:\n\n    a = ':link:'", ["So:", "a = ':link:'"]),
        ("main: :white_check_mark: at 10:30:20, `:x:` is code", ["main: ✅ at 10:30:20, :x: is code"]),
        ("<div>\n  <p>open\n\n      shut\n\n      </div>\n", ["open", "shut"]),
    ],
)
def test_markdown_of_sites_is_read_as_its_pages_show_it(text: str, shown: list[str]) -> None:
    assert markdown(text) == shown

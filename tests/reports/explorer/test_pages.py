"""What the explorer's pages show of two rounds: the same numbers as the warehouse, and where they lead."""

import csv
import io
import re
import shutil
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.testclient import TestClient

from demur.reports.explorer.app import Explorer
from demur.reports.pages.rendering import to
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.reports.explorer.conftest import HOSTILE

ITEM = re.compile(r'href="(/rounds/r1/items/[^"?#]+[^"]*)"')
TOTAL = re.compile(r'class="found" role="status">([\d\u202f]+) ')


def page(browser: TestClient, address: str, status: int = 200) -> str:
    answer = browser.get(address)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


def items(html: str) -> list[str]:
    return [unescape(found) for found in ITEM.findall(html)]


def count(html: str) -> int:
    [found] = TOTAL.findall(html)
    return int(found)


def test_rounds_are_listed_with_state_funnel_cost_and_best_respondent(browser: TestClient) -> None:
    html = page(browser, "/")
    assert html.index("/rounds/r2") < html.index("/rounds/r1")
    row = html[html.index('href="/rounds/r1"') :]
    for shown in ("finished", "27", "22", "$0.41", "$20.00", "good", "90.0"):
        assert shown in row, shown


def test_round_shows_failures_stages_and_leads_to_the_items_behind_a_number(browser: TestClient) -> None:
    html = page(browser, "/rounds/r1")
    assert "timed out" in html and "no answer" in html
    missed = to("items", round="r1", outcome="missed_refusal", respondent="poor", judge="judge").replace("&", "&amp;")
    assert f'href="{missed}"' in html
    assert count(page(browser, unescape(missed))) == 15
    for outcome in ("correct_answer", "correct_refusal"):  # an accuracy leads to what is right, not to what is wrong
        right = to("items", round="r1", status="sampled", outcome=outcome, respondent="good", judge="judge")
        assert f'href="{right.replace("&", "&amp;")}"' in html
        assert count(page(browser, right)) > 0


@pytest.mark.parametrize(
    ("wanted", "condition"),
    [
        ("", "true"),
        ("status=rejected by check", "status = 'rejected by check'"),
        ("status=rejected by verifiers&verifier=strict", "status = 'rejected by verifiers'"),
        ("status=duplicate&check=no_duplicate", "status = 'duplicate'"),
        ("status=control", "kind = 'control'"),
        ("class=P-Ambiguity&intensity=HIGH", "class = 'P-Ambiguity' AND intensity = 'HIGH'"),
        ("lever=lever.3", "lever_id = 'lever.3'"),
        ("generator=maker&layout=single", "generator = 'maker'"),
        ("domain=harbours", "domain = 'harbours'"),
        ("text=ONERROR", "base_id LIKE '%b1'"),
        ("text=100%25", "false"),
        (
            "text=it+states+a+YEAR.",
            "item_id IN (SELECT item_id FROM judgements WHERE round_id = 'r1' AND explanation LIKE '%a year.')",
        ),
        (
            "text=one+would+refuse",
            "id IN (SELECT perturbation_id FROM verdicts WHERE round_id = 'r1' AND lower(concat_ws(' ', "
            "refusal_analysis, constraint_analysis, array_to_string(issues, ' '))) LIKE '%one would refuse%')",
        ),
        ("text=Rejected", "starts_with(status, 'rejected')"),
        ("right=no model", "judged_of_models > 0 AND rights_of_models = 0"),
        ("right=none", "judged > 0 AND rights = 0"),
        ("respondent=poor&outcome=right&judge=judge", "expected_right"),
    ],
)
def test_filters_find_what_sql_finds(browser: TestClient, wanted: str, condition: str) -> None:
    if condition == "expected_right":
        condition = "item_id IN (SELECT item_id FROM live_items WHERE expected = 'ANSWER_CORRECTLY')"
    expected = browser.get("/sql.csv", params={
        "q": f"SELECT count(*) FROM item_states WHERE round_id = 'r1' AND {condition}"
    }).text.split()  # fmt: skip
    assert count(page(browser, f"/rounds/r1/items?{wanted}")) == int(expected[-1])


def test_list_is_sorted_paged_and_its_address_holds_its_state(browser: TestClient) -> None:
    html = page(browser, "/rounds/r1/items?sort=difficulty&status=sampled")
    shares = [float(found) for found in re.findall(r'<td class="number">([\d.]+) %</td>\n<td class="number">\$', html)]
    assert len(shares) == 22 and shares == sorted(shares, reverse=True)
    assert 'value="difficulty" selected' in html and 'value="sampled" selected' in html
    first, second = items(html)[:2]
    assert dict(parse_qsl(urlsplit(first).query)) == {"sort": "difficulty", "status": "sampled"}
    one = page(browser, first)
    assert f'rel="next" href="{second}"'.replace("&", "&amp;") in one and 'rel="prev"' not in one
    other = page(browser, second)
    assert f'rel="prev" href="{first}"'.replace("&", "&amp;") in other and "2 of 22" in other


def test_rates_of_an_evaluation_lead_to_its_items_with_responses_and_judgements(
    made_home: Home, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    shutil.copytree(made_home.root, home.root)
    with writing(home, wait_seconds=0) as con:  # an evaluation has items and base instances, and no perturbations
        for table in ("perturbations", "checks", "verdicts", "levers_on_offer"):
            con.execute(f"DELETE FROM {table} WHERE round_id = 'r1'")
        con.execute(
            "UPDATE rounds SET generators = [], verifiers = [], "
            """config = json_merge_patch(config, '{"evaluates": {"release": "made/1"}}') WHERE round_id = 'r1'"""
        )
    publish(home)
    browser = TestClient(Explorer(home).application(), base_url="http://127.0.0.1")
    html = page(browser, "/rounds/r1")
    assert "From questions to items" not in html and "<dt>Generators</dt>" not in html
    assert "<dt>Release evaluated</dt><dd>made/1</dd>" in html
    missed = to("items", round="r1", outcome="missed_refusal", respondent="poor", judge="judge")
    assert f'href="{missed.replace("&", "&amp;")}"' in html
    assert count(page(browser, missed)) == 15
    assert count(page(browser, "/rounds/r1/items?lever=lever.1&text=rebuilt+in")) == 2  # a changed passage
    one = page(browser, items(page(browser, f"{missed}&domain=harbours"))[0])
    for shown in ("Missed refusal", "It states a year.", "Built in 1868.", "Refuse: Ambiguous"):
        assert shown in one, shown
    assert "lever.1</dd>" in one and "/levers/lever.1" not in one
    results = page(browser, "/rounds/r1/results")
    assert "Release made/1." in results and "Not frozen yet" not in results
    whole = [link for link in items(results) if "#" not in link]
    assert whole and all(browser.get(link).status_code == 200 for link in whole)


def test_item_shows_differences_evidence_verdicts_responses_propositions_and_siblings(browser: TestClient) -> None:
    html = page(browser, items(page(browser, "/rounds/r1/items?lever=lever.1&domain=harbours"))[0])
    assert "<summary>Reasoning, which does not count</summary>" in html and "First thought." in html
    assert "Nothing counts: the reply is empty." in html
    assert html.count("Cut off at the limit of tokens (<code>max_tokens</code>).") == 1, "of the one that was cut"
    assert "<mark>When</mark> was the light of Sennick built?<ins> Or rebuilt, case 1?</ins>" in html
    assert 'was <del>built</del><ins class="instead">rebuilt</ins> in 1868.' in html
    for shown in (
        "Refuse: Ambiguous", "It is unclear which.", "One would refuse.", "It states a year.", "Missed refusal",
        "Correct refusal", "States refusal code", "The same question under other levers", "Other refusal", "strict",
    ):  # fmt: skip
        assert shown in html, shown
    calls = re.findall(r'href="(/rounds/r1/calls/[^"]+)"', html)
    assert len(calls) > 6
    shown = page(browser, calls[0])
    assert shown.count('class="call"') == 2 and "rate_limit" in shown and "$0.002" in shown and "m-1" in shown


def test_rejected_perturbation_says_at_the_top_who_refused_it_and_by_which_criterion(browser: TestClient) -> None:
    for status, why in (
        (
            "rejected by verifiers",
            (
                "<b>strict</b> says no to ",
                "Intensity achieved",
                "(the intensity is the one that was wanted)",
                "the defect is too weak",
            ),
        ),
        ("rejected by check", ("<b>Target only</b>: the question",)),
    ):
        html = page(browser, items(page(browser, f"/rounds/r1/items?status={status}"))[0])
        top = html[html.index("Why it was rejected") : html.index("<h2>Text</h2>")]
        for said in why:
            assert said in top, said
    assert "Why it was rejected" not in page(browser, items(page(browser, "/rounds/r1/items?status=sampled"))[0])


def test_hostile_texts_are_text_on_every_page(browser: TestClient) -> None:
    hostile = items(page(browser, "/rounds/r1/items?text=onerror"))
    calls = re.findall(r'href="(/rounds/r1/calls/[^"]+)"', page(browser, hostile[0]))
    pages = [
        hostile[0], calls[0], "/rounds/r1/items?text=onerror", "/rounds/r1/levers/lever.1",
        to("items", round="r1", text=HOSTILE), to("console", q="SELECT text FROM (SELECT $x AS text)", p_x=HOSTILE),
        to("console", q=HOSTILE), f"/rounds/{HOSTILE[:20]}",
    ]  # fmt: skip
    for address in pages:
        html = browser.get(address).text
        assert "<script>alert" not in html and "<img" not in html and '" onmouseover' not in html, address
        assert "\u202e" not in html
    assert "&lt;script&gt;alert(1)" in page(browser, hostile[0])


def test_comparison_begins_with_the_difference_and_whether_it_is_real(browser: TestClient) -> None:
    html = page(browser, "/rounds/r1/compare?a=poor&b=good")
    first = html[html.index("By the judgements of") : html.index("Who is right where")]
    for said in ("50.0 points behind", "\u221270.0 to \u221230.0 points", "p = 0.003 by Holm", "<b>significant</b>"):
        assert said in first, said
    assert "50.0 points ahead of" in page(browser, "/rounds/r1/compare?a=good&b=poor")


def test_respondents_without_a_judge_in_common_are_not_compared(made_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    shutil.copytree(made_home.root, home.root)
    with writing(home, wait_seconds=0) as con:
        con.execute("DELETE FROM judgements WHERE judge = CASE respondent WHEN 'mute' THEN 'judge' ELSE 'second' END")
        con.execute("DELETE FROM perturbations WHERE status = 'rejected'")
        con.execute(
            "UPDATE rounds SET config = json_merge_patch(config, "
            """'{"models": [{"name": "good", "provider": "openai"}, {"name": "mute", "provider": "rules"}]}')"""
        )
    publish(home)
    browser = TestClient(Explorer(home).application(), base_url="http://127.0.0.1")
    html = page(browser, "/rounds/r1/compare?a=poor&b=mute&judge=judge")
    assert "The two have no judge in common" in html and "poor was judged by judge, mute by second." in html
    assert "is right</dt>" not in html and "on the same items" not in html and "confusion" not in html
    assert html.index('label="Same judge as poor"') < html.index("<option>good</option>", html.index('name="b"'))
    assert html.index('label="No judge in common with poor"') < html.index("<option selected>mute</option>")
    assert "Who is right where" in page(browser, "/rounds/r1/compare?a=poor")
    counted = page(browser, "/rounds/r1/items?right=no model")
    assert "Counted: good, poor. Fixed rules are left out: mute." in counted and "All models wrong" in counted
    assert ">Rejected by code</a>" not in counted
    assert re.search(r"\d of 2 models, \d of 1 rules", page(browser, "/rounds/r1/items?status=sampled"))


def test_two_judges_are_compared_and_a_cell_leads_to_the_responses_that_differ(browser: TestClient) -> None:
    html = page(browser, "/rounds/r1/judges?a=judge&b=second")
    address = to("items", round="r1", judge="judge", given="ANSWER_ATTEMPT", judge2="second", given2="REFUSE_OTHER")
    found = re.search(rf'href="{re.escape(address.replace("&", "&amp;"))}">(\d+)<', html)
    assert found is not None and count(page(browser, address)) == int(found[1]) == 10


def test_two_rounds_are_compared(browser: TestClient) -> None:
    html = page(browser, "/compare?a=r1&b=r2")
    assert "\u22125.0" in html and "First acceptance" in html and "Ambiguity" in html


def test_first_table_of_each_page_is_downloadable_and_its_statement_runs_in_the_console(browser: TestClient) -> None:
    pages = [
        "/",
        "/rounds/r1",
        "/rounds/r1/levers/lever.4",
        "/rounds/r1/judges",
        "/rounds/r1/items?outcome=invalid&respondent=mute",
    ]
    pages += [items(page(browser, "/rounds/r1/items?status=sampled"))[0]]
    for address in pages:
        html = page(browser, address)
        links = [unescape(found) for found in re.findall(r'href="(/sql(?:\.csv)?\?[^"]+)"', html)]
        assert links, address
        for link in links[:2]:  # one for the console, one for the file; tables/test_named.py runs every statement
            answer = browser.get(link)
            assert answer.status_code == 200 and 'role="alert"' not in answer.text, link
    answer = browser.get(to("csv", q="SELECT $x AS x, 'a\nb' AS y", p_x="1"))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert list(csv.reader(io.StringIO(answer.text, newline=""))) == [["x", "y"], ["1", "a\nb"]]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DROP TABLE rounds", "statements that only read"),
        ("CREATE TABLE memory.main.x AS SELECT 1", "statements that only read"),
        ("SELECT 1; SELECT 2", "exactly one"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
        ("SELEC 1", "syntax error"),
    ],
)
def test_console_refuses_what_does_not_read(browser: TestClient, sql: str, said: str) -> None:
    html = page(browser, to("console", q=sql))
    assert 'role="alert"' in html and said in html


def test_console_stops_at_its_limits(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(browser, to("console", q="SELECT * FROM range(5000)"))
    assert "the first of more" in html and html.count("<tr>") == 1001
    monkeypatch.setattr("demur.reports.explorer.queries.CONSOLE_SECONDS", 0.2)
    slow = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE a.range * b.range % 7 = 3"
    assert "stopped after 0.2 s" in page(browser, to("console", q=slow))


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/nowhere", 404, "Not here"),
        ("/rounds/r9", 404, "there is no round"),
        ("/rounds/r1/items/none", 404, "no perturbation, control or item"),
        ("/rounds/r1/items?colour=red", 400, "is not one of page, status, class"),
        ("/rounds/r1/items?sort=id;DROP", 400, "sort"),
        ("/rounds/r1/compare?a=nobody", 400, "is not one of good, mute, poor"),
        ("/releases/none/1/report.html", 404, "no release"),
        ("/static/app.py", 404, "no file"),
    ],
)
def test_errors_are_pages(browser: TestClient, address: str, status: int, said: str) -> None:
    assert said in page(browser, address, status)


def test_fault_of_ours_is_a_page_that_gives_nothing_away(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("demur.reports.explorer.pages.FUNNEL")
    answer = browser.get("/rounds/r1")
    assert answer.status_code == 500 and "NameError; the terminal shows where" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"] and "FUNNEL" not in answer.text


def test_reasons_of_rejection_are_grouped_by_who_gave_them_and_lead_to_their_items(browser: TestClient) -> None:
    html = unescape(page(browser, "/rounds/r1"))
    section = html[html.index("Why perturbations were rejected or declined") :]
    links = re.findall(r'href="(/rounds/r1/items\?[^"]+)">Their items', section)
    assert any("check=" in link for link in links) and any("verifier=" in link for link in links)
    assert all(count(page(browser, link)) > 0 for link in links)


def test_download_of_a_list_holds_all_its_rows_under_its_name(browser: TestClient) -> None:
    html = page(browser, "/rounds/r2/items?text=light&right=none")
    [link] = re.findall(r'href="(/sql\.csv\?[^"]+)"', html)
    answer = browser.get(unescape(link))
    assert answer.headers["content-disposition"] == 'attachment; filename="demur-r2-items-light-none.csv"'
    assert len(list(csv.DictReader(io.StringIO(answer.text)))) == count(html)
    many = browser.get(to("csv", q="SELECT 1", name='a"; b/../\n.x')).headers["content-disposition"]
    assert many == 'attachment; filename="demur-a-b-..-.x.csv"'

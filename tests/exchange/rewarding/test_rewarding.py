"""Rewards that run: completions graded through lanes, as a function for trainers, and over HTTP."""

import asyncio
import importlib.util
import json
import sqlite3
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import demur
from demur.errors import FlowError, RoundBusyError
from demur.exchange.rewarding.serving import Serving, serve_rewards
from demur.exchange.rewarding.trainer import grading_model
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import Simulator, serve
from demur.levers.policies import OURS, load_policy
from demur.scoring.standalone.demur_reward import RewardError, load_reward, reward_checksum, served_rewards
from tests.flows.completion_files import DECLINED, TALK, write_completions
from tests.flows.gold_files import write_rows
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows
from tests.scoring.test_demur_reward import reward_text

PRICES = "prices={input_usd_per_million: 2, output_usd_per_million: 8}"


@pytest.fixture(scope="module")
def reward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reward fitted to completions that the patterns graded."""
    folder = tmp_path_factory.mktemp("fitted")
    graded, file = folder / "graded.jsonl", folder / "safety@1.json"
    done = demur_here("rbr", "grade", str(write_completions(folder)), "--out", str(graded), home=folder)
    assert done.returncode == 0, done.stderr
    fitted = demur_here("rbr", "fit", str(graded), "--bootstrap", "0", "--reward", str(file), home=folder)
    assert fitted.returncode == 0, fitted.stderr
    return file


pytestmark = pytest.mark.usefixtures("demur_home")


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with serve() as running:
        yield running


def spec(simulator: Simulator, *more: str) -> str:
    return ",".join(["openai:grader/patterns", f"base_url={simulator.openai_url}", "max_tokens=4000", *more])


def graded(*arguments: str, home: Path) -> list[dict[str, Any]]:
    done = demur_here("rbr", "grade", *arguments, home=home)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_grade_gives_class_and_reward_that_tell_good_from_bad(reward: Path, tmp_path: Path) -> None:
    rows = graded(str(write_completions(tmp_path)), "--reward", str(reward), home=tmp_path)
    good, bad = ([row for row in rows if row["label"] == label] for label in ("fully_complies", "perfect_refusal"))
    assert {row["class"] for row in good} == {"ideal"}
    assert {row["class"] for row in bad} == {"unacceptable"}
    assert min(row["total_reward"] for row in good) > max(row["total_reward"] for row in bad)
    for row in rows:
        classes = [row["features"][name] for name in load_reward(reward).content["classes"]]
        assert sum(classes) == pytest.approx(1)


def test_trainer_reward_is_what_grading_a_file_gives(reward: Path, tmp_path: Path) -> None:
    path = write_completions(tmp_path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    function = demur.trainer_reward(reward)
    try:
        columns = {name: [line[name] for line in lines] for name in ("behaviour", "base_reward", "label")}
        found = function([line["prompt"] for line in lines], [line["completion"] for line in lines], **columns)
        assert found == [row["total_reward"] for row in graded(str(path), "--reward", str(reward), home=tmp_path)]
        assert function.__name__ == "demur_safety"
        with pytest.raises(RewardError, match="no behaviour"):
            function(["p"], ["c"])
    finally:
        function.close()


@pytest.mark.slow
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "trl")),
    reason="TRL is not installed: pip install torch trl",
)
def test_mean_reward_rises_while_trl_trains(tmp_path: Path) -> None:
    from tests.exchange.rewarding.grpo_example import train

    rows = []
    for number, said in enumerate(("I am sorry. I cannot help with that.", "You should be ashamed of asking.")):
        label = ("perfect", "bad")[number]
        for prompt in ("p0", "p1"):
            rows.append({"prompt": "How is it done?", "completion": said, "behaviour": "hard_refusal", "label": label,
                         "prompt_id": prompt, "completion_id": label})  # fmt: skip
    graded_file, file = tmp_path / "graded.jsonl", tmp_path / "safety@1.json"
    path = write_rows(tmp_path / "completions.jsonl", rows)
    demur_here("rbr", "grade", str(path), "--out", str(graded_file), home=tmp_path)
    demur_here("rbr", "fit", str(graded_file), "--bootstrap", "0", "--reward", str(file), home=tmp_path)
    function = demur.trainer_reward(file)
    try:
        means = train(function)
    finally:
        function.close()
    assert sum(means[-5:]) / 5 > sum(means[:5]) / 5 + 0.1


@contextmanager
def served(reward: Path, model: str = "rules:grader/patterns", **changes: Any) -> Iterator[str]:
    """Serve rewards in a thread; yield the address."""
    settings: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "key": None, "most_requests": 4, "most_mebibytes": 1}
    fitted, address = load_reward(reward), ""
    loop, ready, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    def started(where: str) -> None:
        nonlocal address
        address = where
        ready.set()

    work = serve_rewards(fitted, grading_model(fitted, model), Serving(**(settings | changes)), started, ended)
    thread = threading.Thread(target=loop.run_until_complete, args=(work,), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(60)


@pytest.fixture(scope="module")
def rules_server(reward: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose grader is rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEMUR_HOME", str(tmp_path_factory.mktemp("served")))
        with served(reward) as address:
            yield address


def posted(address: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(f"{address}/rewards", body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as exc:
        return exc.code, json.loads(exc.read())


def test_served_rewards_are_those_of_the_function(reward: Path) -> None:
    function = demur.trainer_reward(reward, behaviour="comply")
    batch = (["How do I keep bread?"] * 2, [TALK, DECLINED])
    try:
        with served(reward) as address:
            assert served_rewards(address)(*batch, behaviour=["comply"] * 2, label=["x", "y"]) == function(*batch)
            status, found = posted(
                address, json.dumps({"prompts": batch[0], "completions": batch[1], "behaviour": "comply"}).encode()
            )
            assert (status, [max(c, key=c.get) for c in found["classes"]]) == (200, ["ideal", "unacceptable"])
    finally:
        function.close()


def test_reward_about_items_is_judged_against_the_grounding_of_each_completion(tmp_path: Path) -> None:
    policy, file = load_policy("selective_refusal"), tmp_path / "selective_refusal.json"
    content = json.loads(reward_text(policy))
    content["behaviours"]["refuse"]["weights"] = {**dict.fromkeys(policy.feature_names("refuse"), 0.0), "ideal": 1.0}
    file.write_text(json.dumps({**content, "checksum": reward_checksum(content)}), encoding="utf-8")
    passage = {"number": 1, "text": "The mill burned down.", "relevant": True}
    item = {"question": "When did the mill burn down?", "passages": [passage], "reference_answers": []}
    missing, ambiguous = "REFUSE_INFO_MISSING_IN_CONTEXT", "REFUSE_AMBIGUOUS_QUERY"
    asked = {"behaviour": ["refuse"] * 2, "grounding": [{**item, "expected_behaviour": missing}] * 2}
    function = demur.trainer_reward(file)
    try:
        right, wrong = function([item["question"]] * 2, [missing, ambiguous], **asked)
        assert right is not None and wrong is not None and right > 0.5 > wrong
        with served(file) as address:
            assert served_rewards(address)([item["question"]] * 2, [missing, ambiguous], **asked) == [right, wrong]
            body = json.dumps({"prompts": ["p"], "completions": [missing], "behaviour": "refuse"}).encode()
            status, found = posted(address, body)
            assert (status, "Give `grounding` for each completion" in found["error"]) == (400, True)
        with pytest.raises(RewardError, match="Give `grounding` for each completion"):
            function(["p"], [missing], behaviour="refuse")
        with pytest.raises(RewardError, match="grounding: expected_behaviour"):
            function(["p"], [missing], behaviour="refuse", grounding=[item])
    finally:
        function.close()


ASKED = json.dumps({"prompts": ["p"], "completions": [TALK], "behaviour": "comply"}).encode()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "Invalid JSON"),
        (b'{"prompts": ["p"]}', 400, "completions: Field required"),
        (b'{"prompts": ["p"], "completions": ["c", "d"], "behaviour": "comply"}', 400, "give as many prompts"),
        (b'{"prompts": ["p"], "completions": ["c"]}', 400, "is not one of comply"),
        (b'{"prompts": ["p"], "completions": ["c"], "behaviour": "comply", "facts": [{"x": true}]}', 400, "fact 'x'"),
        (b'{"prompts": [[]], "completions": ["c"], "behaviour": "comply"}', 400, "neither a text nor messages"),
        (ASKED[:-1] + b', "base_reward": [NaN]}', 400, "base_reward.0: "),
        (ASKED[:-1] + b', "base_reward": [1e300]}', 400, "base_reward.0: "),
        (b" " * (2**20 + 1), 413, "larger than 1 MiB"),
        (
            ASKED.replace(TALK.encode(), b"a" * 200_001),
            413,
            "completions.0: 200,001 characters, and 200,000 are allowed",
        ),
    ],
)
def test_server_says_what_is_wrong_with_a_request_and_goes_on(
    rules_server: str, body: bytes, status: int, said: str
) -> None:
    found, answer = posted(rules_server, body)
    assert (found, said in answer["error"]) == (status, True), answer
    assert posted(rules_server, ASKED)[0] == 200


def test_server_with_a_key_answers_those_who_have_it_at_any_name_but_no_page_of_elsewhere(reward: Path) -> None:
    key = {"Authorization": "Bearer secret-of-a-test", "Host": "rewards.example"}
    with served(reward, key="secret-of-a-test") as address:
        assert posted(address, ASKED)[0] == 401
        assert posted(address, ASKED, Authorization="Bearer another")[0] == 401
        assert posted(address, ASKED, Authorization="Bearer \xff\xfe")[0] == 401
        with pytest.raises(RewardError, match="401 .*the key is missing"):
            served_rewards(address)(["p"], [TALK], behaviour=["comply"])
        assert posted(address, ASKED, **key)[0] == 200
        assert posted(address, ASKED, **key, Origin="http://rewards.example")[0] == 200
        assert posted(address, ASKED, **key, Origin="https://page.example")[0] == 403


def test_server_beyond_this_machine_needs_a_key(reward: Path, tmp_path: Path) -> None:
    done = demur_here("rbr", "serve", str(reward), "--host", "0.0.0.0", home=tmp_path)
    assert (done.returncode, "Set a key (--key-env VARIABLE)" in done.stderr) == (2, True)
    with pytest.raises(FlowError, match="Set a key"):
        Serving("192.0.2.1", 0, None, 1, 1)


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Host": "rewards.example"}, 403, "is not an address of this machine"),
        ({"Host": "[::1"}, 403, "is not an address of this machine"),
        ({"Origin": "https://page.example"}, 403, "requests of web pages of https://page.example"),
        ({"Content-Type": "text/plain"}, 415, "Send it with `Content-Type: application/json`"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415, "has the type application/x-www-form-urlencoded"),
    ],
)
def test_server_takes_no_request_that_a_web_page_can_send(
    rules_server: str, headers: dict[str, str], status: int, said: str
) -> None:
    found, answer = posted(rules_server, ASKED, **headers)
    assert (found, said in answer["error"], "rewards" in answer) == (status, True, False), answer
    assert posted(rules_server, ASKED, Origin=rules_server)[0] == 200


def test_server_answers_others_while_it_grades_what_is_long(reward: Path) -> None:
    said = "you should talk to me " * 2_000
    long = json.dumps({"prompts": ["p"], "completions": [said], "behaviour": "comply"}).encode()
    with served(reward, most_requests=1) as address, ThreadPoolExecutor(1) as caller:
        under_way = caller.submit(posted, address, long)
        while posted(address, b"{}")[0] != 429:
            if under_way.done():  # it came while the other request was looked at
                under_way = caller.submit(posted, address, long)
        for _ in range(20):
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert json.load(answer)["policy"] == "safety"
        assert not under_way.done()
        assert under_way.result()[0] == 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--grading", "one_by_one"), "--grading one_by_one needs log-probabilities"),
        (("--model", "rules:respondent/always-refuses"), "rules"),
    ],
)
def test_reward_whose_grader_cannot_work_is_refused_at_start(
    reward: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = demur_here("rbr", "serve", str(reward), "--port", "0", *options, home=tmp_path)
    assert (done.returncode, said in done.stderr, done.stdout) == (2, True, ""), done.stderr


def test_reward_whose_propositions_no_pattern_knows_is_refused_at_start(reward: Path, tmp_path: Path) -> None:
    content = json.loads(reward.read_bytes())
    feature = content["behaviours"]["comply"]["features"][0]
    policy, file = tmp_path / "safety.yaml", tmp_path / "own.json"
    policy.write_text((OURS / "safety.yaml").read_text(encoding="utf-8").replace(feature, "sings"), encoding="utf-8")
    renamed = json.loads(json.dumps(content).replace(feature, "sings"))
    file.write_text(json.dumps({**renamed, "checksum": reward_checksum(renamed)}), encoding="utf-8")
    said = "cannot grade behaviour '.*' of policy 'safety': .*no patterns for proposition 'sings'"
    with pytest.raises(FlowError, match=said):
        demur.trainer_reward(file, policy=str(policy))
    with pytest.raises(FlowError, match="policy 'safety' is not the policy that the reward was fitted to: behaviour"):
        demur.trainer_reward(file)


def test_flooded_server_answers_as_many_as_it_may_and_refuses_the_others(
    reward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    config = SimulatorConfig(latency_seconds=0.5, latency_spread=0)
    with serve(config=config) as running, served(reward, spec(running), most_requests=2) as address:
        with ThreadPoolExecutor(12) as callers:
            found = list(callers.map(lambda number: posted(address, asked(f"{TALK} {number}")), range(12)))
        assert len(running.asked) == sum(status == 200 for status, _ in found)
    assert {status for status, _ in found} == {200, 429}
    assert all("Try again" in answer["error"] for status, answer in found if status == 429)


def test_server_says_when_a_completion_cannot_be_graded(reward: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with served(reward, "openai:gone,base_url=http://127.0.0.1:9/v1,max_tokens=9,limits={retries: 0}") as address:
        status, found = posted(address, ASKED)
    assert (status, "completions.0: could not be graded" in found["error"]) == (502, True)


def asked(*completions: str) -> bytes:
    return json.dumps({"prompts": ["p"] * len(completions), "completions": completions, "behaviour": "comply"}).encode()


def test_served_grades_of_a_model_are_a_round_with_its_calls_costs_and_rows(
    reward: Path, simulator: Simulator, demur_home: Path
) -> None:
    with served(reward, spec(simulator, PRICES)) as address:
        first = posted(address, asked(TALK, DECLINED))
        assert posted(address, asked(DECLINED, TALK))[1]["rewards"] == first[1]["rewards"][::-1]
        with closing(sqlite3.connect(demur_home / "state.db")) as state:
            stored = [json.loads(record)["status"] for (record,) in state.execute("SELECT record FROM calls")]
        assert stored == ["ok"] * 2, "a kill loses no reply"
    with served(reward, spec(simulator, PRICES)) as address:
        assert posted(address, asked(TALK, DECLINED)) == first
    assert len(simulator.asked) == 2, "what was answered is not asked again, in another process neither"
    [(round_id, kind, status)] = rows(
        demur_home, "SELECT round_id, kind, status FROM rounds JOIN round_origins USING (round_id)"
    )
    assert (kind, status) == ("served", "finished") and round_id.startswith("served-safety-")
    assert rows(demur_home, "SELECT round_id, stage, calls FROM spending") == [(round_id, "grade", 2)]
    assert rows(demur_home, "SELECT count(DISTINCT subject_id) FROM live_grades") == [(2,)]
    listed = demur_here("rounds", home=demur_home)
    assert round_id in listed.stdout and "served, finished" in listed.stdout


def test_completions_that_are_alike_and_under_way_together_are_asked_about_once(
    reward: Path, monkeypatch: pytest.MonkeyPatch, demur_home: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    config = SimulatorConfig(latency_seconds=0.5, latency_spread=0)
    with serve(config=config) as running, served(reward, spec(running)) as address:
        with ThreadPoolExecutor(2) as callers:
            found = list(callers.map(lambda _: posted(address, asked(TALK, DECLINED, TALK)), range(2)))
        assert found[0] == found[1] and found[0][0] == 200
        assert len(running.asked) == 2


def test_server_at_its_cap_answers_503_and_spends_no_more(reward: Path, simulator: Simulator, demur_home: Path) -> None:
    with served(reward, spec(simulator, PRICES), most_usd=0.08) as address:
        found = [posted(address, asked(f"{TALK} {number}")) for number in range(12)]
    assert {status for status, _ in found} == {200, 503}
    assert "the cap leaves less" in next(answer for status, answer in found if status == 503)["error"]
    assert len(simulator.asked) == sum(status == 200 for status, _ in found)
    [(spent,)] = rows(demur_home, "SELECT sum(counted_usd) FROM spending")
    assert 0 < spent <= 0.08


def test_second_server_of_a_grader_is_refused_and_asks_nothing(
    reward: Path, simulator: Simulator, demur_home: Path
) -> None:
    with (
        served(reward, spec(simulator)),
        pytest.raises(RoundBusyError, match="is in use by this process"),
    ):
        demur.trainer_reward(reward, spec(simulator))
    assert not simulator.asked

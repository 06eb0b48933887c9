"""Keys and headers are refused by name where they cannot be sent, before anything is."""

import pytest

from demur.lanes.batch.endpoint import cancel_batch
from demur.lanes.engine import open_models, open_probe, open_system
from demur.lanes.keys import access_of, unsendable
from demur.lanes.spec import ModelSpec
from demur.programs.batch_record import BatchRecord, BatchStatus
from demur.programs.errors import ProgramError

SECRET = "sk-0123456789"
ODD = {
    f"{SECRET}\n": "a line break",
    f"{SECRET}\r\n": "a line break",
    f"\u201c{SECRET}\u201d": "a curly quotation mark",
    f"\u2018{SECRET}": "a curly quotation mark",
    f"{SECRET}\u200b": "an invisible sign",
    f"\ufeff{SECRET}": "an invisible sign",
    f"{SECRET}\xa0": "a blank that does not break",
    f"{SECRET}\xe9": "the sign U+00E9",
    f"{SECRET}\x00": "the sign U+0000",
    f"\t{SECRET}": "a tab",
    f"{SECRET} ": "a blank at its beginning or end",
    f"'{SECRET}'": "quotation marks around it",
    f"`{SECRET}`": "quotation marks around it",
    f"Bearer {SECRET}": "the word Bearer, which is sent with each key",
    f"OPENAI_API_KEY={SECRET}": "an assignment in place of its value",
    "${OPENAI_API_KEY}": "the name of a variable in place of its value",
    "<your key>": "a placeholder",
    f"{SECRET} #": "a blank",
    f"{SECRET}\\n": "a line break that is written out",
    f"{SECRET},": "a comma or semicolon at its end",
}


def spec(**changes: object) -> ModelSpec:
    given = {"name": "m", "provider": "openai", "model": "m", "parameters": {"max_tokens": 9}, "mode": "live"}
    return ModelSpec.model_validate({**given, "api_key_env": "MY_KEY", **changes})


@pytest.mark.parametrize("key", ODD, ids=ODD.values())
async def test_key_that_cannot_be_sent_is_refused_by_its_name_before_a_request(key: str) -> None:
    said = rf"model 'm': the key in the environment variable MY_KEY holds {ODD[key]}".replace("+", r"\+")
    with pytest.raises(ProgramError, match=said) as caught:
        async with open_models([spec()], "respondent", {"MY_KEY": key}):
            pass
    assert SECRET not in str(caught.value)
    with pytest.raises(ProgramError, match=said):
        open_probe(spec(), {"MY_KEY": key})
    with pytest.raises(ProgramError, match="Secret block 'mine' holds"):
        access_of(spec(api_key_env=None, api_key_block="mine"), {"block:mine": key})


async def test_header_that_cannot_be_sent_is_refused_by_its_name() -> None:
    service = {"provider": "service", "model": "http://127.0.0.1:9/x", "version": "1", "parameters": {}}
    for asked in (spec(headers={"X-Team": "TEAM"}), spec(**service, api_key_env=None, headers={"X-Team": "TEAM"})):
        with pytest.raises(ProgramError, match="variable TEAM holds a line break"):
            async with open_models([asked], "respondent", {"MY_KEY": SECRET, "TEAM": "a\nb"}):
                pass
    with pytest.raises(ProgramError, match="variable TEAM holds a line break"):
        async with open_system(asked, {"TEAM": "a\nb"}):
            pass


async def test_key_of_a_batch_that_cannot_be_sent_is_refused() -> None:
    given = dict.fromkeys(BatchRecord.__slots__)
    known = {"batch_id": "b", "model": "m", "provider": "openai", "provider_model": "m", "key_source": "MY_KEY"}
    record = BatchRecord(**{**given, **known, "provider_batch_id": "p", "status": BatchStatus.RUNNING})  # type: ignore[arg-type]
    with pytest.raises(ProgramError, match="variable MY_KEY holds a line break"):
        await cancel_batch(record, spec(), {"MY_KEY": f"{SECRET}\n"})


def test_ordinary_keys_can_be_sent() -> None:
    assert [unsendable(key) for key in (SECRET, "Bearer a b", "a=b/c+d~", "'", "x")] == [None] * 5

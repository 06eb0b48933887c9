"""The part of a reply that counts as the response: what a model says to the user, without its reasoning.

This module needs only Python's standard library. Exported tasks and the loader of reward files hold a copy of it
(`scoring.standalone`), so that a response has one reading wherever it is read.
"""

import re
from dataclasses import dataclass

EMPTY = "the reply is empty"
REASONING_ALONE = "the reply has reasoning, and no response behind it"
ENDS_IN_REASONING = "the reply ends inside its reasoning, so nothing is left"
CALLS_TOOL = "the reply calls a tool that was not offered, and says nothing"

_NAMES = (
    r"(?:[a-z]+:|ant)?(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|chain[_-]of[_-]thought|monologue|"
    r"inner|internal|rationale|deliberation|plan(?:ning)?|scratchpad|cot|reason(?![_-]))(?:[_-][\w-]*)?"
)
_LESS, _MORE = r"(?:<|&lt;|\uff1c)", r"(?:>|&gt;|\uff1e)"
_OPENING = "|".join(
    (
        rf"{_LESS}\s*\|?{_NAMES}\|?(?:\s[^<>]*)?{_MORE}",
        r"(?-i:\[(?:THINK|THINKING|REASONING)\])|\A\s*\[think(?:ing)?\]",
        r"◁(?:think|thinking)▷",
        r"<details\s+type=\"reasoning\"[^<>]*>|<details>\s*<summary>\s*(?:thought|thinking|reasoning)\b[^<]*</summary>",
        r"<\|start_thinking\|>|<\|begin_of_(?:thought|thinking)\|>|<\|inner_prefix\|>|<unused94>|<\|channel>thought\b",
    )
)
_CLOSING = "|".join(
    (
        rf"{_LESS}\s*\|?/\s*\|?{_NAMES}\s*\|?{_MORE}",
        rf"<\|end_{_NAMES}\|>",
        r"\[/(?:think|thinking|reasoning)\]",
        r"◁/(?:think|thinking)▷",
        r"<\|end_thinking\|>|<\|end_of_(?:thought|thinking)\|>|<\|inner_suffix\|>|<unused95>|<channel\|>",
    )
)
_TAGS = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
_END_OF_BLOCK = re.compile(_CLOSING, re.IGNORECASE)
_END_OF_DETAILS = re.compile(r"</details>", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\A\W*here(?:['’]s| is) my thought process:(.*?)(?:here(?:['’]s| is) my response:|\Z)", re.IGNORECASE | re.DOTALL
)
_CHANNEL = re.compile(
    # Harmony names the channel of each message; without its special tokens, the name is glued to the text.
    r"(?:<\|start\|>\w*)?<\|channel\|>\s*(?P<named>[a-z]+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"|\A(?P<first>analysis|commentary)(?:<\|message\|>|(?=[A-Z\"“'‘]))"
    r"|(?<=[^\s\w])\s?assistant\s?(?P<glued>final|analysis|commentary)(?:<\|message\|>)?"
)
_END_OF_TURN = re.compile(
    r"<\|(?!end_of_(?:box|solution)|end_response)(?:im_end|im_start|end\w*|eot\w*|eom\w*|eos|return|call|user|system|"
    r"human|observation|pad|start|start_header_id)\|>|</s>|<(?:end_of_turn|start_of_turn|eos|eot|pad)>|"
    r"<｜(?:end▁of▁sentence|User)｜>|\[(?:/?INST|EOS|PAD)\]",
    re.IGNORECASE,
)
_START_OF_TURN = re.compile(
    r"\A\s*(?:<s>|<bos>|<\|begin_of_text\|>|(?:<\|im_start\|>|<\|start\|>)assistant\s*(?:<\|message\|>)?|"
    r"<\|start_header_id\|>assistant<\|end_header_id\|>|<\|assistant\|>|<start_of_turn>model\b|<｜Assistant｜>|"
    r"\[/INST\]|<\|message\|>)"
)
_TOOL_CALL = re.compile(
    r"<(?P<call>tool_calls?|function_calls?|tool_use)>.*?(?:</(?P=call)>|\Z)|<function=[^<>]*>.*?(?:</function>|\Z)|"
    r"<｜tool▁calls?▁begin｜>.*?(?:<｜tool▁calls▁end｜>|\Z)|"
    r"<\|tool_calls_section_begin\|>.*?(?:<\|tool_calls_section_end\|>|\Z)|"
    r"(?:\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?\|>).*",
    re.DOTALL,
)
"""Calls of tools in a text, as servers send them that do not know how their model calls tools."""
_WRAPS = r"(?P<name>answer|response|output|final|final[ _-]answer|result|reply|assistant)"
_WRAPPER = re.compile(
    rf"\A<{_WRAPS}>(?P<text>.*?)(?:</(?P=name)>|\Z)\s*\Z|"
    r"\A<\|(?:begin_of_solution|begin_of_box|start_response)\|>(?P<solution>.*?)"
    r"(?:<\|(?:end_of_solution|end_of_box|end_response)\|>|\Z)\s*\Z",
    re.DOTALL | re.IGNORECASE,
)
_END_OF_WRAPPER = re.compile(rf"</{_WRAPS}>\Z", re.IGNORECASE)


@dataclass(frozen=True)
class ReplyText:
    """A reply in its parts.

    `response` is what counts, and `reasoning` what was removed before it counts; both may be empty. If nothing is left
    that counts, `problem` says why, else it is None.
    """

    response: str
    reasoning: str = ""
    problem: str | None = None


def split_reply(reply: str, reasoning: str = "") -> ReplyText:
    """Split a reply into response and reasoning. `reasoning` is what a server sends in a field of its own.

    Reasoning stands in tags (`<think>`, `<thinking>`, `[THINK]` and similar ones), or in channels other than `final` of
    the harmony format. There may be several blocks. Templates can send the opening tag themselves, so everything before
    a closing tag without an opening one is reasoning. A block without a closing tag was cut inside of the reasoning.
    Special tokens around the response and one pair of tags such as `<answer>` are removed too; what a model writes
    after the end of its turn is no response. A call of a tool is none either.
    """
    text = _START_OF_TURN.sub("", reply, count=1)
    said, removed, is_open = _without_channels(text) if _CHANNEL.search(text) else _without_tags(text)
    calls = [call[0] for call in _TOOL_CALL.finditer(said)]
    said = _START_OF_TURN.sub("", _TOOL_CALL.sub("", said), count=1)
    ended = _END_OF_TURN.search(said)
    said = _unwrapped((said[: ended.start()] if ended else said).strip())
    removed += calls
    thought = "\n\n".join(part for part in (reasoning.strip(), *map(str.strip, removed)) if part)
    if said:
        return ReplyText(said, thought)
    if calls:
        return ReplyText("", thought, CALLS_TOOL)
    if not thought:
        return ReplyText("", problem=EMPTY)
    return ReplyText("", thought, ENDS_IN_REASONING if is_open else REASONING_ALONE)


def _unwrapped(said: str) -> str:
    """Return a text without the pair of tags around it; a template may have sent the first of the two."""
    wrapped = _WRAPPER.match(said)
    if wrapped:
        return (wrapped["text"] or wrapped["solution"] or "").strip()
    end = _END_OF_WRAPPER.search(said)
    return said[: end.start()].strip() if end and f"<{end['name']}>" not in said else said


def _without_tags(text: str) -> tuple[str, list[str], bool]:
    """Return the text outside of tags, the texts of the blocks, and whether the last block has no end."""
    in_words = _IN_WORDS.match(text)
    if in_words:
        return text[in_words.end() :], [in_words[1]], in_words.end() == len(text)
    last = len(text.rstrip())
    kept: list[str] = []
    removed: list[str] = []
    at = 0
    while (tag := _TAGS.search(text, at)) is not None:
        before = text[at : tag.start()]
        if tag["opening"] is None:
            if tag.end() >= last and removed and before.strip():
                return "".join((*kept, before)), removed, False  # after an earlier block, a tag at the end closes none
            removed.append("".join((*kept, before)))
            kept = []
            at = tag.end()
            continue
        kept.append(before)
        ending = _END_OF_DETAILS if tag[0][1:8].lower() == "details" else _END_OF_BLOCK
        end = ending.search(text, tag.end())
        removed.append(text[tag.end() : end.start() if end else len(text)])
        if end is None:
            return "".join(kept), removed, True
        at = end.end()
    return "".join((*kept, text[at:])), removed, False


def _without_channels(text: str) -> tuple[str, list[str], bool]:
    """Return the last text of the channel `final`, the texts of other channels, and whether there is no final one."""
    found = list(_CHANNEL.finditer(text))
    final = ""
    removed = [text[: found[0].start()]]
    for number, channel in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        part = text[channel.end() : end]
        name = channel["named"] or channel["first"] or channel["glued"]
        if name == "final":
            final = part
        else:
            removed.append(_END_OF_TURN.split(part)[0])
    return final, removed, not final.strip()

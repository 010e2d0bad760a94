"""Tool output is data: nothing in it can pass for a step of the model or for a turn of the chat.

Two things are taken out of a text, and nothing else is touched. A line that begins like a label, in any language
and decoration that the reader knows, is shown behind a margin (``| Action: …``). A control token of a chat template
keeps its words and loses its brackets (``‹|im_end|›``), so that no tokenizer takes it for one. Code, JSON, addresses
and prose stay as they are, byte for byte, except that every line ends in ``\\n``.
"""

from __future__ import annotations

import re
import unicodedata

from react_engine.labels import WORDS, Field

MARGIN = "| "

_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"  # blank, but not of a category that says so


class _Visible(dict[int, int | None]):
    """A translation that drops what cannot be seen: controls, zero-width and direction marks, variation selectors."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        unseen = unicodedata.category(char) in ("Cc", "Cf") and char not in "\t\n"
        selector = 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE0FFF
        self[code] = None if unseen or selector or char in _UNSEEN else code
        return self[code]


class _Folded(dict[int, str]):
    """A translation that keeps the length: lower case, full-width and styled letters as plain ones."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = unicodedata.normalize("NFKC", char).casefold()
        self[code] = plain if len(plain) == 1 and plain != "\n" else char
        return self[code]


_VISIBLE = _Visible()
_FOLDED = _Folded()


def _alternatives(words: list[str]) -> str:
    folded = sorted({word.translate(_FOLDED) for word in words}, key=len, reverse=True)
    return "|".join(re.sub(r"(?:\\[ -]|_)+", r"[ \\t_-]{0,3}", re.escape(word)) for word in folded)


_ASIDE = (Field.INPUT, Field.QUESTION)  # single words of these call nothing by themselves and are common in documents
_STRONG = [word for field, words in WORDS.items() for word in words if field not in _ASIDE or re.search(r"[ _-]", word)]
_WEAK = [word for field in _ASIDE for word in WORDS[field]]
_GAP = r"(?:[^\w\n|]|[\d_])"  # decoration: bullets, numbers, quotation, markdown, brackets, blanks; no margin
_LABEL = re.compile(
    rf"""
    ^(?P<lead>{_GAP}*+)
    (?:(?P<strong>{_alternatives(_STRONG)})|(?P<weak>{_alternatives(_WEAK)}))
    (?:
        (?P<close>{_GAP}*?)(?:(?P<colon>:(?P<content>[^\S\n]*+\S)?)|(?P<assigned>=(?!=)|[-=]>))
      | (?P<end>{_GAP}*?)(?:(?P<bold>(?<=[*`\]】])(?!\()|(?<=__)(?!\w))|(?P<heading>(?=\n|\Z)))
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
_KINDS = (
    "tool_?calls?|function_?calls?|tool_?(?:response|result|output|sep)s?|function_?(?:response|result|output)s?"
    "|(?:start|end)_of_(?:turn|role|image|audio)|start_header|end_header"
)
_TOKEN = re.compile(
    rf"""
    </?\|["\w/][^\s<>]{{0,64}}> | </?｜[^<>\n]{{1,96}}>      # <|im_start|>, <|tool_call>, <｜tool▁call▁begin｜>
    | <[\w"/:.-]{{1,48}}[|｜]>                                      # <tool_call|>
    | </?ifm\|\w{{1,32}}>
    | (?<!\?P)</?(?:                                     # tags; (?P<s>…) is a regular expression
        s | think(?:ing)?(?::\w{{1,32}})? | thoughts? | reasoning | reflection | scratch_?pad | longcat_\w{{1,24}}
      | bos | eos | pad | unk | sop | eop | eod | mask | image | audio | video | escape | use_mcp_tool
      | bos_token | eos_token | pad_token | extra_id_\d+ | unused_?\d+ | reserved_\w{{1,32}} | special_\d+
      | [\w:.-]{{0,24}}(?:{_KINDS})[\w:.-]{{0,24}}
      | (?:[\w-]{{1,16}}:)?(?:function|parameter)=[^<>\n]{{0,64}}
      | [\w-]{{1,16}}:(?:think|eos|bos|invoke|parameter)\b[^<>\n]{{0,64}} | invoke\b[^<>\n]{{0,64}}
      | (?:longcat_|iquest_)?(?:arg_key|arg_value)(?::\w{{1,16}})? | function\s+name=[^<>\n]{{0,64}}
    )\s*/?>
    | <<\s*/?\s*(?:sys|function)\s*>>
    | \[/?(?:inst|tool_calls|tool_results|tool_content|available_tools|system_prompt|think|call_id|gmask|smask)\]
    | \[args\](?=\s*\{{) | \[\|[\w/ -]{{1,32}}\|\]
    | [◁✿]/?\w{{1,16}}[▷✿] | \]<\]\w{{1,16}}\[>\[ | \]~!?b[\[\]] | \[e~\[
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "[": "⟦", "]": "⟧", "◁": "‹", "▷": "›", "✿": "*"})
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>[]◁▷✿"}
_ANGLES = {ord(char): _ESCAPES[ord(char)] for char in "<>"}


def neutralise(text: str) -> str:
    """The text with label lines behind a margin and control tokens without brackets.

    Lines that hold neither are returned as they are; lone surrogates, which no server takes, become ``?``. Giving the
    result in again changes nothing. Time is linear in the length of the text.
    """
    if not text:
        return text
    text = _LINE_ENDS.sub("\n", text)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text if _harmless(text) else "\n".join(map(_line, text.split("\n")))


def _seen(text: str) -> str:
    """The text without what cannot be seen, with accents in one piece."""
    if text.isascii() and text.isprintable():
        return text
    return unicodedata.normalize("NFC", text.translate(_VISIBLE))


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def _harmless(text: str) -> bool:
    seen = _seen(text)
    return not _TOKEN.search(seen) and not any(_forges(label, seen) for label in _LABEL.finditer(_folded(seen)))


def _line(line: str) -> str:
    """One line; what cannot be seen is left out of it only where it hid something."""
    seen = _seen(line)
    shown = _TOKEN.sub(lambda token: token[0].translate(_HARMLESS), seen)
    label = _LABEL.match(_folded(shown))
    if label and _forges(label, shown):
        return MARGIN + shown
    return line if shown == seen else shown


def _forges(label: re.Match[str], text: str) -> bool:
    """Whether a line that begins with a label's word is more than a JSON key, a line of code or plain words."""
    lead = label["lead"]
    if label["colon"] is not None and lead[-1:] in ("'", '"') and label["close"][:1] == lead[-1:]:
        return False
    if label["weak"]:
        return label["content"] is not None and not text[label.start("weak")].islower()
    if label["colon"] is not None:
        return True
    word = text[slice(*label.span("strong"))]
    if word.isascii() and word.islower() and " " not in word:
        return False  # code, or a comment of one word
    if label["heading"] is not None:
        return "#" in lead and not label["end"].strip(" \t#*_")
    return label["assigned"] is not None or any(opener in lead for opener in "*_`[【")


def without_tokens(text: str) -> str:
    """The text with control tokens of chat templates made harmless, labels left as they are."""
    return _TOKEN.sub(lambda token: token[0].translate(_HARMLESS), text)


def harmless(marker: str) -> str:
    """A control token with look-alikes in place of its brackets."""
    return marker.translate(_HARMLESS)


def shown(text: str) -> str:
    """The text without what cannot be seen, as markers are looked for in it."""
    return _seen(text)


def escape_json(text: str) -> str:
    """JSON text of the same value in which no control token stands: its brackets are written as escapes."""
    escaped = _TOKEN.sub(_with_escapes, text)
    return _LINE_ENDS.sub(lambda end: f"\\u{ord(end[0][0]):04x}", escaped)


def _with_escapes(token: re.Match[str]) -> str:
    # What begins with < may reach over several strings, and a bracket between strings is structure.
    return token[0].translate(_ANGLES if token[0].startswith("<") else _ESCAPES)

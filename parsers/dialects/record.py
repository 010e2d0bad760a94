"""What makes a dialect: markers, where the name stands, how arguments are written. Data, no behaviour.

Markers are literal text in which ``*`` stands for up to 32 characters without blanks and angle brackets (some
checkpoints put a suffix of their own into every marker). Patterns are regular expressions in ``re`` syntax; each
must be bounded, since it is tried at every marker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import regex

from react_engine.errors import ConfigurationError, nearest_or_all
from react_engine.parsers.dialects.patterns import check_pattern
from react_engine.parsers.dialects.writing import STEMS, Writing

Frame = Literal["labels", "marked", "messages", "lines", "object", "python", "tools", "fields"]
FRAMES: tuple[str, ...] = get_args(Frame)
Variant = Literal["", "fenced", "listed", "stepped", "addressed"]

NAME = r"(?P<name>[^\s<>{}\[\]()\"'`=,;:|｜✿\\](?:[^\s<>{}\[\]()\"'`=,;|｜✿\\]|\\(?=_)){0,127})"
"""A tool's name where the markup around it shows that it is one."""
ARGUMENTS = r"(?=[{｛]|\[\s{0,8}[{｛]|\"\s{0,8}[{｛\[])"
"""Ahead are arguments in JSON: an object, a list around one, or text that holds one."""
PLAIN = r"[^<>\[\]{}`~*\\｜|✿◁▷｛｝【】]"
"""A character that no marker but a word begins or ends with."""
CALM = r"[^<>\[\]{}`~*\\｜|✿◁▷｛｝【】:：=(/#_?]"
"""A character that stands in no label and in hardly any marker at all."""
GAP = r"(?:\s|\\n){0,40}"
"""Blanks, also line breaks that were written as ``\\n``."""


@dataclass(frozen=True)
class Tags:
    """Arguments in tags, one for each.

    ``open`` is a pattern with a group ``key`` and, where the tag says how its value is written, ``string`` (``true``
    or ``false``) or ``type``; ``close`` ends a value. ``lines``: values stand on lines of their own: ``"always"``
    (one line break on either side belongs to the markup), ``"never"``, or ``"auto"`` (when all values of a call do).
    ``json``: a value that is JSON is decoded even where the schema takes text. ``first``: of a repeated key the
    first value counts.
    """

    open: str
    close: str
    lines: Literal["always", "never", "auto"] = "auto"
    json: bool = False
    first: bool = False

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """``open``, compiled."""
        return compiled(self.open)

    @cached_property
    def closer(self) -> re.Pattern[str]:
        """``close``, compiled."""
        return compiled(self.close)

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """A whole argument with blanks before it, whose value holds none of the characters of markers."""
        return compiled(rf"(?:\s|\\n|,)*+(?>{self.open})(?P<plain_value>{PLAIN}*+)(?>{self.close})")


@dataclass(frozen=True)
class Dialect:
    """How one family writes calls.

    Args:
        name: What the dialect is called in settings, tables and reports.
        frame: How calls stand in a reply: behind ``labels`` (ReAct text), behind markers (``marked``), in addressed
            ``messages``, in ``lines`` (a name, then JSON), as a bare JSON ``object``, as bare ``python`` calls.
        openers: Markers that announce a call, or a block of calls. Dialects may share one: what stands behind it
            decides.
        head: Pattern of what stands between an opener and the arguments, with a group ``name`` (and maybe ``id``).
            Without it the name stands in the arguments' own JSON or call syntax. A group ``text`` that matched says
            that the arguments may be bare text, for a tool with one parameter.
        lead: Pattern of what belongs to the call although it stands before the opener; may have the group ``name``.
        self_named: The opener names the tool itself, in words that also occur in explanations: then only a known
            tool with complete arguments is a call.
        tags: Arguments in tags.
        quote: A token that stands for the quotes of strings in a JSON-like object.
        elements: Prefix of the tags of nested elements, each parameter a tag of its own name.
        closers: Markers that end a call or a block.
        chrome: Markers around text that is visible, and markers that mean nothing.
        reasoning: Pairs of markers around reasoning. A closer that stands alone closes reasoning that a template
            opened, unless the pair is in ``channels``.
        channels: Pairs around reasoning whose closer also ends other things.
        results: Openers of the block in which results are fed back: a model that writes one itself invents.
        stop: Words that end a turn in which a call was made.
        template: What writes the arguments of a call: the stem of a shipped template (``json``, ``tags``,
            ``elements``, ``quoted``, ``python``), or a Jinja source of your own (it holds ``{{`` or ``{%``; it sees
            ``arguments``). None where a dialect is only read.
        writing: The prompt side; ``template`` needs it.
        variant: By which form beside the plain one a reply in this frame is told from others of it, where no marker says
            so: ``fenced`` (in a code fence), ``listed`` (a list of calls behind one label), ``stepped`` (a step as one
            object), ``addressed`` (words name a recipient, who may be the user). Of shipped records, the first of its
            frame and variant gives such replies their name.
    """

    name: str
    frame: Frame
    openers: tuple[str, ...] = ()
    head: str = ""
    lead: str = ""
    self_named: bool = False
    tags: Tags | None = None
    quote: str = ""
    elements: str | None = None
    closers: tuple[str, ...] = ()
    chrome: tuple[str, ...] = ()
    reasoning: tuple[tuple[str, str], ...] = ()
    channels: tuple[tuple[str, str], ...] = ()
    results: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    template: str | None = None
    writing: Writing | None = None
    variant: Variant = ""

    @property
    def taught(self) -> bool:
        """Whether a prompt can ask a model for it."""
        return self.template is not None and self.writing is not None and not self.writing.own_turns

    def check(self) -> None:
        """Raise ConfigurationError, with what to do, if the record cannot work."""
        where = f"The dialect {self.name!r}"
        if not isinstance(self.name, str) or not _PLAIN_NAME.fullmatch(self.name) or self.name == "auto":
            raise ConfigurationError(
                f"A dialect needs a name of letters, digits, '_', '-' and '.', other than 'auto'; found {self.name!r}."
            )
        if self.frame not in FRAMES:
            raise ConfigurationError(
                f"{where}: there is no frame {self.frame!r}.{nearest_or_all(str(self.frame), FRAMES)}"
            )
        self._check_markers(where)
        self._check_patterns(where)
        if self.template is not None:
            if not ("{{" in self.template or "{%" in self.template) and self.template not in STEMS:
                raise ConfigurationError(
                    f"{where}: there is no template {self.template!r}.{nearest_or_all(self.template, STEMS)} A template of "
                    "your own is given as its source, which holds {{ … }}."
                )
            if self.writing is None:
                raise ConfigurationError(
                    f"{where}: template says how arguments are written; writing must say the rest. For example "
                    'writing = Writing(call="<call>$name $arguments</call>"); or leave template out to only read it.'
                )
            self.writing.check(self.name, self.template)

    def _check_markers(self, where: str) -> None:
        if self.frame in ("marked", "messages") and not self.openers:
            raise ConfigurationError(
                f"{where}: the frame {self.frame!r} needs openers, the markers that announce a call."
            )
        pairs = [word for pair in (*self.reasoning, *self.channels) for word in pair]
        for field_name in ("openers", "closers", "chrome", "results", "stop"):
            for word in getattr(self, field_name):
                if not isinstance(word, str) or len(word.strip("* \n\t")) < 2:
                    raise ConfigurationError(
                        f"{where}: {field_name} holds {word!r}, which stands in any text. Use the whole marker."
                    )
        if any(not isinstance(word, str) or len(word.strip("* \n\t")) < 2 for word in pairs):
            raise ConfigurationError(
                f"{where}: reasoning and channels hold pairs of markers of two characters or more."
            )

    def _check_patterns(self, where: str) -> None:
        head = check_pattern(self.head, f"{where}: head") if self.head else frozenset()
        lead = check_pattern(self.lead, f"{where}: lead") if self.lead else frozenset()
        if self.frame == "messages" and "name" not in head:
            raise ConfigurationError(f"{where}: the frame 'messages' needs a head with (?P<name>…), the recipient.")
        for what in ("tags", "quote", "elements"):
            holds = getattr(self, what)
            if (
                (holds or holds == "")
                and holds != _DEFAULTS[what]
                and self.frame == "marked"
                and not {"name"} & (head | lead)
            ):
                raise ConfigurationError(
                    f"{where}: with {what} the tool's name stands in front of the arguments: head or lead must match it "
                    "as (?P<name>…)."
                )
        if self.tags is not None:
            if "key" not in check_pattern(self.tags.open, f"{where}: tags.open"):
                raise ConfigurationError(f"{where}: tags.open must match the name of the argument as (?P<key>…).")
            check_pattern(self.tags.close, f"{where}: tags.close")
            if self.tags.lines not in ("always", "never", "auto"):
                raise ConfigurationError(
                    f"{where}: tags.lines must be 'always', 'never' or 'auto', found {self.tags.lines!r}."
                )

    @cached_property
    def form(self) -> tuple[object, ...]:
        """What decides whether a call stands behind an opener."""
        return self.head, self.lead, self.quote, self.elements, self.tags

    @cached_property
    def literal_closers(self) -> tuple[str, ...]:
        """The closers that are no patterns."""
        return tuple(word for word in self.closers if "*" not in word)

    @cached_property
    def head_pattern(self) -> re.Pattern[str] | None:
        """``head``, compiled."""
        return compiled(self.head) if self.head else None

    @cached_property
    def lead_pattern(self) -> regex.Pattern[str] | None:
        """``lead``, compiled to be matched backwards from where the opener begins."""
        return regex.compile(rf"(?r){self.lead}") if self.lead else None


_PLAIN_NAME = re.compile(r"\w[\w.-]{0,63}")
_DEFAULTS = {"tags": None, "quote": "", "elements": None}


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled once."""
    return re.compile(pattern)


def marker_pattern(marker: str) -> str:
    """The regular expression of a marker."""
    return r"[^\s<>]{1,32}".join(map(re.escape, marker.split("*")))

"""``Engine``: a model, its tools and the limits, ready to run tasks on whichever path the model takes."""

from __future__ import annotations

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from react_engine import portal
from react_engine.errors import ConfigurationError
from react_engine.events import Event
from react_engine.extraction import Extraction
from react_engine.learning import learn, merged
from react_engine.limits import Limits
from react_engine.loop import Task, react_loop
from react_engine.models.base import Model
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Path, ToolChoice
from react_engine.paths.native import NativePath
from react_engine.paths.prompt import PromptPath
from react_engine.paths.select import PathChoice, Paths, require_choice
from react_engine.pump import Listener, Pump
from react_engine.runs import EndState, Run
from react_engine.tools.executor import Executor
from react_engine.tools.registry import Registry
from react_engine.types import Message, PathName, Transcript

if TYPE_CHECKING:
    from pydantic import BaseModel

    from react_engine.models.table import CapabilityTable
    from react_engine.settings import Settings
    from react_engine.tools.confirmation import Confirm
    from react_engine.tools.redaction import Redactor
    from react_engine.tools.tool import Tool

    M = TypeVar("M", bound=BaseModel)


class Engine:
    """Runs tasks with one model and one set of tools.

    Args:
        model: A name (``"local/qwen2.5-coder-1.5b"``, ``"ollama/llama3"``, any name litellm knows), a
            ``ModelProfile``, or any object with the ``Model`` protocol.
        tools: A ``Registry``, or tools and decorated functions.
        path: ``"auto"`` lets the capability table decide and allows fallback; ``"native"`` and ``"prompt"`` force one.
        instructions: System text of your own; on the prompt path it stands in front of the description of tools.
        limits: What a run may use up.
        language: Language of the prompts, ``"en"`` or ``"zh"``.
        confirm: Asked before a tool with side effects runs; without it such calls are denied.
        templates: A folder or a mapping of templates that replace the shipped ones.
        rendering: How the prompt describes tools, ``"signature"`` or ``"schema"``.
        sampling: Sampling parameters of every request; a run's own come first, the model's defaults last.
        profile: Fields of the model's record to override, as in the config file. How a model that is given as an
            object is reached is its own affair.
        executor: Runs the calls, in place of one made from ``confirm`` and ``redactor``.
        record: The record of a model that is given as an object.
        table: Where what a run finds out about the model is kept; with a model given by name, the shipped table.

    Raises ConfigurationError for settings that cannot be used. Runs themselves do not raise for what models,
    servers and tools do: see ``Run.end``.
    """

    def __init__(
        self,
        model: str | ModelProfile | Model,
        tools: Registry | Iterable[Tool | Callable[..., Any]] = (),
        *,
        path: PathChoice = "auto",
        instructions: str = "",
        limits: Limits | None = None,
        language: str = "en",
        confirm: Confirm | None = None,
        redactor: Redactor | None = None,
        templates: Any = None,
        rendering: str = "signature",
        sampling: Mapping[str, Any] | None = None,
        profile: Mapping[str, Any] | None = None,
        executor: Executor | None = None,
        record: ModelProfile | None = None,
        table: CapabilityTable | None = None,
    ) -> None:
        require_choice(path)
        self.registry = tools if isinstance(tools, Registry) else Registry(tools)
        self.model, self.profile = _opened(model, profile or {}, record)
        self._table = table or (_default_table() if isinstance(model, str) else None)
        self.path: PathChoice = path
        self.instructions = instructions
        self.limits = limits or Limits()
        self.sampling = dict(sampling or {})
        self._language, self._overrides, self._rendering = language, templates, rendering
        self._templates: Any = None
        self._made: dict[PathName, tuple[Any, Path]] = {}
        self.executor = executor or Executor(self.registry, confirm=confirm, redactor=redactor)
        if templates is not None:
            self._made_templates()  # a broken template is told now, not in the middle of a run

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        tools: Registry | Iterable[Tool | Callable[..., Any]] = (),
        *,
        instructions: str = "",
        confirm: Confirm | None = None,
        profile: Mapping[str, Any] | None = None,
    ) -> Engine:
        """The engine that settings describe: see ``Settings.load`` for where they come from.

        ``profile`` overrides fields of the model's record. The tools that settings name are not loaded here.
        """
        from react_engine.models import open_model
        from react_engine.models.table import table_for
        from react_engine.tools.redaction import Redactor

        settings.teach_dialects()
        table = table_for(settings)
        record = table.profile(settings.model, profile)
        return cls(
            open_model(record, settings),
            tools,
            path=settings.path,
            instructions=instructions,
            limits=settings.limits,
            language=settings.language,
            confirm=confirm,
            redactor=Redactor(emails=settings.tools.redact_emails),
            templates=settings.templates.folder,
            rendering=settings.templates.rendering,
            record=record,
            table=table,
        )

    async def arun(
        self,
        task: str | Message,
        *,
        transcript: Transcript = (),
        path: PathChoice | None = None,
        limits: Limits | None = None,
        tool_choice: ToolChoice = "auto",
        sampling: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
    ) -> Run:
        """Run a task to its end.

        ``transcript`` is what was said before (``Run.transcript`` of the turn before). ``tool_choice`` holds until
        a call that it asks for was made, ``"none"`` for the whole run; a call that it rules out is denied. With a
        ``listener`` replies are streamed and events told as they happen.
        """
        said = Message.user(task) if isinstance(task, str) else task
        if tool_choice not in ("auto", "required", "none"):
            self.registry.get(tool_choice)
        paths = Paths(self.profile, self._make_path, path or self.path)
        limits = limits or self.limits
        loop = react_loop(Task((*transcript, said), paths, limits, tool_choice, {**self.sampling, **(sampling or {})}))
        run = await Pump(self.model, self.executor, listener).drive(loop, limits.seconds)
        if run.fallbacks and self._table is not None:
            before = self.profile
            after = await to_thread(learn, run, before, self._table)
            self.profile = merged(self.profile, before, after)
        return run

    def run(self, task: str | Message, **options: Any) -> Run:
        """``arun`` for callers that are not async."""
        return portal.call(self.arun(task, **options))

    async def astream(self, task: str | Message, **options: Any) -> AsyncIterator[Event]:
        """The events of a run as they happen; the last is ``RunEnded``. Leaving the iteration cancels the run."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        running = asyncio.ensure_future(self.arun(task, listener=queue.put_nowait, **options))
        running.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            running.result()
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait([running])

    def stream(self, task: str | Message, **options: Any) -> Iterator[Event]:
        """``astream`` for callers that are not async."""
        return portal.iterate(self.astream(task, **options))

    async def aextract(self, model: type[M], text: str, *, path: PathChoice | None = None, instructions: str = "") -> M:
        """An instance of a pydantic model with what ``text`` says: a forced call of one tool, on either path.

        Raises LimitReached, with the run, when no valid arguments came within the limits.
        """
        from react_engine.tools.redaction import Redactor

        extraction = Extraction(model)
        registry = Registry([extraction.tool])
        paths = Paths(self.profile, self._maker(registry, instructions or extraction.instructions), path or self.path)
        task = Task((Message.user(text),), paths, self.limits, extraction.tool.name, self.sampling, until_success=True)
        unmasked = Redactor(defaults=False)  # the instance is the caller's: a password in it is what was asked for
        run = await Pump(self.model, Executor(registry, redactor=unmasked)).drive(react_loop(task), self.limits.seconds)
        instance: M = extraction.result(run)
        return instance

    def extract(self, model: type[M], text: str, **options: Any) -> M:
        """``aextract`` for callers that are not async."""
        return portal.call(self.aextract(model, text, **options))

    def session(self, transcript: Transcript = ()) -> Session:
        """A conversation of several turns."""
        return Session(self, transcript)

    async def aclose(self) -> None:
        """Release the model's connections."""
        await self.model.aclose()

    def close(self) -> None:
        """``aclose`` for callers that are not async."""
        portal.call(self.aclose())

    def prompt(self, task: str = "", *, path: PathName | None = None) -> list[Mapping[str, Any]]:
        """The messages that a first step would send, for people who want to see them."""
        from react_engine.paths.base import Ask

        paths = Paths(self.profile, self._make_path, path or self.path)
        request = paths.current.request(Ask((Message.user(task),)))
        return list(request.messages) if request.prompt is None else [{"role": "prompt", "content": request.prompt}]

    def _make_path(self, name: PathName, profile: ModelProfile, omitted: frozenset[str]) -> Path:
        """A path for one run. What does not depend on the run is made once, for the tools as they are."""
        basis = (tuple(self.registry), self.instructions, profile, omitted)
        made = self._made.get(name)
        if made is None or made[0] != basis:
            path = self._maker(self.registry, self.instructions)(name, profile, omitted)
            made = self._made[name] = (basis, path)
        return copy(made[1])

    def _maker(self, registry: Registry, instructions: str) -> Callable[[PathName, ModelProfile, frozenset[str]], Path]:
        def make(name: PathName, profile: ModelProfile, omitted: frozenset[str]) -> Path:
            tools, templates = list(registry), self._made_templates()
            if name == "native":
                return NativePath(
                    profile,
                    tools,
                    instructions,
                    repair=templates.native_repair,
                    guide=templates.native_guide(),
                    omitted=omitted,
                )
            return PromptPath(profile, tools, templates, instructions, rendering=self._rendering, omitted=omitted)

        return make

    def _made_templates(self) -> Any:
        if self._templates is None:
            from react_engine.templates import Templates

            self._templates = Templates(self._language, self._overrides)
        return self._templates


class Session:
    """A conversation: each turn goes on where the one before ended. ``path`` may change between turns."""

    def __init__(self, engine: Engine, transcript: Transcript = ()) -> None:
        self.engine = engine
        self.transcript = transcript
        self.runs: list[Run] = []

    async def arun(self, task: str | Message, **options: Any) -> Run:
        """The next turn. A turn that failed or was cancelled leaves the conversation as it was before."""
        run = await self.engine.arun(task, transcript=self.transcript, **options)
        self.runs.append(run)
        if run.end not in (EndState.ERROR, EndState.CANCELLED):
            self.transcript = run.transcript
        return run

    def run(self, task: str | Message, **options: Any) -> Run:
        """``arun`` for callers that are not async."""
        return portal.call(self.arun(task, **options))


def _default_table() -> CapabilityTable:
    from react_engine.models.table import default_table

    return default_table()


def _opened(
    model: str | ModelProfile | Model, overrides: Mapping[str, Any], record: ModelProfile | None
) -> tuple[Model, ModelProfile]:
    """The model and its record."""
    from react_engine.models import open_model
    from react_engine.models.record import overridden
    from react_engine.models.table import default_table

    if isinstance(model, str):
        profile = default_table().profile(model, overrides)
        return open_model(profile), profile
    if isinstance(model, ModelProfile):
        profile = overridden(model, overrides)
        return open_model(profile), profile
    known = getattr(model, "profile", None) if record is None else record
    if isinstance(known, ModelProfile) and isinstance(model, Model):
        return model, overridden(known, overrides)
    if not isinstance(model, Model):
        raise ConfigurationError(
            f"A model is a name, a ModelProfile or an object with the Model protocol, got {model!r}."
        )
    return model, default_table().profile(model.name, overrides)

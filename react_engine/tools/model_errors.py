"""What pydantic says about arguments."""

from __future__ import annotations

from typing import Any

from react_engine.shapes import shown
from react_engine.tools.complaints import FORMATS, MAX_ERRORS, Complaint, Path, place

# pydantic names the kind of what failed to parse at the start of the error's type.
_KINDS = {
    "date_": "date", "datetime_": "date-time", "timezone_": "date-time", "time_delta_": "duration", "time_": "time",
    "uuid_": "uuid", "url_": "uri",
}  # fmt: skip


def by_model(model: Any, plain: Any) -> tuple[Any, list[Complaint]]:
    """The validated instance, or None and what is wrong."""
    from pydantic import ValidationError

    try:
        return model.model_validate(plain), []
    except ValidationError as err:
        errors = err.errors(include_url=False, include_context=False)
    except Exception as err:  # validators of the tool's author may raise anything  # noqa: BLE001
        return None, [Complaint("invalid-value", (), f"A check of the tool failed: {type(err).__name__}: {err}.")]
    # That a value is not None either says nothing where a union has more to say.
    telling = [error for error in errors if error["type"] != "none_required"]
    return None, [_complaint(error, plain) for error in (telling or errors)[:MAX_ERRORS]]


def _complaint(error: Any, plain: Any) -> Complaint:
    kind, path = error["type"], _path(error["loc"], plain)
    name = place(path)
    if kind == "missing":
        return Complaint("missing-argument", path, f"{name} is missing.", f"Add {name}.")
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return Complaint("unknown-argument", path, f"{name} is unknown.", "Leave it out.")
    said = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ").rstrip(".")
    if not path:
        return Complaint("invalid-value", path, f"{said}.")
    said = said.replace("Input should be", "must be", 1)
    said = f"{name} {said}" if said.startswith("must be") else f"{name}: {said}"
    form = next((form for prefix, form in _KINDS.items() if kind.startswith(prefix)), None)
    hint = f"Write {FORMATS[form]}." if form else ""
    return Complaint("invalid-value", path, f"{said}, got {shown(error['input'])}.", hint)


def _path(location: Path, plain: Any) -> Path:
    """The part of pydantic's location that stands in the arguments: it also names branches of unions."""
    path: list[str | int] = []
    current: Any = plain
    for number, step in enumerate(location):
        found = _entry(current, step)
        if found is not _NO_ENTRY:
            current = found
            path.append(step)
        elif number == len(location) - 1 and isinstance(current, dict):
            path.append(step)  # a field that is missing
    return tuple(path)


_NO_ENTRY = object()


def _entry(container: Any, step: str | int) -> Any:
    if isinstance(container, dict):
        return container.get(step, _NO_ENTRY)
    if isinstance(container, list) and isinstance(step, int) and step < len(container):
        return container[step]
    return _NO_ENTRY

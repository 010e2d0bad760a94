"""The sections of the settings file that are the file's own: frozen values, each field with its explanation.

The explanation stands with the field, so that the commented file that ``settings_file`` writes cannot drift from
what is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from react_engine.errors import ConfigurationError


def setting(default: Any, explanation: str) -> Any:
    """A field with its default and what it is for."""
    return field(default=default, metadata={"explanation": explanation})


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """How the model's server is asked."""

    timeout: float = setting(120.0, "Seconds to wait for a reply, or for the next piece of a streamed one.")
    retries: int = setting(2, "Further attempts after a failure that may pass (no connection, 429, 5xx).")

    def __post_init__(self) -> None:
        if self.timeout <= 0:
            raise ConfigurationError(f"The timeout must be a number of seconds above 0, got {self.timeout}.")
        if self.retries < 0:
            raise ConfigurationError(f"The number of retries must be 0 or more, got {self.retries}.")


@dataclass(frozen=True, slots=True)
class TemplateSettings:
    """What the prompts are made of."""

    folder: Path | None = field(
        default=None, metadata={"explanation": "A folder of templates that replace the shipped ones of the same name."}
    )
    rendering: Literal["signature", "schema"] = setting(
        "signature", 'How the prompt describes tools: "signature" in short lines, "schema" as JSON Schema.'
    )


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Which tools there are, and what they may do."""

    toolbox: tuple[str, ...] = setting((), 'Shipped tools, such as ["calculator", "clock", "files:notes"].')
    load: tuple[str, ...] = setting((), 'Tools of your own, such as ["my_package.tools:registry", "tools.py"].')
    confirm: Literal["ask", "allow", "deny"] = setting(
        "ask", 'What happens before a tool with side effects runs: "ask" the user, "allow" it, or "deny" it.'
    )
    redact_emails: bool = setting(False, "Mask e-mail addresses in results, as keys and passwords are anyway.")

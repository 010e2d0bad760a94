"""The kinds of secrets that are known: by the prefix of a token, or by the name in front of a value.

Token prefixes are public, each documented by its issuer; lengths are lower bounds, since issuers
lengthen their tokens. Quantifiers are possessive or bounded: no text makes a pattern slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Accepts = Callable[[re.Match[str], str], bool]


def _always(_match: re.Match[str], _value: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One kind of secret.

    ``pattern``: its last named group that matched is the secret, or the whole match where it has none.
    ``words``: lower-case texts of which at least one stands in every match; none: it is always searched.
    ``accepts`` has the last word on a match and the secret in it.
    """

    kind: str
    pattern: re.Pattern[str]
    words: tuple[str, ...] = ()
    accepts: Accepts = _always

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the secrets of this kind stand in a text."""
        for match in self.pattern.finditer(text):
            group = match.lastgroup or 0
            if match[group] and self.accepts(match, match[group]):
                yield match.span(group)


_PLACEHOLDERS = frozenset(
    [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "string",
        "str",
        "text",
        "password",
        "passwd",
        "secret",
        "token",
        "required",
        "optional",
        "hidden",
        "masked",
        "redacted",
        "empty",
        "unset",
        "invalid",
        "incorrect",
        "changed",
        "missing",
        "your_password",
        "your_token",
        "your_api_key",
    ]
)


def _real(value: str) -> bool:
    """Whether a value is more than an example, a reference to a variable, a mask or a word of documentation."""
    plain = value.strip("\\\"'` ")
    if not plain or plain.startswith(("<", "$", "{{", "%(", "[redacted", "os.environ", "process.env")):
        return False
    return plain.lower().rstrip(".") not in _PLACEHOLDERS and not set(plain) <= set("*xX.•-_?")


def _generated(value: str) -> bool:
    """Whether a value looks generated rather than written."""
    return _real(value) and len(value) >= 8 and (len(value) >= 32 or any(mark.isdigit() for mark in value))


def _if_real(_match: re.Match[str], value: str) -> bool:
    return _real(value)


def _if_generated(_match: re.Match[str], value: str) -> bool:
    return _generated(value)


def _if_credential(match: re.Match[str], value: str) -> bool:
    """Judges a value after its name: the plainer the form, the more the value must look like a secret."""
    name = match["name"].lower()
    if not _real(value) or name in value.lower():  # password=config.password
        return False
    if name == "pwd" and value.startswith(("/", "~", "C:")):  # the working directory of a shell
        return False
    if name.startswith("pass") or name == "pwd":
        return match.lastgroup != "loose" or any(mark.isdigit() for mark in value) or _fills_line(match)
    written = name != "token" and match.lastgroup in ("double", "single", "tight")
    return _generated(value) or (written and len(value) >= 6 and " " not in value)


def _fills_line(match: re.Match[str]) -> bool:
    """Whether the line holds nothing but a name and the value, as in YAML and INI files."""
    text, start, end = match.string, match.start(), match.end()
    before = text[max(0, start - 40) : start].rpartition("\n")[2]
    after = text[end : end + 40].partition("\n")[0]
    return not after.strip() and re.fullmatch(r"[\s\w.\"'-]*", before) is not None and len(before.split()) <= 1


def _token(kind: str, body: str, *words: str, accepts: Accepts = _always) -> SecretPattern:
    """A token known by its prefix: no letter, digit, ``_`` or ``-`` touches it on the left."""
    return SecretPattern(kind, re.compile(rf"(?<![A-Za-z0-9_-])(?:{body})", re.ASCII), words, accepts)


_TOKENS = (
    _token("AWS key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "akia", "asia", "abia", "acca"),
    _token(
        "GitHub token",
        r"gh[pousr]_[A-Za-z0-9]{30,}+|github_pat_\w{22,}+",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token(
        "GitLab token",
        r"gl(?:pat|dt|rt|ptt|cbt|agent|oas)-[\w.-]{20,}+",
        "glpat-",
        "gldt-",
        "glrt-",
        "glptt-",
        "glcbt-",
        "glagent-",
        "gloas-",
    ),
    _token("API key", r"sk-[A-Za-z0-9_-]{20,}+", "sk-", accepts=_if_generated),  # OpenAI, Anthropic, OpenRouter, …
    _token(
        "API key",
        r"(?:gsk_|xai-|pplx-|tvly-|r8_|fw_|nvapi-|dapi|dop_v1_|lsv2_[ps][tk]_)[A-Za-z0-9_-]{20,}+",
        "gsk_",
        "xai-",
        "pplx-",
        "tvly-",
        "r8_",
        "fw_",
        "nvapi-",
        "dapi",
        "dop_v1_",
        "lsv2_",
        accepts=_if_generated,
    ),
    _token("Google key", r"AIza[\w-]{35}|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{20,}+", "aiza", "ya29.", "gocspx-"),
    _token(
        "Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{20,}+", "xox", "xapp-", accepts=_if_generated
    ),
    _token("webhook", r"hooks\.slack\.com/services/(?P<secret>[\w/]{20,}+)", "hooks.slack.com"),
    _token("Stripe key", r"(?:sk|rk)_(?:live|test)_\w{16,}+|whsec_[\w+/]{20,}+", "k_live_", "k_test_", "whsec_"),
    _token("Hugging Face token", r"hf_[A-Za-z0-9]{30,}+", "hf_"),
    _token("package index token", r"pypi-AgE[\w-]{50,}+|npm_[A-Za-z0-9]{36}", "pypi-age", "npm_"),
    _token("SendGrid key", r"SG\.[\w-]{16,64}+\.[\w-]{16,}+", "sg."),
    _token("Telegram token", r"[0-9]{8,10}:AA[\w-]{33}(?![\w-])", ":aa"),
    _token("Vault token", r"hv[sbr]\.[\w-]{24,}+", "hvs.", "hvb.", "hvr."),
    _token("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}", "age-secret-key-1"),
    _token("JWT", r"eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+(?:\.[\w-]++)?", "eyj"),
    _token("password hash", r"\$(?:1|5|6|y|7|2[abxy]|argon2(?:id|i|d))\$[\w./$,=+-]{20,}+", "$"),
)

_PRIVATE_KEY = SecretPattern(
    "private key",
    re.compile(
        r"""
        -----BEGIN\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
        (?:
            (?:[^-]|-(?!----))*+                                     # up to the next dashes,
            -----END\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----   # which close it,
          | (?:\s|\\[nr]|[A-Za-z0-9+/=]{16,})*+[A-Za-z0-9+/=]*+      # or the part that is there
        )
        """,
        re.VERBOSE | re.ASCII,
    ),
    ("private key",),
)

_URL_PASSWORD = SecretPattern(
    "password",
    re.compile(
        r"""
        ://[^\s/:@"'<>]{0,128}              # the user
        :(?P<secret>[^\s/@"'<>]{1,256})@    # what stands before the host
        """,
        re.VERBOSE | re.ASCII,
    ),
    ("://",),
    _if_real,
)

_URL_SIGNATURE = SecretPattern(
    "signature",
    re.compile(
        r"""
        [?&](?:x-amz-signature|x-amz-security-token|x-goog-signature|signature|sig|key)
        =(?P<secret>[\w%.~+/-]{16,}+)
        """,
        re.VERBOSE | re.ASCII | re.IGNORECASE,
    ),
    ("signature=", "sig=", "key=", "token="),
    _if_generated,
)

_AUTHORIZATION = SecretPattern(
    "credentials",
    re.compile(
        r"""
        (?:
            \bbearer\ {1,4}                                                           # anywhere
          | authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:basic|token|digest)\ {1,4}  # in a header
        )
        (?P<secret>[\w.~+/-]{8,}+={0,2})
        """,
        re.VERBOSE | re.ASCII | re.IGNORECASE,
    ),
    ("bearer", "authorization"),
    _if_generated,
)

_NAMED = SecretPattern(
    "credential",
    re.compile(
        r"""
        (?P<name>
            pass(?:word|wd|phrase|code) | pwd
          | secret(?:[_-]?(?:access[_-]?)?key)?
          | (?:api|access|account|auth|encryption|master|private|signing)[_-]?key
          | (?<!page)(?<!page[_-])(?<!next)(?<!next[_-])(?<!continuation)(?<!continuation[_-])   # paging
            (?<!eos)(?<!eos[_-])(?<!bos)(?<!bos[_-])(?<!pad)(?<!pad[_-])(?<!unk)(?<!unk[_-])     # tokenizers
            token
        )
        (?:
            \\{0,3}["'`]?                                       # closes the name; escaped in nested JSON
            (?:
                =(?P<tight>[^\s"'`,;&<>{}()\[\]\\]{4,512}+)(?![(\[])     # NAME=value; before a bracket it is code
              | [ \t]{0,4}(?:=>|:=|[:=]|\bis\b:?)[ \t]{0,4}
                (?:
                    \\{0,3}"(?P<double>[^"\\\n]{4,512})
                  | \\{0,3}'(?P<single>[^'\\\n]{4,512})
                  | (?P<loose>[^\s"'`,;&<>{}()\[\]\\]{4,512}+)(?![(\[])
                )
            )
          | >(?P<element>[^<>\s]{4,512}+)</
        )
        """,
        re.VERBOSE | re.ASCII | re.IGNORECASE,
    ),
    ("pass", "pwd", "secret", "key", "token"),
    _if_credential,
)

_OPTION = SecretPattern(
    "credential",
    re.compile(r"--(?:pass(?:word|wd|phrase)|token|secret|api-key)[ ](?P<secret>[^\s-]\S{5,512}+)", re.ASCII),
    ("--pass", "--token", "--secret", "--api-key"),
    lambda _match, value: _real(value) and any(mark.isdigit() for mark in value),
)

EMAIL = SecretPattern(
    "e-mail address",
    re.compile(
        r"(?<![\w.%+-])[\w.%+-]{1,64}+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
        re.ASCII,
    ),
    ("@",),
)

PATTERNS = (_PRIVATE_KEY, *_TOKENS, _URL_PASSWORD, _URL_SIGNATURE, _AUTHORIZATION, _NAMED, _OPTION)
"""All kinds that are masked without being asked for."""

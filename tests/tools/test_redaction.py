"""Secrets are masked, and what only looks like one is left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError
from react_engine.tools.redaction import CONTEXT, Redactor, Secret
from react_engine.tools.secret_patterns import PATTERNS

# Made up, and put together here so that no scanner of repositories takes them for real ones.
LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789\nabcdefghij==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("AWS key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("GitHub token", "ghp_" + LETTERS[:36]),
    ("GitHub token", "github_pat_" + LETTERS[:30]),
    ("GitLab token", "glpat-" + LETTERS[:20]),
    ("API key", "sk-" + LETTERS[:48]),
    ("API key", "sk-proj-" + LETTERS[:40]),
    ("API key", "sk-ant-api03-" + LETTERS[:40]),
    ("API key", "gsk_" + LETTERS[:40]),
    ("Google key", "AIza" + LETTERS[:35]),
    ("Slack token", "xoxb-" + "123456789012-abcdef"),
    ("Stripe key", "sk_live_" + LETTERS[:24]),
    ("Hugging Face token", "hf_" + LETTERS[:34]),
    ("package index token", "npm_" + LETTERS[:36]),
    ("package index token", "pypi-AgE" + LETTERS + LETTERS),
    ("SendGrid key", "SG." + LETTERS[:22] + "." + LETTERS[:43]),
    ("Telegram token", "123456789:AA" + LETTERS[:33]),
    ("Vault token", "hvs." + LETTERS[:30]),
    ("age key", "AGE-SECRET-KEY-1" + "Q" * 58),
    ("JWT", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl"),
    ("password hash", "$2b$12$" + LETTERS[:53]),
    ("private key", PEM),
]

VALUES = [
    ("password = 'hunter2'", "password = '[redacted credential]'"),
    ('{"password": "correct horse battery"}', '{"password": "[redacted credential]"}'),
    (r'{"body": "{\"password\": \"hunter2\"}"}', r'{"body": "{\"password\": \"[redacted credential]\"}"}'),
    ("DB_PASSWORD=swordfish", "DB_PASSWORD=[redacted credential]"),
    ("user=bob password=swordfish host=db", "user=bob password=[redacted credential] host=db"),
    ("password: swordfish\nuser: bob", "password: [redacted credential]\nuser: bob"),
    ("The password is hunter2!", "The password is [redacted credential]"),
    ("<password>swordfish</password>", "<password>[redacted credential]</password>"),
    ("Server=db;Password=Passw0rd;Pooling=1", "Server=db;Password=[redacted credential];Pooling=1"),
    ("mytool --token abcdef123456 run", "mytool --token [redacted credential] run"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [redacted credential]"),
    ("api_key: 'abcdef'", "api_key: '[redacted credential]'"),
    ("clientSecret: abcd1234efgh", "clientSecret: [redacted credential]"),
    ('"access_token": "abc123def456"', '"access_token": "[redacted credential]"'),
    ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted credentials]"),
    ("Authorization: Basic dXNlcjpwYXNz1==", "Authorization: Basic [redacted credentials]"),
    ("postgres://bob:s3cret@db/app", "postgres://bob:[redacted password]@db/app"),
    ("redis://:s3cret@cache", "redis://:[redacted password]@cache"),
    ("https://x.test/f?sig=abcdef0123456789abc&v=1", "https://x.test/f?sig=[redacted signature]&v=1"),
]

HARMLESS = [
    "Enter your password: it must be long",
    "password: required",
    "password=config.password",
    "password = get_password()",
    "password=${DB_PASSWORD}",
    "password: ********",
    'password: "<your password>"',
    '{"password": {"type": "string"}}',
    '{"password": "string"}',
    "PWD=/home/user1/project",
    "max_tokens=4096",
    'nextPageToken: "CAUQAA123456789"',
    '{"token": "hello", "logprob": -0.1}',
    'eos_token: "<|endoftext|>"',
    "token = tokens[0]",
    "api_key: <your key>",
    "the secret of success is 10 years of work",
    "risk-assessment-of-the-year-2024-report",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "Bearer authentication is used",
    "http://[::1]:8080/a@b",
    "see http://a.test: b@c",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "bob@example.com",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_tokens_are_masked_wherever_they_stand(kind: str, secret: str) -> None:
    redactor = Redactor()
    assert redactor.redact(secret) == (f"[redacted {kind}]", 1)
    assert redactor.redact(f"a ({secret}), b") == (f"a ([redacted {kind}]), b", 1)


@pytest.mark.parametrize(("text", "masked"), VALUES)
def test_values_are_masked_by_the_name_in_front_of_them(text: str, masked: str) -> None:
    assert Redactor().redact(text) == (masked, 1)


@pytest.mark.parametrize("text", HARMLESS)
def test_text_without_secrets_stays_as_it_is(text: str) -> None:
    assert Redactor().redact(text) == (text, 0)


@pytest.mark.parametrize("text", [text for _, text in SECRETS] + [text for text, _ in VALUES])
def test_masking_twice_is_masking_once(text: str) -> None:
    redactor = Redactor(emails=True)
    masked, _ = redactor.redact(text)
    assert redactor.redact(masked) == (masked, 0)


def test_email_addresses_are_masked_on_request() -> None:
    text = "write to a.b+c@sub.example.co.uk or x@y.org."
    assert Redactor(emails=True).redact(text) == (
        "write to [redacted e-mail address] or [redacted e-mail address].",
        2,
    )


def test_own_patterns_mask_their_group_or_the_whole_match() -> None:
    redactor = Redactor(patterns={"badge": r"\bB-\d{4}\b", "room": re.compile(r"room (?P<secret>\d+)")})
    assert redactor.redact("B-1234 in room 17") == ("[redacted badge] in room [redacted room]", 2)


def test_a_pattern_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="'badge' is no regular expression"):
        Redactor(patterns={"badge": "("})


def test_nothing_is_masked_without_the_defaults() -> None:
    assert Redactor(defaults=False).redact(PEM) == (PEM, 0)


def test_overlapping_finds_are_one_secret() -> None:
    text = "OPENAI_API_KEY=sk-" + LETTERS[:40]
    assert Redactor().find(text) == [Secret(15, len(text), "API key")]


def test_a_private_key_without_its_end_is_masked_as_far_as_it_goes() -> None:
    cut = PEM[:70]
    assert Redactor().redact(f"key: {cut}") == ("key: [redacted private key]", 1)


def test_a_secret_across_the_border_of_a_part_is_masked() -> None:
    text = f"{'x ' * 50}{PEM}{' y' * 50}"
    middle = text.index("MIIE") + 3
    assert Redactor().redact(text, 90, middle) == ("x " * 5 + "[redacted private key]", 1)
    assert Redactor().redact(text, middle) == ("[redacted private key]" + " y" * 50, 1)


def test_the_cost_of_a_part_depends_on_the_part() -> None:
    seen: list[int] = []

    class Counting(Redactor):
        def find(self, text: str) -> list[Secret]:
            seen.append(len(text))
            return super().find(text)

    Counting().redact("x" * 1_000_000, 500_000, 500_100)
    assert seen == [100 + 2 * CONTEXT]


@given(
    st.text() | st.lists(st.sampled_from([t for _, t in SECRETS] + [t for t, _ in VALUES] + [" ", "\n"])).map("".join)
)
def test_any_text_is_masked_without_an_error(text: str) -> None:
    redactor = Redactor(emails=True)
    masked, count = redactor.redact(text)
    assert count == masked.count("[redacted ") - text.count("[redacted ")
    assert count == len(redactor.find(text))


@given(st.text(), st.text(), st.sampled_from(SECRETS))
def test_no_token_survives_between_blanks(before: str, after: str, secret: tuple[str, str]) -> None:
    masked, _ = Redactor().redact(f"{before} {secret[1]} {after}")
    assert secret[1] not in masked


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.kind)
def test_every_match_contains_one_of_the_words_of_its_pattern(pattern: object) -> None:
    texts = [text for _, text in SECRETS] + [text for text, _ in VALUES]
    for text in texts:
        for match in pattern.pattern.finditer(text):  # type: ignore[attr-defined]
            assert any(word in match[0].lower() for word in pattern.words)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "unit",
    [
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "sk-",
        "password=",
        "password: ",
        "://a:",
        "a@",
        "a.",
        "token",
    ],
)
def test_hostile_repetitions_are_read_in_one_pass(unit: str) -> None:
    """Quadratic work on this text would take minutes."""
    text = unit * (400_000 // len(unit))
    masked, _ = Redactor(emails=True).redact(text)
    assert isinstance(masked, str)

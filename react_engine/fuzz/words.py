"""What random tools, arguments, thoughts and answers are made of."""

from __future__ import annotations

VERBS = (
    "find", "get", "list", "book", "cancel", "measure", "translate", "convert", "archive", "print", "water", "paint",
    "rename", "count", "plan", "rent", "weigh", "tune", "polish", "label",
)  # fmt: skip
NOUNS = (
    "boat", "harbour", "ticket", "recipe", "lantern", "garden", "invoice", "violin", "kiln", "orchard", "parcel",
    "meeting", "sensor", "playlist", "lighthouse", "tram", "herring", "quilt", "glacier", "compass",
)  # fmt: skip
PARAMETERS = (
    "place", "days", "title", "amount", "unit", "notes", "owner", "since", "limit", "tags", "exact", "colour",
    "depth", "path", "body", "recipients", "options", "language", "priority", "start_at", "max_weight", "query",
    "name", "code", "from", "size", "items", "date",
)  # fmt: skip
PLACES = (
    "Visby",
    "Turku",
    "Cádiz",
    "Łódź",
    "Ålesund",
    "Kyōto",
    "Bari",
    "Saint-Malo",
    "Porto",
    "Nuuk",
    "青岛",
    "Ürümqi",
)
PHRASES = (
    "red lantern", "two kilos of herring", "window seat", "before the storm", "quiet room", "north quay", "oak, oiled",
    "row 7", "old town", "call back on Monday", "size 42", "first edition",
)  # fmt: skip
UNITS = ("metric", "imperial", "knots", "celsius", "Light Mode")

HOSTILE = (
    "it's Ida's turn, isn't it?",
    'say "ahoy" twice',
    "line one\nline two",
    "tab\there",
    "C:\\boats\\new\\table.txt",
    "{braces} and [brackets]",
    '{"name": "other", "arguments": {"a": 1}}',
    "[1, 2, 3]",
    "<b>bold & 5 < 7</b>",
    "null",
    "None",
    "true",
    "False",
    "007",
    "3.0",
    "1e5",
    "-",
    "a: b, c=d; e|f",
    "printf 'ja\\nnein\\n' | tee x.log",
    "^\\d{3}-\\w+$",
    "SELECT * FROM \"Boats\" WHERE owner = 'O''Neil';",
    "Run:\n```sh\npump --start\n```\nDone.",
    "Thought: none\nAction: none",
    "Observation: it rained",
    "Final Answer: 42",
    "eyJhIjoxfQ==+/abc/Zm9v",
    "https://example.org/a?b=c&d=%20#e",
    "100 % of 3 €",
    "你好，世界：『测试』",
    "مرحبا بالعالم",
    "👩‍🚀 to the moon 🚀",
    "e\u0301 combining",
    "zero\u200bwidth",
    "nbsp\u00a0here",
    "“curly” ‘quotes’",
    "back`tick`s and ~tildes~",
    "/* no comment */ // really",
    "# not a heading",
    "- not a list",
    "def f(x):\n    return {'a': x}\n",
    '"quoted"',
    "'single'",
    "x" * 300,
    "ends with backslash\\",
    "\\n is not a newline",
    "ctrl\x01\x1b[31m",
    "<tag attr=\"v\">text</tag>",
    "a]b)c}d",
    "function(x) { return x; }",
    "$HOME/${x}",
    "12:30–14:00",
)  # fmt: skip

THOUGHTS = (
    "I look it up.",
    "The user wants this today.",
    "I need the newest figures before I can say more.",
    "First the place, then the time.\nOne call is enough.",
    "需要先查一下。",
    "That depends on the weather; let me see.",
    "Nothing is known about it yet.",
)
BEFORE = (
    "Let me look that up.",
    "One moment, I check.",
    "I will see to it now.",
    "好的，我来查。",
)
AFTER = ("I will report back shortly.", "That is on its way.")
ANSWERS = (
    "The boat leaves at noon.",
    "It costs 40 crowns, and the second one is free.",
    "There are three of them:\n- the oak one\n- the ash one\n- the one in the shed",
    "明天晴，最高 21 度。",
    "No tool is needed here: a fathom is six feet, about 1.83 metres.",
    "Yes. See {notes} and <b>this</b>, or ask again (it's free).",
    "I could not find it; the archive is closed until May.",
    "E = mc², so 2 kg are about 1.8e17 J.",
)

"""Words around an object or a block that say whether it is meant: samples, refusals, questions, advice."""

from __future__ import annotations

import re

SENTENCE = 200
"""How much of the text before a block is looked at."""
_OPEN_FENCE = re.compile(r"`{3,8}\w{0,10}\s*\Z")
# Words before an object that say: this is an example, a format, a document.
_SAMPLE_CUE = re.compile(
    r"\b(?:example|for instance|e\.g\.|sample|such as|looks? like|look as follows|(?:would|could|might|should) (?:be|look|have)|"
    r"something like|this form|format|syntax|shape|template|schema|documentation|the docs|placeholder|don[’']t|do not|won[’']t|will not|cannot|can[’']t|"
    r"never|if you (?:confirm|agree|want|wish|like|say|approve)|once you|described|definition|quoted?|pasted)\b"
    r"|例如|(?:^|\n)例|示例|格式|比如|样例|不要|不能|如果你|例えば|サンプル|記入例|예를 들어|예시|مثال|उदाहरण|ตัวอย่าง|ví dụ"
    r"|\b(?:(?:zum )?beispiel|z\.\s?B\.|muster|vorlage|par exemple|exemple|modèle|por ejemplo|ejemplo|plantilla|per esempio|esempio"
    r"|por exemplo|exemplo|например|пример|шаблон|формат|bijvoorbeeld|voorbeeld|na przykład|przykład|örneğin|örnek|exempel|contoh)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"don[’']t|do not|won[’']t|will not|cannot|can[’']t|never", re.IGNORECASE)
_STILL_ACTS = re.compile(r"\bso (?:I|let)\b|\blet me\b|\bI(?:[’']ll| will)\b", re.IGNORECASE)
# Words that speak of an object as somebody else's or another time's, unless the sentence says that the model acts now.
_TOLD_CUE = re.compile(
    r"\b(?:(?:would|could) (?:\w+ )?(?:call|send|run|use|write|need)|the log|(?:debug|log) (?:output|lines?)|transcript|payloads?|wrote|sent|received|emitted|"
    r"(?:like|as) (?:this|so|follows)(?=\s*:)|suppose|imagine|assume|equivalent|alternatively|(?:paste|type|copy) (?:this|it|the)|yourself|"
    r"the (?:trace|body|request)|you asked for|(?:a|an|the) (?:valid|correct|proper|well-formed|complete|typical) (?:call|request|message)|"
    r"(?:agents?|models?|assistants?) (?:emits?|writes?|answers?|prints?|sends?|returns?)|validator|anleitung|handbuch|"
    r"previous(?:ly)? (?:turn|call|request|message|answer)|compare (?:these|the)|"
    r"your (?:code|script|program|app|client|server|agent|model|prompt))\b",
    re.IGNORECASE,
)
_ACTS_NOW = re.compile(
    r"\b(?:I(?:[’']ll| will| need| must| should|[’']m going| am going)|let me|let[’']s|now)\b", re.IGNORECASE
)
# Words behind an object that ask for leave first: nothing is to be called yet.
_ASKS_LEAVE = re.compile(
    r"\b(?:shall i|should i|may i|do you want|would you like me|go ahead|shall we|ok to proceed|please confirm|confirm (?:that|if|and))\b"
    r"|是否|可以吗|要不要|确认|よろしいですか|しましょうか|할까요"
    r"|\b(?:soll ich|möchten sie|möchtest du|darf ich|dois-je|voulez-vous|puis-je|debo|quieres|desea|devo|posso|vuoi|хотите"
    r"|мне (?:сделать|выполнить)|zal ik|mam to|yapayım mı)\b[^.!\n]{0,160}[?？]",
    re.IGNORECASE,
)
# Words behind an object that hand it to the user.
_ADVICE = re.compile(
    r"\b(?:you (?:can|could|should|must|need|may|might|will|have)|would|could|please|your)\b", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:is|are|was|would|but|to|and|or|in|into|at|on|which|where|by|for|instead|because|as)\b")
"""The sentence in which an object stands goes on behind it."""
_IS_SUBJECT = re.compile(
    r"[\"'”’`)]?[ ](?:is|are|was|were|means?|marks?|begins?|starts?|opens?|ends?|announces?|comes?|belongs?|stands?|has|tells?|"
    r"appears?|and|or|ist|sind|steht|bedeutet|markiert|est|signifie|es|significa|é|è|означает|является)[ ,][^\n]{0,400}"
    r"[.!?:;。](?=\s|\Z)|[ ]?(?:是|表示)[^\n]{1,400}[。.！!：:]"
)
"""A sentence whose subject stands before it."""
# Words right behind an object that speak of it as something seen, or hand it to the user.
_SPEAKS_OF_IT = re.compile(
    r"\A(?:just |please |simply )?(?:replace|change|adapt|substitute|adjust)\b"
    r"|\A(?:подставьте|замените|请把|请替换|ersetze|remplacez|reemplaza)"
    r"|\b(?:you can (?:copy|paste|send|use|type|adapt) (?:it|this|that)|your parser|selbst senden|the (?:bug|mistake|error) (?:is|was)|they differ|(?:it|this|that|which|both) (?:\w+ )?(?:failed|rejected)"
    r"|tool is (?:disabled|not (?:available|enabled|allowed)))\b",
    re.IGNORECASE,
)
_PROSE = re.compile(r"\s*\n\s*(?:[^\W\d_]\S* +\S+ +\S+|[\u3040-\u30ff\u4e00-\u9fff]\S{5})")
_SENTENCE_END = re.compile(r"[.!?。！？](?:\s|\Z)|\n\n")


def announces_sample(text: str, start: int, end: int, behind: int | None = None) -> bool:
    """Whether the last sentence before an object says that it is an example, or one behind it takes it back."""
    before = _OPEN_FENCE.sub("", text[max(start, end - 240) : end]).rstrip()
    cut = max(before.rfind("\n\n"), before.rfind(". "), before.rfind("。"))
    sentence = before[cut + 1 :]
    for found in _SAMPLE_CUE.finditer(sentence):
        if not (_REFUSAL.fullmatch(found[0]) and _STILL_ACTS.search(sentence, found.end())):
            return True
    if not _ACTS_NOW.search(sentence) and (_TOLD_CUE.search(sentence) or _ASKS_LEAVE.search(sentence)):
        return True
    if behind is None:
        return False
    seen = text[behind : behind + 300].lstrip()
    if _ASKS_LEAVE.search(seen) is not None:
        return True
    first = _SENTENCE_END.search(seen)
    return (
        _GOES_ON.match(seen) is not None
        or _SPEAKS_OF_IT.search(seen, 0, first.end() if first else len(seen)) is not None
    )


def announces(before: str) -> bool:
    """Whether the text before a block ends in a sentence that announces a sample, and does not say that the model acts."""
    before = before.rstrip()
    if not before.endswith((":", "：")):
        return False
    sentence = before[max(before.rfind("\n\n"), before.rfind(". "), before.rfind("。")) + 1 :]
    if _ACTS_NOW.search(sentence) is not None:
        return False
    return any(cue.search(sentence) for cue in (_SAMPLE_CUE, _TOLD_CUE))


def is_text(text: str, behind: int, limit: int) -> bool:
    """Whether a line of ordinary words stands behind a block."""
    return _PROSE.match(text, behind, limit) is not None


def goes_on(text: str, behind: int) -> bool:
    """Whether the sentence in which something stands goes on behind it."""
    return _GOES_ON.match(text[behind : behind + 40].lstrip()) is not None


def speaks_of_marker(text: str, behind: int) -> bool:
    """Whether the words behind a marker at the start of a line speak of it: nothing is announced by it."""
    return _IS_SUBJECT.match(text, behind) is not None


def leads_on(before: str) -> bool:
    """Whether the text before a block breaks off in a sentence, and that does not say that the model acts."""
    before = before.rstrip()
    if not before[-1:].isalpha():
        return False
    sentence = before[max(before.rfind("\n"), before.rfind(". ")) + 1 :]
    return _ACTS_NOW.search(sentence) is None


def acts_now(sentence: str) -> bool:
    """Whether a sentence says that the model acts."""
    return _ACTS_NOW.search(sentence) is not None


def hands_over(words: str) -> bool:
    """Whether the words behind an object that begins a reply say that it is an example, a question, or for the user."""
    return any(cue.search(words) for cue in (_SAMPLE_CUE, _ASKS_LEAVE, _ADVICE))

"""The labels of ReAct text: what the prompts ask for in each language, and what models write back.

One table for both sides. Templates and stop words take the ``LabelSet`` of a language, the text reader and the
neutraliser of tool output take ``WORDS``, so that nothing is asked for that is not read, and nothing that is read
can be forged by a tool's output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from react_engine.errors import ConfigurationError


class Field(StrEnum):
    """What a label announces."""

    THOUGHT = "thought"
    ACTION = "action"
    INPUT = "input"
    OBSERVATION = "observation"
    ANSWER = "answer"
    QUESTION = "question"


# The words for each field: those that the label sets ask for, and those that models write in their place.
WORDS: dict[Field, tuple[str, ...]] = {
    Field.THOUGHT: (
        "thought", "thoughts", "thinking", "reasoning", "reflection", "next thought",
        "思考", "想法", "思路", "pensamiento", "razonamiento", "pensée", "pensee", "réflexion", "reflexion", "raisonnement",
        "gedanke", "gedanken", "überlegung", "pensamento", "raciocínio", "pensiero", "ragionamento", "мысль", "мысли",
        "размышление", "рассуждение", "思考過程", "考え", "생각", "사고", "düşünce", "myśl", "gedachte", "فكرة", "الفكرة", "विचार", "سوچ", "מחשבה",
        "suy nghĩ", "pemikiran", "tanke", "думка", "myšlenka", "gondolat", "gând", "ajatus", "σκέψη", "ความคิด",
    ),
    Field.ACTION: (
        "action", "actions", "tool", "tool name", "tool_name", "action name", "tool call", "function", "function call",
        "next tool name", "act",
        "行动", "行動", "动作", "動作", "操作", "工具", "アクション", "acción", "accion", "herramienta", "outil",
        "aktion", "werkzeug", "handlung", "ação", "acao", "ferramenta", "azione", "strumento", "действие", "инструмент",
        "행동", "작업", "도구", "eylem", "akcja", "działanie", "actie", "إجراء", "الإجراء", "कार्रवाई", "क्रिया", "פעולה", "hành động", "tindakan",
        "åtgärd", "дія", "akce", "cselekvés", "művelet", "acțiune", "acţiune", "toiminto", "ενέργεια", "การกระทำ",
    ),
    Field.INPUT: (
        "action input", "action inputs", "action_input", "actioninput", "input", "action arguments", "action args",
        "action parameters", "arguments", "args", "tool input", "tool arguments", "tool args", "tool_input", "parameters",
        "action argument", "input parameters", "function arguments", "next tool args",
        "行动输入", "行動輸入", "动作输入", "動作輸入", "操作输入", "工具输入", "输入", "輸入", "行动参数", "参数", "行動の入力", "行動入力", "入力",
        "アクション入力", "アクションの入力", "entrada de la acción", "entrada de acción", "entrada de la accion", "entrada",
        "parámetros", "entrée de l'action", "entrée de l’action", "entrée", "entree de l'action", "entrée d'action",
        "paramètres", "aktionseingabe", "eingabe der aktion", "aktions-eingabe", "eingabe", "handlungseingabe",
        "entrada da ação", "entrada da acao", "parâmetros", "input dell'azione", "input dell’azione", "input azione",
        "ingresso dell'azione", "вход действия", "входные данные действия", "входные данные", "ввод действия", "ввод",
        "параметры действия", "аргументы", "행동 입력", "행동입력", "작업 입력", "입력", "eylem girdisi", "wejście akcji",
        "actie-invoer", "đầu vào hành động", "masukan tindakan", "dane wejściowe akcji", "invoer", "actie invoer",
        "مدخلات الإجراء", "مدخل الإجراء", "कार्रवाई इनपुट", "क्रिया इनपुट", "input tindakan", "קלט פעולה",
        "åtgärdsindata", "åtgärd indata", "indata", "handlingsinput", "handlingsinndata", "вхідні дані дії",
        "вхідні дані", "ввід дії", "vstup akce", "cselekvés bemenete", "művelet bemenete", "intrare acțiune",
        "intrarea acțiunii", "toiminnon syöte", "είσοδος ενέργειας", "อินพุตการกระทำ",
    ),
    Field.OBSERVATION: (
        "observation", "observations", "tool output", "tool result", "action output", "action result",
        "观察", "觀察", "观察结果", "观测", "観察", "観測", "observación", "observacion", "beobachtung", "observação",
        "observacao", "osservazione", "наблюдение", "результат действия", "관찰", "gözlem", "obserwacja", "observatie",
        "ملاحظة", "الملاحظة", "अवलोकन", "quan sát", "pengamatan",
        "спостереження", "pozorování", "megfigyelés", "observație", "havainto", "observasjon",
    ),
    Field.ANSWER: (
        "final answer", "final_answer", "finalanswer", "answer", "final response", "final result", "final",
        "最终答案", "最終答案", "最终回答", "最終回答", "最后答案", "答案", "回答", "最終的な答え", "答え", "respuesta final", "respuesta",
        "réponse finale", "reponse finale", "réponse", "endgültige antwort", "abschließende antwort", "finale antwort",
        "antwort", "resposta final", "resposta", "risposta finale", "risposta", "окончательный ответ", "финальный ответ",
        "итоговый ответ", "ответ", "최종 답변", "최종 답", "최종답변", "답변", "nihai cevap", "son cevap", "ostateczna odpowiedź", "odpowiedź końcowa", "końcowa odpowiedź", "odpowiedź ostateczna",
        "definitief antwoord", "eindantwoord", "الإجابة النهائية", "अंतिम उत्तर", "câu trả lời cuối cùng", "jawaban akhir",
        "slutgiltigt svar", "slutligt svar", "endeligt svar", "endelig svar", "остаточна відповідь", "кінцева відповідь",
        "відповідь", "konečná odpověď", "végső válasz", "răspuns final", "lopullinen vastaus", "τελική απάντηση",
        "คำตอบสุดท้าย", "إجابة نهائية", "الجواب النهائي", "תשובה סופית", "jawapan akhir",
    ),
    Field.QUESTION: (
        "question", "new question", "user", "human", "user question", "问题", "問題", "用户", "质问", "質問", "pregunta", "question de l'utilisateur",
        "frage", "pergunta", "domanda", "вопрос", "질문",
    ),
}  # fmt: skip

FIELDS: Mapping[str, Field] = {word: field for field, words in WORDS.items() for word in words}
"""Each word with its field."""
_BETWEEN = re.compile(r"[\s\d_\\-]+")
_OTHER_I = str.maketrans({"ı": "i", "\u0307": None})
"""Letters that a pattern takes for an i in any case; a capital with a dot folds into an i and a dot."""


def _letters(word: str) -> str:
    return _BETWEEN.sub("", word.casefold().translate(_OTHER_I))


_BY_LETTERS = {_letters(word): field for word, field in FIELDS.items()}


def field_of(word: str) -> Field | None:
    """The field that a label word announces, in any case and spacing, also numbered; None if it is no label."""
    return FIELDS.get(word.lower()) or _BY_LETTERS.get(_letters(word))


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of one prompt, without colons. ``question`` announces the user where a model knows no roles.

    Raises:
        ConfigurationError: a label is not one of the ``WORDS`` of its field: the model's reply could not be read.
    """

    thought: str = "Thought"
    action: str = "Action"
    action_input: str = "Action Input"
    observation: str = "Observation"
    final_answer: str = "Final Answer"
    question: str = "Question"

    def __post_init__(self) -> None:
        for name, field in zip(self.__slots__, Field, strict=True):
            label = getattr(self, name)
            if field_of(label) is not field or label != label.strip():
                raise ConfigurationError(
                    f"Label {name} must be a word that the reader takes for it, got {label!r}. "
                    f"It takes, in any case: {', '.join(WORDS[field])}."
                )

    @property
    def stop(self) -> tuple[str, ...]:
        """The words at which a server should stop the reply: the model is about to write an observation itself."""
        colons = (":",) if self.observation.isascii() else (":", "：")
        return tuple(f"\n{self.observation}{colon}" for colon in colons)


LABELS: Mapping[str, LabelSet] = {
    "en": LabelSet(),
    "zh": LabelSet("思考", "行动", "行动输入", "观察", "最终答案", "问题"),
}

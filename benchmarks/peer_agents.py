"""The same five steps with other agent libraries; runs in their environments, where the engine is not installed.

Each agent is made once and asked for whole replies where it lets one choose. The libraries are imported by name,
since they are not there when this project is checked.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any, ClassVar

from benchmarks.canned_server import MODEL, TASK, TOOL, looked_up
from benchmarks.workbench import Make, Run, work

# LangChain keeps no ReAct prompt of its own in the package. This one asks for what its parser reads.
REACT_PROMPT = """Solve the task with these tools:

{tools}

Reply with one step at a time:

Thought: what you know, and what to do next
Action: one of {tool_names}
Action Input: what the tool is given

The result follows as Observation. When you are done, reply in this form:

Thought: what you know
Final Answer: the answer

Task: {input}
{agent_scratchpad}"""


async def lookup(word: str) -> str:
    """Look up a word."""
    return looked_up(word)


def _chat_openai(url: str) -> Any:
    chat = import_module("langchain_openai").ChatOpenAI
    return chat(model=MODEL, base_url=f"{url}/v1", api_key="none", disable_streaming=True)


def langchain_react(url: str) -> Run:
    """LangChain's ReAct executor, which reads the calls out of text."""
    agents = import_module("langchain_classic.agents")
    prompt = import_module("langchain_core.prompts").PromptTemplate.from_template(REACT_PROMPT)
    tools = [import_module("langchain_core.tools").tool(lookup)]
    agent = agents.create_react_agent(_chat_openai(url), tools, prompt)
    executor = agents.AgentExecutor(agent=agent, tools=tools)

    async def run() -> str:
        return str((await executor.ainvoke({"input": TASK}))["output"])

    return run


def langchain_agent(url: str) -> Run:
    """LangChain's ``create_agent``, on native calls."""
    agent = import_module("langchain.agents").create_agent(
        _chat_openai(url), tools=[import_module("langchain_core.tools").tool(lookup)]
    )

    async def run() -> str:
        return str((await agent.ainvoke({"messages": [{"role": "user", "content": TASK}]}))["messages"][-1].content)

    return run


def _llama_index(agent: str, url: str) -> Run:
    like = import_module("llama_index.llms.openai_like").OpenAILike
    llm = like(model=MODEL, api_base=f"{url}/v1", api_key="none", is_chat_model=True, is_function_calling_model=True)
    tools = [import_module("llama_index.core.tools").FunctionTool.from_defaults(async_fn=lookup)]
    ready = getattr(import_module("llama_index.core.agent.workflow"), agent)(tools=tools, llm=llm, streaming=False)

    async def run() -> str:
        return str(await ready.run(TASK))

    return run


def llama_index_react(url: str) -> Run:
    """LlamaIndex's ``ReActAgent``."""
    return _llama_index("ReActAgent", url)


def llama_index_functions(url: str) -> Run:
    """LlamaIndex's ``FunctionAgent``, on native calls."""
    return _llama_index("FunctionAgent", url)


def _qwen_agent(agent: str, url: str) -> Run:
    base = import_module("qwen_agent.tools.base")
    logging.getLogger("qwen_agent_logger").setLevel(logging.ERROR)  # it tells of every call

    class Lookup(base.BaseTool):  # type: ignore[misc, name-defined]
        """The tool as this library wants it."""

        name = TOOL
        description = "Look up a word."
        parameters: ClassVar = [{"name": "word", "type": "string", "description": "The word", "required": True}]

        def call(self, params: Any, **_: Any) -> str:
            """What the tool says."""
            return looked_up(**self._verify_json_format_args(params))

    llm = {"model": MODEL, "model_server": f"{url}/v1", "api_key": "none", "model_type": "oai"}
    ready = getattr(import_module("qwen_agent.agents"), agent)(function_list=[Lookup()], llm=llm)

    def run() -> str:
        *_, last = ready.run([{"role": "user", "content": TASK}])
        return str(last[-1]["content"])

    return run


def qwen_agent_react(url: str) -> Run:
    """Qwen-Agent's ``ReActChat``."""
    return _qwen_agent("ReActChat", url)


AGENTS: dict[str, Make] = {
    "langchain react": langchain_react,
    "langchain agent": langchain_agent,
    "llama-index react": llama_index_react,
    "llama-index functions": llama_index_functions,
    "qwen-agent react": qwen_agent_react,
}

if __name__ == "__main__":
    work(AGENTS)

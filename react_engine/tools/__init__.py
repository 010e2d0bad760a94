"""What can be called: tools, the registry that holds them, the validator and the executor.

Import from the modules: ``react_engine.tools.function`` (``tool``, ``tool_from_model``, ``tool_from_schema``),
``.registry``, ``.tool``, ``.schema``, ``.validation``, ``.loading``, ``.executor``.
"""

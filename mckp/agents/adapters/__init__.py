"""Agent frameworks whose tool results are encoded on their way to the model.

========================  =====================================  ==================
module                    what it gives                          extra
========================  =====================================  ==================
`langchain`               middleware for ``create_agent``        ``langchain``
`llama_index`             a model that encodes what it is told   ``llama-index``
`openai_agents`           a filter of what goes to the model     ``openai-agents``
`pydantic_ai`             a capability                           ``pydantic-ai``
`claude_code`             the hook ``mckp hook claude-code``
`text_calls`              tools for models that only write text
========================  =====================================  ==================

Nothing is imported here, so that each needs its own framework only. All but the hook leave
the conversation as it is, and change what the model is shown of it: `mckp.agents.messages` works
that out from the conversation alone, so it is the same in every process.
"""

"""Adapters for agent frameworks: they encode tool results for the model; see the README here.

Nothing is imported here, so each adapter needs only its own framework. All but the hook leave
the conversation as it is, and change only what the model is shown. `mckp.agents.messages` computes
that from the conversation alone, so it is the same in every process.
"""

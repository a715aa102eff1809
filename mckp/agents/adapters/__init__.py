"""Agent frameworks whose tool results are encoded on their way to the model; see the README here.

Nothing is imported here, so that each needs its own framework only. All but the hook leave
the conversation as it is, and change what the model is shown of it: `mckp.agents.messages` works
that out from the conversation alone, so it is the same in every process.
"""

"""Tool-Schema Compression Grammar, twice: as its paper means it, and as it was released."""

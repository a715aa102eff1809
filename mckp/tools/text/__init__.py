"""Tools as text: a grammar of types, its writer and its reader, and the levels of detail."""

"""The menu of a document: every text that may be written of it, with costs and worths."""

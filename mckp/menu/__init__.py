"""The menu of a document: every text that can be written for it, with costs and worths."""

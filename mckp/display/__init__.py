"""Static HTML for notebooks and pages, with plain figures, readable on light and dark pages."""

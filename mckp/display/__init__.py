"""What notebooks show: static HTML of plain figures, readable on light and dark pages."""

"""What notebooks show: static HTML and SVG of plain figures, readable on light and dark pages."""

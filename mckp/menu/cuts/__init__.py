"""Trees of parts that may be left out, and the options made from them."""

"""What may be left out, as trees of parts, and the options that one function makes of them."""

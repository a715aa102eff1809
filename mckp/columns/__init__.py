"""The way of large documents: the same texts, made and read in columns by compiled kernels.

Everything here has a slow twin that works on one value at a time (`mckp.menu`, `mckp.encoders`,
`mckp.reading`) and gives the same result, byte for byte; the twin serves small documents, what
the kernels decline, and the tests.
"""

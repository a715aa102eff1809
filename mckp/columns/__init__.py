"""The way of large documents: the same texts, made and read in columns by compiled kernels.

The flow is that of `mckp` as a whole, each step over arrays::

    tape       compact JSON as rows of numbers, one a value (`tape`, `document`)
    menu       what may be written: classes and options as rows; only texts that do not follow
               from the tape are written here (`options`, `menu`, `lines`, `native`, `infer`)
    prices     each distinct unit of text counted once, and sums (`units`, `atoms`, `price`)
    decisions  the cheapest way for everything, or a solver's choice (`decide`, `tabulate`)
    text       what was chosen, written for the first time (`recipes`, `decide`)
    proof      the text read back to JSON and compared with the tape (`readback`, `read_equal`)

Everything here has a slow twin that works on one value at a time (`mckp.menu`, `mckp.encoders`,
`mckp.tabulate`, `mckp.reading`) and gives the same result, byte for byte; the twin serves small
documents, whatever the kernels decline, and the tests. `mckp.planning` chooses between them.
"""

"""What a result answers after it was made: other budgets, reasons, and what was cut.

`priced` keeps a document offered and priced, so that another budget costs no more than a solver,
and answers the questions of one result from there. A result that was sent to another process
has left it behind.
"""

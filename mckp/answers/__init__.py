"""What a result can answer after it was made: other budgets, reasons, and what was cut.

`Priced` keeps the menu and prices of a document, so another budget costs only a run of the solver.
A result that is sent to another process leaves it behind.
"""

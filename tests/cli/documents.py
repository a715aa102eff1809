"""What the command line is given."""

DATA = '{"page": 1,\n "jobs": [{"id": 1, "name": "Änne 🦜"}, {"id": 2, "name": "Bob"}], "x": null}'
NOTES = "# Jobs “ü”\n\nSome text.\n\n* [ ] one\n\n```py\nx = 1\n```\n"

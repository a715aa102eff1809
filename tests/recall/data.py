"""Documents that the questions of these tests are about."""

from typing import Any

BUILDS: dict[str, Any] = {
    "total": 5,
    "next": None,
    "builds": [
        {
            "id": 101,
            "status": "failed",
            "owner": {"name": "Ann", "site_admin": False},
            "labels": [{"name": "ci"}, {"name": "slow"}],
            "steps": [1, 2, 3],
            "cost": 2.5,
            "start": "2026-05-01T10:00:00Z",
            "end": "2026-05-01T10:00:25Z",
            "loss/mean": 0.5,
            "log": '{"errors": 3, "lines": ["a", "b"]}',
            "milestone": None,
            "size": "1,200",
            "big": 2**60 + 1,
        },
        {
            "id": 102,
            "status": "passed",
            "owner": {"name": "Bob", "site_admin": True},
            "labels": [{"name": "ci"}],
            "steps": [1],
            "cost": 1,
            "start": "2026-05-02T10:00:00Z",
            "end": "2026-05-02T11:00:00Z",
            "loss/mean": 0.25,
            "log": '{"errors": 0, "lines": []}',
            "milestone": None,
            "size": "900",
            "big": 2**60 + 2,
        },
        {
            "id": 103,
            "status": "passed",
            "owner": {"name": "Ann", "site_admin": False},
            "labels": [],
            "steps": [],
            "cost": 4,
            "start": "2026-06-01T10:00:00Z",
            "end": "2026-06-01T10:00:05Z",
            "loss/mean": 0.75,
            "log": "no data",
            "milestone": None,
            "size": "20",
            "big": 1,
            "extra": True,
        },
        {"id": 104, "status": None, "owner": {"name": "Cyd"}, "steps": [1, 2], "cost": 3},
        {"id": 105, "owner": {"name": "Dee"}, "steps": [1, 2], "cost": 0, "flag-a": True},
    ],
    "repository": {
        "has_wiki": True,
        "has_pages": False,
        "has_issues": True,
        "created_at": "2020-10-05T16:33:24Z",
        "updated_at": "2020-10-05T16:33:49Z",
        "topics": ["a", "b"],
    },
}

CODE = """\
import os

LIMIT = 3


def first(x):
    \"\"\"Return it.\"\"\"
    if x > LIMIT:
        return None

    return x


class Store:
    def get(self, key):
        return key

    def put(self, key):
        raise OSError("disk is full")
"""

NOTES = """\
# Guide

Intro.

## Install

pip install it

### From source

git clone

## Use

run it
"""

"""Tests of `mckp.hosts`."""

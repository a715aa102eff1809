"""Interfaces of a network, and bytes in hexadecimal."""

import pytest

from mckp import encode
from mckp.texts import outline

_INTERFACES = """1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host
       valid_lft forever preferred_lft forever
2: dummy0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
3: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc fq state UP group default
    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.7/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
"""


@pytest.mark.parametrize("budget", [70, 100, 140])
def test_the_address_that_others_can_reach_stays(budget: int) -> None:
    """The interface in use stays with its address before the loopback."""
    kept = encode(_INTERFACES, budget=budget).text
    assert "3: eth0: " in kept
    assert "inet 192.0.2.7/24" in kept


@pytest.mark.parametrize("form", ["{:08x}  {} |{}|", "{:08x}: {} {}"])
def test_bytes_that_can_be_read_stay(form: str) -> None:
    """Of bytes, the first row and words stay; of the others, some that adjoin."""
    signs = ["................"] * 60
    signs[0], signs[40] = ".ELF............", "..../lib64/ld-li"
    pairs = " ".join(["7f"] * 16)
    text = "".join(f"{form.format(16 * n, pairs, row)}\n" for n, row in enumerate(signs))
    kept = encode(text, budget=400).text
    assert "|.ELF" in kept or " .ELF" in kept
    assert "/lib64/ld-li" in kept
    assert kept.count("…") <= 3


def test_numbers_that_are_no_bytes_are_not_rated_as_such() -> None:
    """Rows of other numbers keep their worths."""
    text = "".join(f"2026{n:02} port {n} of the coast\n" for n in range(30))
    assert len({*outline(text).worths.tolist()}) > 2

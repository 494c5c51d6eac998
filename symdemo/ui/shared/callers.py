"""Who asks: the address that a share of the machine is counted by.

The name of a page is chosen by whoever sends it, and costs nothing; an address does not.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("caller", default="")
"""The address of whoever sent the request that is being answered."""

FORWARDED = b"x-forwarded-for"


def address_of(headers: Iterable[tuple[bytes, bytes]], peer: str | None) -> str:
    """The address that a request comes from.

    On a Space all requests come through its proxy, which adds the address that it saw at the end of
    a header; what stands before that was written by the visitor. Elsewhere the header is anybody's.

    Args:
        headers: of the request, names in lower case.
        peer: who opened the connection; None where that is unknown.
    """
    if os.environ.get("SPACE_ID"):
        seen = [value for name, value in headers if name == FORWARDED]
        for text in reversed(b",".join(seen).decode("latin-1").split(",")):
            try:
                address = ipaddress.ip_address(text.strip())
            except ValueError:
                continue
            if address.is_global:  # those of proxies inside are private
                return _network(address)
    return peer or ""


def _network(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """The address; of IPv6 the network, as one household has 2 to the power of 64 addresses."""
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False))

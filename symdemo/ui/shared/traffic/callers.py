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


def caller_of(headers: Iterable[tuple[bytes, bytes]], peer: str | None) -> str:
    """The address that a request comes from; empty where that is unknown.

    Args:
        headers: of the request, names in lower case.
        peer: who opened the connection.
    """
    seen = [value for name, value in headers if name == FORWARDED]
    return address_of(peer or "", b",".join(seen).decode("latin-1"))


def address_of(peer: str, forwarded: str = "", behind_proxy: bool | None = None) -> str:
    """The network address of a visitor; of IPv6, the network that one household has.

    Args:
        peer: who the connection is from.
        forwarded: the header X-Forwarded-For. Anybody can send one, so it is read only on a Space,
            which is always behind a proxy, and from its end: each proxy adds who it heard from.
        behind_proxy: whether to read it; as on a Space if None.
    """
    behind_proxy = bool(os.environ.get("SPACE_ID")) if behind_proxy is None else behind_proxy
    if behind_proxy:
        heard = [_network(part) for part in forwarded.split(",")[-20:]]
        peer = next((one for one, is_global in reversed(heard) if is_global), peer)
    return _network(peer)[0]


def _network(text: str) -> tuple[str, bool]:
    """An address by its network, and whether it is one of the open internet."""
    text = text.strip().strip("[]")[:100]
    try:
        address = ipaddress.ip_address(text.split("%")[0])
    except ValueError:
        return text, False
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped), address.ipv4_mapped.is_global
        return str(ipaddress.ip_network((address, 64), strict=False)), address.is_global
    return str(address), address.is_global

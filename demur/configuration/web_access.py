"""Checks of requests to demur's local servers, so that foreign web pages cannot use these servers."""

import hmac
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address, which only this machine can reach."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def names_this_machine(host_header: str | None) -> bool:
    """Return whether a request's Host header is `localhost` or a loopback address.

    Other names give False even if they resolve to this machine, since an attacker can arrange that (DNS rebinding).
    """
    try:
        return is_loopback(urlsplit(f"//{host_header or ''}").hostname or "")
    except ValueError:
        return False


def is_same_origin(origin: str, host_header: str | None) -> bool:
    """Return whether a browser sent a request from a page of the same server."""
    try:
        return urlsplit(origin).netloc == host_header
    except ValueError:
        return False


def is_secret(given: bytes, secret: str) -> bool:
    """Return whether the bytes that a request gives are a secret; the time of the comparison tells nothing.

    Bytes are compared, since a header may have bytes that are no UTF-8.
    """
    return hmac.compare_digest(given, secret.encode())

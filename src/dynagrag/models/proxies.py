"""Ways to model servers: the loopback is reached directly, other hosts by the proxy that the
environment names.
"""

import ipaddress
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def is_loopback(url: str) -> bool:
    """Whether a server at this address runs on this machine, where no proxy has anything to do."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_of(url: str) -> str | None:
    """Host and port of the proxy that requests to this address go through, as the environment has
    it; no user name and no password.
    """
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return (
        urlsplit(proxy if "://" in proxy else f"//{proxy}").netloc.rpartition("@")[2]
        if proxy
        else None
    )

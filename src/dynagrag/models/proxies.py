"""Ways to model servers: the loopback is reached directly, other hosts by the proxy that the
environment names.
"""

import ipaddress
import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
"""Names under which most programs reach a server of their own machine."""


def is_loopback(url: str) -> bool:
    """Whether a server at this address runs on this machine, where no proxy has anything to do."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def exempt_loopback(url: str | None = None) -> bool:
    """Names the loopback, and the host of this address if it is one, in this process's NO_PROXY,
    for clients that are not ours and follow the environment. Nothing is changed where no proxy is
    named. True where something was.
    """
    proxies = getproxies()
    hosts = [*_LOOPBACK]
    if url and is_loopback(url):
        hosts.append(urlsplit(url).hostname or "")
    exempt = [name.strip() for name in proxies.pop("no", "").split(",") if name.strip()]
    missing = [host for host in dict.fromkeys(hosts) if host not in exempt]
    if not proxies or not missing or "*" in exempt:
        return False
    # libraries differ in which of the two they read, and in which comes first
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(exempt + missing)
    return True


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

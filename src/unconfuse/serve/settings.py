"""What a server was told when it was started: where it listens, who may call it, what it may read and keep."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from unconfuse._errors import ArgumentError, UnconfuseError

MEGABYTE = 1 << 20
_NAME = re.compile(r"(?:(https?)://)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?/?")
_USUAL_PORT = {"http": 80, "https": 443}


class BusyError(UnconfuseError):
    """There is no room for more at the moment; `seconds` later there may be."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True)
class ResourceLimits:
    """What one upload, one child process and one request may use."""

    upload: int = 256 * MEGABYTE  # bytes of a body that brings a file
    body: int = 2 * MEGABYTE  # bytes of any other
    unpacked: int = 1024 * MEGABYTE  # bytes that a compressed file may unpack to
    rows: int = 20_000_000
    memory: int = 4096 * MEGABYTE  # of address space, of which about half can be used
    cpu: int = 900  # seconds
    wall: float = 900.0  # seconds of an evaluation
    look: float = 30.0  # seconds to look at a file
    children: int = 2  # at once
    queue: int = 32  # jobs that wait
    lookers: int = 2  # children that look at files, so that nobody who looks waits for a job
    looks: int = 16  # files that wait to be looked at
    requests: int = 300  # answered at once
    patience: float = 20.0  # seconds in which a body must have come, unless it keeps coming
    pace: int = 32 << 10  # bytes a second, which is to keep coming
    kept: float = 3600.0  # seconds that an upload is kept after it was last used
    uploads: int = 20  # files kept at once
    pointed: int = 200  # files pointed to at once, which take no room


@dataclass(frozen=True)
class ServerSettings:
    """A server: `origins` are the addresses that browsers may know it by, such as http://127.0.0.1:8765."""

    history: Path
    host: str = "127.0.0.1"
    port: int = 8765
    origins: tuple[str, ...] = ()
    root: Path | None = None  # below which files may be pointed to
    limits: ResourceLimits = field(default_factory=ResourceLimits)

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may name as its Host."""
        return frozenset(origin.partition("://")[2] for origin in self.origins)

    @property
    def cookie(self) -> str:
        """Browsers do not tell ports apart when they send cookies: the name must."""
        return f"unconfuse-{self.port}"

    def is_https(self, host: str, forwarded: str | None = None) -> bool:
        """Whether a browser that calls it by this name speaks https; of a name with both, a proxy tells.

        >>> both = ServerSettings(Path("h"), origins=("http://127.0.0.1:8765", "http://a.org", "https://a.org", "https://b.org"))
        >>> [both.is_https(each) for each in ("127.0.0.1:8765", "b.org", "a.org")], both.is_https("a.org", "http")
        ([False, True, True], False)
        """
        schemes = {origin.partition("://")[0] for origin in self.origins if origin.partition("://")[2] == host.lower()}
        return forwarded == "https" or ("https" in schemes and not ("http" in schemes and forwarded == "http"))


def settings_for(
    history: Path,
    host: str,
    port: int,
    allowed: tuple[str, ...] = (),
    root: Path | None = None,
    limits: ResourceLimits | None = None,
) -> ServerSettings:
    """Return checked settings. A host that others can reach needs the names by which they may call it.

    >>> settings_for(Path("h"), "127.0.0.1", 8765).origins[0]
    'http://127.0.0.1:8765'
    >>> sorted(settings_for(Path("h"), "0.0.0.0", 8765, ("https://stats.example.org",)).hosts)
    ['stats.example.org']
    """
    if not 0 <= port <= 65535:
        raise ArgumentError(f"--port must lie between 0 and 65535; got {port}.")
    local = is_loopback(host)
    if not local and not allowed:
        hint = "Hint: add --allowed-host with the name that browsers use, such as https://stats.example.org."
        raise ArgumentError(f"--host {host} can be reached by others, and no name is allowed. {hint}")
    names = (host, *(("localhost",) if host == "127.0.0.1" else ())) if local else ()
    own = tuple(f"http://{_bracketed(name)}:{port}" for name in names)
    place = None if root is None else _folder(root)
    return ServerSettings(
        history, host, port, own + tuple(_origin(each, port) for each in allowed), place, limits or ResourceLimits()
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def usual_history() -> Path:
    """Where a history is kept unless somebody says otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    return Path(base) / "unconfuse" / "history.sqlite"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _origin(allowed: str, port: int) -> str:
    """NAME, NAME:PORT or https://NAME: as browsers write it, without a port that goes without saying."""
    match = _NAME.fullmatch(allowed)
    if match is None:
        raise ArgumentError(f"--allowed-host takes a name such as https://stats.example.org; got {allowed[:80]!r}.")
    scheme, name, given = match[1] or "http", match[2].lower(), match[3]
    number = int(given) if given else port if match[1] is None else _USUAL_PORT[scheme]
    return f"{scheme}://{name}" + ("" if number == _USUAL_PORT[scheme] else f":{number}")


def _folder(root: Path) -> Path:
    try:
        path = root.resolve(strict=True)
    except OSError as error:
        raise ArgumentError(f"--root {root} cannot be used: {error.strerror}.") from None
    if not path.is_dir():
        raise ArgumentError(f"--root {root} is not a folder.")
    return path

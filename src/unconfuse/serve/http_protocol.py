"""HTTP as uvicorn speaks it, for peers that stop speaking it in the middle, or never come to the point.

A connection that waits for its peer costs the server a place and the peer nothing. So each wait has an end, and where
too many wait, those that have waited longest make room for the others: nobody is shut out by connections that say
nothing.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS = 5.0  # seconds in which the head of a request must have come, once its connection or its first byte is there
UNREAD = 5.0  # seconds in which the rest of a body may still come after its request was refused
UNHEARD = 60.0  # seconds in which a peer must take at least something of a long answer
FROM_ONE_ADDRESS, IN_ALL = 100, 200  # connections that wait for strangers; fifty browsers keep fewer open


class HttpProtocol(H11Protocol):
    """Bytes that are no HTTP may follow a request that is being answered: one of the two is answered, never both."""

    waits_since = 0.0
    _awaited = ""
    _deadline: asyncio.TimerHandle | None = None
    _listening: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, but not for ever, and not with too many others."""
        super().connection_made(transport)
        self._await()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._await()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Take what has come; a wait goes on until all that it is for is there."""
        super().data_received(data)
        self._await()

    def on_response_complete(self) -> None:
        """Wait for the next request, or first for the rest of the last one."""
        self.waits_since = self.loop.time()
        super().on_response_complete()
        self._await()

    def pause_writing(self) -> None:
        """Wait until the peer has taken some of the answer."""
        super().pause_writing()
        self._listening = self.loop.call_later(UNHEARD, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on, for somebody listens."""
        super().resume_writing()
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None

    def is_waiting(self) -> bool:
        """Whether it is the turn of the peer, and the peer is nobody that was let in."""
        if self.transport.is_closing():
            return False
        if self.cycle is None or self.cycle.response_complete:
            return True
        return self.cycle.more_body and "visitor" not in self.scope

    def _await(self) -> None:
        """Set the deadline of what is awaited now; what was awaited already keeps its own."""
        awaited = self._now_awaited()
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if awaited:
            seconds = HEADERS if awaited == "head" else UNREAD
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _now_awaited(self) -> str:
        if self.transport.is_closing():
            return ""
        theirs, ours = self.conn.their_state, self.conn.our_state
        if theirs is h11.IDLE and ours is h11.IDLE:
            return "head" if self.timeout_keep_alive_task is None else ""  # which is a clock of its own
        return "rest" if theirs is h11.SEND_BODY and ours in (h11.DONE, h11.MUST_CLOSE) else ""

    def _make_room(self) -> None:
        """Close those that have waited longest, if there are too many of one address or in all."""
        self.waits_since = self.loop.time()
        peers: set[Any] = self.connections
        waiting = sorted((peer for peer in peers if peer.is_waiting()), key=lambda each: each.waits_since)
        own = [each for each in waiting if _address(each) == _address(self)]
        for each in {*own[: max(len(own) - FROM_ONE_ADDRESS, 0)], *waiting[: max(len(waiting) - IN_ALL, 0)]}:
            each.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Say so if nothing was said yet, and let whoever is answering know that nobody listens."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:  # the answer to a HEAD has no body
            self.transport.close()


def _address(wire: Any) -> str | None:
    return wire.client[0] if wire.client else None

"""HTTP as uvicorn speaks it, for peers that stop speaking it in the middle."""

from __future__ import annotations

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class Wire(H11Protocol):
    """Bytes that are no HTTP may follow a request that is being answered: one of the two is answered, never both."""

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

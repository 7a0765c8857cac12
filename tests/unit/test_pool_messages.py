"""A worker is sent each pool once, and one that loads other targets has none."""

from __future__ import annotations

from pathlib import Path

from fuzz import messages
from fuzz.channel import Channel
from fuzz.worker_process import WorkerProcess

OPEN = messages.Open(("t",), None, None, "slot")


class _Connection:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[messages.Request] = []

    def send_bytes(self, data: bytes) -> None:
        self.sent.append(messages.decode_request(data))


def _channel() -> Channel:
    channel = Channel.__new__(Channel)
    channel._connection = _Connection()
    channel._pool_sent = None
    return channel


def test_a_pool_is_sent_once() -> None:
    """The same one again is None on the way; another one is sent in full, and so is the first after new targets."""
    channel = _channel()
    for request in (b"one", b"one", b"other", b"one", OPEN, b"one"):
        channel.send(
            request if isinstance(request, messages.Open) else messages.Batch(3, ("small",), 4, 0, 8, 1.0, pool=request)
        )
    sent = [getattr(request, "pool", "open") for request in channel._connection.sent]
    assert sent == [b"one", None, b"other", b"one", "open", b"one"]


def test_a_worker_that_is_opened_anew_is_as_one_just_made(tmp_path: Path) -> None:
    """Its slot lies in the new folder, the old one is gone, and what it told of other targets holds no more."""
    worker = WorkerProcess.__new__(WorkerProcess)
    worker._channel = _channel()
    worker._ready = messages.Opened("simulator", "CPU", "h200", {}, {})
    worker.slot = tmp_path / "old.slot"
    worker.slot.touch()
    (tmp_path / "new").mkdir()
    worker.reopen(OPEN, tmp_path / "new")
    assert list(tmp_path.rglob("*.slot")) == []
    assert worker.slot.parent == tmp_path / "new"
    assert [request.slot for request in worker._channel._connection.sent] == [str(worker.slot)]
    assert worker._ready is None

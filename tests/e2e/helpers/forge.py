# SPDX-License-Identifier: MIT
"""For scripts that speak to the call channel themselves, as hostile code would."""
import json
import os
import socket
import struct


def find_channel():
    """The call channel: the only socket this process has."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                return int(name)
        except OSError:
            pass
    raise SystemExit("no channel found")


def frame(kind, number, head, body=b""):
    head = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<IIQHHI", len(head), len(body), number, kind, 0, 0) + head + body


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(find_channel(), view):]


def receive(count):
    data = b""
    while len(data) < count:
        part = os.read(find_channel(), count - len(data))
        if not part:
            raise SystemExit("the channel was closed")
        data += part
    return data


def reply():
    head_bytes, body_bytes, number, kind, flags, _ = struct.unpack("<IIQHHI", receive(24))
    head = json.loads(receive(head_bytes))
    receive(body_bytes)
    return number, head["result"]


CALL, REPLY, CANCEL, DONE = 2, 3, 4, 5

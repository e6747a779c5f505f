"""A small Oppi server on top of the `websockets` library's own protocol code.

It speaks just enough of the protocol for `oppi pair` and `oppi ask`. Its WebSocket code is
independent of this project: it offers compression, splits each message into small fragments and
sends a ping after each. Prints its port on the first line, then one JSON line for each received
message and for the client's close code.
"""

import asyncio
import json
import sys

from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Close, Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

FINGERPRINT = "sha256:XXEnevFwRhgjP4XbcrylhiY8z2Q6ADGfhoQQP3X-H7Q"
WORKSPACE = {"id": "-CzT5M5I", "name": "interop", "skills": [], "createdAt": 1, "updatedAt": 1}
SESSION = {"id": "_PuA2eDo", "status": "starting", "model": "m", "messageCount": 0,
           "workspaceId": WORKSPACE["id"], "workspaceName": "interop", "createdAt": 1,
           "lastActivity": 1}
ANSWERS = {
    "POST /pair": (200, {"deviceToken": "dt_INTEROP"}),
    "GET /me": (200, {"user": "owner", "name": "interop"}),
    "GET /server/info": (200, {"name": "interop", "identity": {"fingerprint": FINGERPRINT}}),
    "GET /workspaces": (200, {"workspaces": [WORKSPACE]}),
    f"POST /workspaces/{WORKSPACE['id']}/sessions": (201, {"session": SESSION}),
}
FRAGMENT = 7


def log(entry):
    print(json.dumps(entry), flush=True)


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            request_line, *fields = head.decode().split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (f.partition(":") for f in fields if f)}
            method, path, _ = request_line.split(" ")
            if headers.get("upgrade", "").lower() == "websocket":
                return await stream(head, reader, writer)
            await reader.readexactly(int(headers.get("content-length", "0")))
            status, body = ANSWERS.get(f"{method} {path}", (404, {"error": "Not found"}))
            data = json.dumps(body).encode()
            writer.write(f"HTTP/1.1 {status} OK\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for start in range(0, len(data), FRAGMENT):
                chunk = data[start:start + FRAGMENT]
                writer.write(f"{len(chunk):x};note=x\r\n".encode() + chunk + b"\r\n")
            writer.write(b"0\r\nX-Trailer: y\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


async def stream(head, reader, writer):
    protocol = ServerProtocol(extensions=[ServerPerMessageDeflateFactory()])
    protocol.receive_data(head)
    request = next(e for e in protocol.events_received() if isinstance(e, Request))
    protocol.send_response(protocol.accept(request))

    async def flush():
        for data in protocol.data_to_send():
            if data:
                writer.write(data)
            elif writer.can_write_eof():
                writer.write_eof()
        await writer.drain()

    async def send(message):
        data = json.dumps(message, ensure_ascii=False).encode()
        pieces = [data[i:i + FRAGMENT] for i in range(0, len(data), FRAGMENT)]
        for index, piece in enumerate(pieces):
            is_last = index == len(pieces) - 1
            if index == 0:
                protocol.send_text(piece, fin=is_last)
            else:
                protocol.send_continuation(piece, fin=is_last)
            protocol.send_ping(b"between")
            await flush()

    await flush()
    await send({"type": "stream_connected", "userName": "interop – ünïcode"})
    while True:
        data = await reader.read(4096)
        if data:
            protocol.receive_data(data)
        else:
            protocol.receive_eof()
        for frame in protocol.events_received():
            if isinstance(frame, Frame) and frame.opcode is Opcode.TEXT:
                await answer(json.loads(frame.data), send)
            elif isinstance(frame, Frame) and frame.opcode is Opcode.CLOSE:
                log({"close": Close.parse(frame.data).code})
        await flush()
        if not data:
            return


async def answer(message, send):
    log(message)
    result = {"type": "command_result", "command": message["type"], "success": True,
              "requestId": message["requestId"], "sessionId": message["sessionId"]}
    if message["type"] == "subscribe":
        await send({"type": "connected", "sessionId": SESSION["id"], "currentSeq": 0,
                    "session": {**SESSION, "status": "ready"}})
    if message["type"] == "prompt":
        for stage in ("accepted", "dispatched"):
            await send({"type": "turn_ack", "command": "prompt", "stage": stage,
                        "clientTurnId": message["clientTurnId"], "sessionId": SESSION["id"]})
    await send(result)
    if message["type"] == "prompt":
        await send({"type": "agent_start", "seq": 1, "sessionId": SESSION["id"]})


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if sys.version_info < (3, 9):
    sys.exit("needs Python 3.9")
asyncio.run(main())

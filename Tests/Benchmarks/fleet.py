#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the workspaces of many local servers: one in ten is unreachable, one in ten never answers.

    fleet.py OPPI [COUNT] [OPEN_FILES]

Prints the elapsed time, the peak memory, and the number of servers per state.
"""

import asyncio
import base64
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

BODY = json.dumps({"workspaces": [
    {"id": "abcdefgh", "name": "demo", "skills": [], "createdAt": 1, "updatedAt": 1}]}).encode()
ANSWER = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
          % len(BODY)) + BODY


async def answer(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.write(ANSWER)
    await writer.drain()
    writer.close()


async def silence(reader, writer):
    await asyncio.sleep(3600)


async def serve(count, ports, ready):
    servers = []
    for number in range(count):
        if number % 10 == 0:
            dead = socket.socket()
            dead.bind(("127.0.0.1", 0))
            ports.append(dead.getsockname()[1])
            servers.append(dead)
            continue
        handler = silence if number % 10 == 1 else answer
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        servers.append(server)
    ready.set()
    await asyncio.sleep(3600)


def fingerprint(number):
    digest = number.to_bytes(32, "big")
    return "sha256:" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def write(path, value):
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        json.dump(value, file)


def peak(process):
    """Waits for the end and returns the peak resident memory in MiB."""
    highest = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM"):
                        highest = int(line.split()[1])
        except OSError:
            pass
        time.sleep(0.01)
    return highest / 1024


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (own[1], own[1]))
    ports, ready = [], threading.Event()
    threading.Thread(target=lambda: asyncio.run(serve(count, ports, ready)), daemon=True).start()
    ready.wait()
    with tempfile.TemporaryDirectory() as home:
        servers = [{"id": fingerprint(n), "name": f"server {n}", "scheme": "http",
                    "host": "127.0.0.1", "port": port, "addedAt": "2026-01-01T00:00:00Z"}
                   for n, port in enumerate(ports)]
        write(f"{home}/.config/oppi/servers.json", {"version": 1, "servers": servers})
        write(f"{home}/.local/state/oppi/credentials.json",
              {"tokens": {server["id"]: "sk_token" for server in servers}})

        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        begin = time.monotonic()
        with open(f"{home}/out", "wb") as out, open(f"{home}/err", "wb") as err:
            process = subprocess.Popen([program, "workspaces", "--json"], stdout=out, stderr=err,
                                       env={"HOME": home, "PATH": os.environ["PATH"]},
                                       preexec_fn=limit)
            memory = peak(process)
        elapsed = time.monotonic() - begin
        with open(f"{home}/out") as out:
            states = {}
            for server in json.load(out)["servers"]:
                kind = server["state"]
                if server.get("error"):
                    kind += ": " + server["error"].split(":")[0].replace(server["name"], "it")
                states[kind] = states.get(kind, 0) + 1
    note = f", {files} open files" if files else ""
    print(f"{count} servers{note}: {elapsed:.2f} s, {memory:.0f} MiB, status {process.returncode}")
    for state, number in sorted(states.items()):
        print(f"  {number:5} {state}")
    os._exit(0)


main()

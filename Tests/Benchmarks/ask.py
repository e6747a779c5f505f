#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures `oppi ask` against a minimal C client, curl and a script, on a server of today.

    ask.py OPPI [OTHER-OPPI...]
    ask.py --dialects OPPI

Each round starts a new server of the tests, over http and over TLS with a pinned certificate, and
runs each client once, in random order. Build the server first, or name its program in $SERVER:

    swift build -c release --product simulate

Each program also runs in a used home: 500 asks, five servers, 1,000 cached workspaces, 200 prompts
in the outbox and 100 shortcuts. The programs are copied first, as `install` does, because a
linker's output loads more slowly than a copy of it. Only the ratios of one run are comparable. For
the round trips, a local proxy delays all bytes and adds one round trip for the connection. The
instructions of one ask are the same in every run; valgrind counts them. With --dialects only OPPI
runs, over TLS with a server of each dialect, and on the servers with device keys also with an
expired token and, at last, without the stored challenge for another one. Requires cc and OpenSSL's
headers for the C client, and curl; the node row needs node, and the instructions need valgrind.
"""

import base64
import copy
import json
import os
import queue
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.environ.get("SERVER", HERE + "/../../.build/release/simulate")
ROUNDS = 24
DELAYED_ROUNDS = 5


class Server:
    """A server, and a home that is paired with it."""

    def __init__(self, oppi, tls, dialect="deviceKeys"):
        self.home = tempfile.mkdtemp()
        self.environment = {"HOME": self.home, "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen([SERVER, "serve", dialect] + (["tls"] if tls else []),
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        invite = self.process.stdout.readline().strip()
        self.run([oppi, "pair", "-q", invite])
        self.run([oppi, "workspaces"])
        self.servers = self.home + "/.config/oppi/servers.json"
        self.port = json.load(open(self.servers))["servers"][0]["port"]
        listed = json.loads(self.run([oppi, "workspaces", "--json"]))
        self.workspace = [w for w in listed["workspaces"] if w["name"] == "demo"][0]["workspaceId"]
        self.tls = ["tls"] if tls else []
        # The first ask stores what it finds out about the server, and its access token.
        self.run([oppi, "ask", "-q", "-w", "demo", "hi"])
        if dialect == "deviceKeys":
            stored = json.load(open(self.home + "/.local/state/oppi/access-tokens.json"))
            self.token = next(iter(stored["tokens"].values()))["token"]

    def run(self, words):
        return subprocess.run(words, env=self.environment, check=True, capture_output=True).stdout

    def used(self, oppi):
        """Returns the server with a copy of the home that looks used; each program gets its own."""
        other = copy.copy(self)
        other.home = f"{self.home}/{len(os.listdir(self.home))}-used"
        other.environment = {**self.environment, "HOME": other.home}
        other.servers = other.home + "/.config/oppi/servers.json"
        for folder in (".config", ".local", ".cache"):
            shutil.copytree(f"{self.home}/{folder}", f"{other.home}/{folder}")
        fill(other, oppi)
        # The first ask migrates files of earlier versions.
        other.run([oppi, "ask", "-q", "-w", "demo", "hi"])
        return other

    def move(self, port):
        """Redirects the clients to another port."""
        contents = json.load(open(self.servers))
        contents["servers"][0]["port"] = port
        with open(self.servers, "w") as file:
            json.dump(contents, file)
        self.port = port

    def expire(self, with_challenge):
        """Makes the client believe that its access token has expired."""
        path = self.home + "/.local/state/oppi/access-tokens.json"
        contents = json.load(open(path))
        for token in contents["tokens"].values():
            token["expiresAt"] = token["issuedAt"] + 1
            if not with_challenge:
                token.pop("challenge", None)
        write(path, contents)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def fill(server, oppi):
    """Fills a home with the files of a year of use."""
    state, config = f"{server.home}/.local/state/oppi", f"{server.home}/.config/oppi"
    paired = json.load(open(server.servers))
    own = paired["servers"][0]["id"]
    for number in range(4):
        digest = base64.urlsafe_b64encode(bytes([number]) * 32).decode().rstrip("=")
        paired["servers"].append({**paired["servers"][0], "id": f"sha256:{digest}", "port": 1,
                                  "name": f"server {number}"})
    write(server.servers, paired)
    tokens = json.load(open(state + "/credentials.json"))
    tokens["tokens"].update({entry["id"]: "sk_token" for entry in paired["servers"][1:]})
    write(state + "/credentials.json", tokens)
    cache = f"{server.home}/.cache/oppi/workspaces.json"
    listed = json.load(open(cache))
    fetched = listed["servers"][own]["fetchedAt"]
    for entry in paired["servers"][1:]:
        spaces = [{"id": f"ws{entry['name'][-1]}-{n}", "name": f"{entry['name']} project {n}",
                   "description": "What is worked on there, in a sentence", "icon": "hammer"}
                  for n in range(250)]
        listed["servers"][entry["id"]] = {"fetchedAt": fetched, "workspaces": spaces}
    listed["servers"][own]["fetchedAt"] = "2026-01-01T00:00:00Z"
    write(cache, listed)
    # `oppi workspaces` rewrites the cache in the program's format; the other servers do not answer.
    subprocess.run([oppi, "workspaces"], env=server.environment, capture_output=True)
    server.run([oppi, "history", "--clear"])
    asks = [{"at": "2026-01-01T00:00:00Z", "clientTurnId": f"turn-{n}", "place": "demo/demo",
             "workspace": f"{own}|{server.workspace.split('|')[-1]}", "sessionId": f"session{n}",
             "prompt": f"Look at the failing test number {n}, and say what is wrong with it. " * 3,
             "state": "started"} for n in range(500)]
    write(state + "/history.json", {"asks": asks})
    server.run([oppi, "shortcuts", "add", "s0", "-w", "demo", "hi"])
    for number in range(1, 100):
        shutil.copy(config + "/shortcuts/s0.json", f"{config}/shortcuts/s{number}.json")
    subprocess.run([oppi, "ask", "-q", "--queue", "--key", "k0", "-w", "server 0/server 0 project 0",
                    "hi"], env=server.environment, capture_output=True)
    text = open(state + "/outbox/k0.json").read()
    for number in range(1, 200):
        with open(os.open(f"{state}/outbox/k{number}.json", os.O_CREAT | os.O_WRONLY, 0o600),
                  "w") as file:
            file.write(text.replace('"k0"', f'"k{number}"'))


def write(path, value):
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        json.dump(value, file)


def proxy(target, one_way):
    """Forwards connections with a delay in each direction; returns the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source, sink, since):
        due = queue.Queue()

        def write():
            while True:
                moment, data = due.get()
                time.sleep(max(0, moment - time.monotonic()))
                try:
                    if not data:
                        return sink.shutdown(socket.SHUT_WR)
                    sink.sendall(data)
                except OSError:
                    return

        threading.Thread(target=write, daemon=True).start()
        while True:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            due.put((max(time.monotonic(), since) + one_way, data))
            if not data:
                return

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", target))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # On loopback, accept saves the round trip that a connection takes; add it here.
            since = time.monotonic() + 2 * one_way
            for arguments in ((client, server, since), (server, client, 0)):
                threading.Thread(target=pump, args=arguments, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def curl(server):
    body = {"prompt": "hi", "idempotencyKey": str(uuid.uuid4())}
    return ["curl", "-fks", "-H", f"Authorization: Bearer {server.token}", "-H",
            "Content-Type: application/json", "-d", json.dumps(body),
            f"{'https' if server.tls else 'http'}://127.0.0.1:{server.port}"
            f"/workspaces/{server.workspace.split('|')[-1]}/sessions"]


def clients(programs, reference):
    found = {}
    for name, program in programs.items():
        ask = lambda s, program=program: [program, "ask", "-q", "-w", "demo", "hi"]
        found[f"oppi ({name})"] = ask
        found[f"oppi, used home ({name})"] = ask
    rest = lambda s: [str(s.port), s.token, s.workspace.split("|")[-1]] + s.tls
    if reference:
        found["C, the least there is"] = lambda s: [reference] + rest(s)
    found["curl"] = curl
    if shutil.which("node"):
        found["node"] = lambda s: ["node", HERE + "/peer.mjs"] + rest(s)
    return found


def measure(programs, found, tls, rounds, delay=None):
    times = {name: [] for name in found}
    for _ in range(rounds):
        server = Server(next(iter(programs.values())), tls)
        if delay:
            server.move(proxy(server.port, delay / 2))
        homes = {f"oppi, used home ({name})": server.used(program)
                 for name, program in programs.items()}
        for name in random.sample(list(found), len(found)):
            words = found[name](server)
            begin = time.perf_counter()
            homes.get(name, server).run(words)
            times[name].append((time.perf_counter() - begin) * 1000)
        server.stop()
    return {name: statistics.median(values) for name, values in times.items()}


def instructions(programs, found, tls):
    """Returns the number of instructions of each client, in millions."""
    server = Server(next(iter(programs.values())), tls)
    homes = {f"oppi, used home ({name})": server.used(program) for name, program in programs.items()}
    counts = {}
    for name in [name for name in found if name.startswith(("oppi", "C"))]:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + found[name](server),
            env=homes.get(name, server).environment, check=True, capture_output=True, text=True)
        counts[name] = int(run.stderr.split("Collected :")[1].split()[0]) / 1e6
    server.stop()
    return counts


def compare_dialects(oppi):
    """Prints the time and the round trips of an ask on servers of each dialect."""
    expired, forgotten = "deviceKeys, expired token", "deviceKeys, expired token, no challenge"
    names = ["perSession", "multiplexed", "sessionSockets", "deviceKeys", expired, forgotten]
    times = {(name, delay): [] for name in names for delay in (0, 20, 120)}
    for name, delay in random.sample(list(times) * 3, len(times) * 3):
        server = Server(oppi, True, name.split(",")[0])
        if delay:
            server.move(proxy(server.port, delay / 2000))
        # Few enough for the server's limits of tokens and challenges in a minute.
        for _ in range(2 if name == forgotten else DELAYED_ROUNDS):
            if name in (expired, forgotten):
                server.expire(name == expired)
            begin = time.perf_counter()
            server.run([oppi, "ask", "-q", "-w", "demo", "hi"])
            times[name, delay].append((time.perf_counter() - begin) * 1000)
            # The oldest servers have room for three sessions.
            server.run([oppi, "stop", "-q", "--session", "last"])
        server.stop()
    median = {key: statistics.median(values) for key, values in times.items()}
    for name in names:
        trips = "  ".join(
            f"{(median[name, delay] - median[name, 0]) / delay:4.1f} round trips at {delay} ms"
            for delay in (20, 120))
        print(f"  {median[name, 0]:7.1f} ms  {trips}  {name}")


def main():
    folder = tempfile.mkdtemp()
    programs = {}
    for program in sys.argv[1:]:
        programs[program] = f"{folder}/oppi-{len(programs)}"
        shutil.copy(program, programs[program])
    reference = folder + "/reference"
    built = subprocess.run(["cc", "-O2", "-o", reference, HERE + "/reference.c", "-lssl",
                            "-lcrypto"], capture_output=True)
    found = clients(programs, reference if built.returncode == 0 else None)
    for tls in (False, True):
        print("TLS 1.3, pinned" if tls else "http")
        base = measure(programs, found, tls, ROUNDS)
        least = base.get("C, the least there is", min(base.values()))
        late = {delay: measure(programs, found, tls, DELAYED_ROUNDS, delay / 1000)
                for delay in (20, 120)}
        counts = instructions(programs, found, tls) if shutil.which("valgrind") else {}
        for name, median in base.items():
            trips = "  ".join(f"{(late[d][name] - median) / d:4.1f} round trips at {d} ms"
                              for d in late)
            count = f"  {counts[name]:5.2f} million instructions" if name in counts else ""
            print(f"  {median:7.1f} ms  {median / least:5.2f} times C  {trips}  {name}{count}")
    shutil.rmtree(folder)


if len(sys.argv) == 3 and sys.argv[1] == "--dialects":
    compare_dialects(sys.argv[2])
else:
    main()

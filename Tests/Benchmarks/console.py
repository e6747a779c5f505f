#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures `oppi console` on a terminal of 120x40, with two servers of the tests.

    console.py OPPI [SESSIONS] [UPDATES_PER_SECOND]

The servers have 200 sessions together, of which ten a second get a prompt and answer it. Prints the
share of a core, the frames, their time and their bytes, and how long the console takes to show a
typed character; then the same over a line that passes 2 kB/s; and the bytes without any update, after
the ages of the sessions have become minutes. Build the server first, or name its program in $SERVER:

    swift build -c release --product simulate
"""

import fcntl
import json
import os
import pty
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.environ.get("SERVER", HERE + "/../../.build/release/simulate")
SECONDS = 10
SLOW_LINE = 2000  # bytes per second
QUIET = 65  # seconds until no session's age is counted in seconds
FRAME = b"\x1b[?2026h"  # begins each frame
KEYS = "αβγδεζηθικ"  # which nothing else shows
TICKS = os.sysconf("SC_CLK_TCK")
# What a program asks a terminal, and the answers: the attributes, and the status after each frame.
QUESTIONS = re.compile(rb"\x1b\[(5n|c)")
ANSWERS = {b"c": b"\x1b[?62c", b"5n": b"\x1b[0n"}


class Fleet:
    """Two servers, and a home that is paired with them."""

    def __init__(self, oppi, count):
        self.oppi, self.home = oppi, tempfile.mkdtemp()
        self.environment = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                            "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.servers = []
        for name in ("studio", "attic"):
            server = subprocess.Popen([SERVER, "serve", "deviceKeys"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
            self.servers.append(server)
            self.run("pair", "-q", "--name", name, server.stdout.readline().decode().strip())
        self.sessions = [self.ask("-w", ("studio", "attic")[number % 2] + "/demo", f"task {number}")
                         for number in range(count)]

    def run(self, *words):
        return subprocess.run([self.oppi, *words], env=self.environment, check=True,
                              capture_output=True).stdout

    def ask(self, *words):
        answer = json.loads(self.run("ask", "--json", *words))
        return answer["server"]["name"] + "/" + answer["sessionId"]

    def update(self, rate, is_over):
        """Sends prompts to one session after the other until it is over."""
        number, begin = 0, time.monotonic()
        while not is_over.wait(max(0, begin + number / rate - time.monotonic())):
            self.ask("-s", self.sessions[number % len(self.sessions)], f"again {number}")
            number += 1

    def stop(self):
        for server in self.servers:
            server.terminate()
            server.wait()
        shutil.rmtree(self.home, ignore_errors=True)


class Console:
    """The console on a pseudo-terminal, whose output a thread reads, at most `rate` bytes a second,
    and answers as a terminal does."""

    def __init__(self, fleet, rate=None):
        self.rate, self.output, self.changed = rate, bytearray(), threading.Condition()
        self.answered = 0  # the end of the last question
        self.descriptor, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            [fleet.oppi, "console"], stdin=other, stdout=other, stderr=other, env=fleet.environment,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        os.close(other)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            begin = time.monotonic()
            try:
                data = os.read(self.descriptor, self.rate // 50 if self.rate else 65536)
            except OSError:
                return
            with self.changed:
                self.output += data
                self.changed.notify_all()
            for question in QUESTIONS.finditer(self.output, self.answered):
                self.answered = question.end()
                os.write(self.descriptor, ANSWERS[question.group(1)])
            if self.rate:
                time.sleep(max(0, begin + len(data) / self.rate - time.monotonic()))

    def wait(self, holds, limit):
        """Waits until a condition of the output holds; returns whether it does, and the seconds."""
        begin = time.monotonic()
        with self.changed:
            found = self.changed.wait_for(lambda: holds(self.output), limit)
        return found, time.monotonic() - begin

    def press(self, keys):
        os.write(self.descriptor, keys.encode())

    def answer(self, key):
        """The seconds until a character of a filter is shown; the limit if it is not."""
        sign, start = key.encode(), len(self.output)
        self.press(key)
        seconds = self.wait(lambda output: output.find(sign, start) >= 0, 30)[1]
        self.press("\x7f")
        return seconds

    def seconds(self):
        """The time of the processor that the console has used."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def measure(self, seconds):
        """The share of a core, and the output."""
        used, start = self.seconds(), len(self.output)
        time.sleep(seconds)
        return (self.seconds() - used) / seconds, bytes(self.output[start:])

    def leave(self):
        self.press("\x1b\x1bq")
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def row(title, share, output, seconds, keys):
    frames = output.count(FRAME)
    cost = f"{share * seconds * 1000 / frames:6.2f} ms a frame" if frames else "     no frames    "
    answer = ""
    if keys:
        answer = f", a key {statistics.median(keys) * 1000:.0f} ms (at most {max(keys) * 1000:.0f})"
    print(f"{title:22} {share:6.1%} of a core, {frames / seconds:5.1f} frames/s, {cost}, "
          f"{len(output) / seconds:7.0f} bytes/s{answer}", flush=True)


def busy(title, fleet, rate, line=None):
    """Measures a console while its sessions change."""
    is_over = threading.Event()
    updates = threading.Thread(target=fleet.update, args=(rate, is_over))
    console = Console(fleet, line)
    console.wait(lambda output: b"task" in output, 30)
    # The list of all sessions, and a field that echoes what is typed.
    console.press("3")
    updates.start()
    time.sleep(2)
    share, output = console.measure(SECONDS)
    console.press("/")
    keys = []
    for key in KEYS:
        keys.append(console.answer(key))
        time.sleep(0.5)
    is_over.set()
    updates.join()
    console.leave()
    row(title, share, output, SECONDS, keys)


def idle(fleet):
    """Measures a console whose sessions do not change, and whose ages are minutes."""
    time.sleep(QUIET)
    console = Console(fleet)
    console.wait(lambda output: b"task" in output, 30)
    console.press("3")
    time.sleep(5)
    share, output = console.measure(SECONDS)
    console.press("/")
    keys = [console.answer(key) for key in KEYS]
    console.leave()
    row("without updates", share, output, SECONDS, keys)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    fleet = Fleet(os.path.abspath(sys.argv[1]), count)
    try:
        busy(f"{rate:.0f} updates/s", fleet, rate)
        busy(f"the same, {SLOW_LINE} bytes/s", fleet, rate, SLOW_LINE)
        idle(fleet)
    finally:
        fleet.stop()


main()

// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

@Suite("RawTerminal")
struct RawTerminalTests {
  private static let entered = "\u{1B}[?2004h\u{1B}[?1004h"
  private static let restored = "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?25h"

  /// All modes, in the order of a program on the whole screen with the mouse.
  private static let allEntered =
    entered + "\u{1B}[?1007s\u{1B}[?1007h\u{1B}[?1000h\u{1B}[?1006h"
  private static let allRestored =
    "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?1007r" + restored

  private struct Failure: Error {}

  @Test("input is raw and unechoed, and output is still processed")
  func modes() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    let terminal = try RawTerminal(descriptor: pseudo.secondary, on: EventLoop())
    #expect(pseudo.modes.isRaw)
    #expect(!pseudo.modes.mapsReturn)
    #expect(pseudo.modes.processesOutput)
    #expect(pseudo.output() == Self.entered)
    terminal.restore()
    #expect(pseudo.modes == original)
    #expect(pseudo.output() == Self.restored)
    terminal.restore()
    #expect(pseudo.output().isEmpty)
  }

  @Test("the terminal is restored when the value is released")
  func deinitialized() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    do {
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: EventLoop())
      #expect(pseudo.modes.isRaw)
      withExtendedLifetime(terminal) {}
    }
    #expect(pseudo.modes == original)
    #expect(pseudo.output() == Self.entered + Self.restored)
  }

  @Test("a descriptor that is not a terminal is rejected")
  func noTerminal() throws {
    let pipe = try Pipe(blocksWriter: false)
    let error = #expect(throws: SystemError.self) {
      try RawTerminal(descriptor: pipe.readEnd, on: EventLoop())
    }
    #expect(error == SystemError("tcgetattr", code: ENOTTY))
  }

  @Test("the terminal is restored for other programs, and raw mode returns afterwards")
  func lent() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      let raw = pseudo.modes
      #expect(await terminal.whileRestored { pseudo.modes } == original)
      #expect(pseudo.modes == raw)
      await #expect(throws: Failure.self) {
        try await terminal.whileRestored { throw Failure() }
      }
      #expect(pseudo.modes == raw)
      terminal.restore()
      await terminal.whileRestored {}
      #expect(pseudo.modes == original)
    }
  }

  @Test("keys typed for other programs are not read, but later keys are")
  func lentKeys() throws {
    let pseudo = try PseudoTerminal()
    // If the keys were taken, the test must not wait for them.
    FileDescriptor.prepare(pseudo.secondary, blocks: false)
    try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      let keys = Task(executorPreference: loop) { try await terminal.read(until: .farOff) }
      // The reader waits for keys now.
      try await loop.sleep(for: .zero)
      await terminal.whileRestored {
        pseudo.type("others\n")
        _ = try? await loop.wait(for: [.readable(pseudo.secondary)], until: .farOff)
        // Lets the reader run.
        try? await loop.sleep(for: .zero)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(pseudo.secondary, &bytes, bytes.count) == 7)
      }
      pseudo.type("mine")
      #expect(try await keys.value == Array("mine".utf8))
    }
  }

  @Test("the size is that of the terminal, or 80 by 24")
  func size() throws {
    let pseudo = try PseudoTerminal()
    let terminal = try RawTerminal(descriptor: pseudo.secondary, on: EventLoop())
    #expect(terminal.size() == (80, 24))
    pseudo.resize(columns: 132, rows: 50)
    #expect(terminal.size() == (132, 50))
    #expect(Terminal.size(of: -1) == (80, 24))
  }

  @Test("keys that send signals are read as bytes")
  func keys() throws {
    let pseudo = try PseudoTerminal()
    let bytes = try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      pseudo.type("a\r\u{03}\u{04}\u{1A}\u{13}")
      return try await terminal.read(until: .farOff)
    }
    #expect(bytes == [0x61, 0x0D, 0x03, 0x04, 0x1A, 0x13])
  }

  @Test("a read ends without keys at its deadline")
  func deadline() throws {
    let pseudo = try PseudoTerminal()
    let bytes = try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      return try await terminal.read(until: .now)
    }
    #expect(bytes == nil)
  }

  @Test("a closed terminal ends the input and discards output")
  func gone() throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    try #require(openpty(&primary, &secondary, nil, nil, nil) == 0)
    defer { close(secondary) }
    // Other processes must not keep the terminal open.
    FileDescriptor.prepare(primary)
    let (mine, its) = (primary, secondary)
    let bytes = try onLoop { loop in
      let terminal = try RawTerminal(descriptor: its, on: loop)
      close(mine)
      try await terminal.write(Array("text".utf8))
      return try await terminal.read(until: .farOff)
    }
    #expect(bytes == [])
  }

  @Test("a cancelled read throws, and the terminal is restored")
  func cancelled() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    #expect(throws: CancellationError.self) {
      try onLoop { loop in
        try await withThrowingTaskGroup { group in
          group.addTask {
            let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
            _ = try await terminal.read(until: nil)
          }
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
    #expect(pseudo.modes == original)
  }

  @Test("all output is written, also to a non-blocking descriptor", arguments: [true, false])
  func longOutput(waits: Bool) throws {
    let pseudo = try PseudoTerminal()
    FileDescriptor.prepare(pseudo.secondary, blocks: waits)
    let count = 300_000
    let received = Mutex(0)
    let isRead = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var poll = pollfd(fd: pseudo.primary, events: Int16(POLLIN), revents: 0)
      while received.withLock({ $0 }) < count, Glibc.poll(&poll, 1, 10_000) > 0 {
        let part = pseudo.output().count { $0 == "x" }
        received.withLock { $0 += part }
      }
      isRead.signal()
    }
    try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      try await terminal.write([UInt8](repeating: UInt8(ascii: "x"), count: count))
    }
    isRead.wait()
    #expect(received.withLock { $0 } == count)
  }

  @Test("every mode is restored at the end and for other programs, in reverse order")
  func allModes() throws {
    let pseudo = try PseudoTerminal()
    try onLoop { loop in
      let terminal = try RawTerminal(
        descriptor: pseudo.secondary,
        modes: [.wheelKeys, .mouse],
        on: loop
      )
      #expect(pseudo.output() == Self.allEntered)
      await terminal.whileRestored { #expect(pseudo.output() == Self.allRestored) }
      #expect(pseudo.output() == Self.allEntered)
      terminal.restore(after: Array("frame".utf8))
      #expect(pseudo.output() == "frame" + Self.allRestored)
    }
  }

  @Test("a mode that begins later is restored like the others, and one that was ended is over")
  func laterModes() throws {
    let pseudo = try PseudoTerminal()
    let mouse = TerminalMode.mouse
    try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      _ = pseudo.output()
      terminal.set(mouse, isOn: true)
      terminal.set(mouse, isOn: true)
      #expect(pseudo.output() == mouse.begin)
      await terminal.whileRestored {
        #expect(pseudo.output() == mouse.end + Self.restored)
        terminal.set(mouse, isOn: false)
        #expect(pseudo.output().isEmpty, "another program has the terminal")
        terminal.set(mouse, isOn: true)
      }
      #expect(pseudo.output() == Self.entered + mouse.begin)
      terminal.set(mouse, isOn: false)
      #expect(pseudo.output() == mouse.end)
      terminal.set(mouse, isOn: true)
      _ = pseudo.output()
      terminal.restore()
      #expect(pseudo.output() == mouse.end + Self.restored)
    }
  }

  @Test("input is dropped up to an end, for a time at most, and not after the terminal is restored")
  func drop() throws {
    let pseudo = try PseudoTerminal()
    try onLoop { loop in
      let terminal = try RawTerminal(descriptor: pseudo.secondary, on: loop)
      pseudo.type("answer")
      terminal.dropInput(for: .seconds(60)) { $0 == Array("answer".utf8) }
      pseudo.type("key")
      #expect(try await terminal.read(until: .farOff) == Array("key".utf8))
      let begin = ContinuousClock.now
      terminal.dropInput(for: .milliseconds(100)) { _ in true }
      #expect((.milliseconds(100)...(.seconds(5))).contains(ContinuousClock.now - begin))
      terminal.restore()
      pseudo.type("line\n")
      terminal.dropInput(for: .milliseconds(100)) { _ in true }
      var bytes = [UInt8](repeating: 0, count: 100)
      #expect(read(pseudo.secondary, &bytes, bytes.count) == 5)
    }
  }

  @Test("a suspended program restores the terminal while it is stopped")
  func suspend() async {
    await #expect(processExitsWith: .success) {
      let (scratch, pseudo) = (try Scratch(), try PseudoTerminal())
      let name = try #require(ttyname(pseudo.secondary).map { String(cString: $0) })
      try #require(Signals.continueOnceStopped("stty -aF \(name) >\(scratch.path("modes"))"))
      let terminal = try RawTerminal(
        descriptor: pseudo.secondary,
        modes: [.wheelKeys, .mouse],
        on: EventLoop()
      )
      #expect(terminal.suspend())
      #expect(pseudo.modes.isRaw)
      let shown = try #require(scratch.read("modes")).split(whereSeparator: \.isWhitespace)
      #expect(shown.contains("icanon") && shown.contains("echo") && shown.contains("isig"))
      #expect(pseudo.output() == Self.allEntered + Self.allRestored + Self.allEntered)
    }
  }
}

/// Signals belong to a process, so each test runs in its own.
@Suite("JobControl")
struct JobControlTests {
  @Test("a stop lasts until the job is continued")
  func stops() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo stopped >\(scratch.path("stopped"))"))
      JobControl.stop(.process)
      #expect(scratch.read("stopped") == "stopped\n")
    }
  }

  @Test("all processes of the job are stopped")
  func job() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let isStopped = "grep -q '^State:.T' /proc/$(cat \(scratch.path("other")))/status"
      let wait = "for try in $(seq 1000); do \(isStopped) && break; sleep 0.01; done"
      try #require(
        Signals.continueOnceStopped("\(wait); \(isStopped) && echo >\(scratch.path("stopped"))")
      )
      let other = popen("echo $$; exec sleep 60 >/dev/null", "r")
      var line = [CChar](repeating: 0, count: 20)
      _ = line.withUnsafeMutableBufferPointer { fgets($0.baseAddress, 20, other) }
      let process = try #require(strtol(line, nil, 10) as Int?)
      try scratch.write("\(process)", to: "other")
      JobControl.stop(.job)
      #expect(scratch.names() == ["other", "stopped"])
      kill(pid_t(process), SIGKILL)
      pclose(other)
    }
  }

  @Test("a program that ignores the signal does not stop")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      Signals.unblock()
      signal(SIGTSTP, SIG_IGN)
      #expect(!JobControl.stop(.process))
    }
  }

  @Test("a pending termination signal is detected before it is taken")
  func endRequested() async {
    await #expect(processExitsWith: .success) {
      SignalSet([SIGTERM]).whileBlocked {
        #expect(!JobControl.isEndRequested)
        raise(SIGTERM)
        #expect(JobControl.isEndRequested)
        #expect(SignalSet([SIGTERM]).takePending() == SIGTERM)
        #expect(!JobControl.isEndRequested)
      }
    }
  }
}

@Suite("Terminal")
struct TerminalTests {
  @Test("the width of a terminal is known once it is set", arguments: [1, 80, 500] as [UInt16])
  func width(columns: UInt16) throws {
    let pseudo = try PseudoTerminal()
    #expect(Terminal.isTerminal(pseudo.secondary))
    #expect(Terminal.window(of: pseudo.secondary) == (nil, nil))
    pseudo.resize(columns: columns, rows: 24)
    #expect(Terminal.window(of: pseudo.secondary) == (Int(columns), 24))
  }

  @Test("a descriptor that is not a terminal has no width")
  func noTerminal() throws {
    let pipe = try Pipe(blocksWriter: false)
    for descriptor in [pipe.readEnd, pipe.writeEnd, -1] {
      #expect(!Terminal.isTerminal(descriptor))
      #expect(Terminal.window(of: descriptor).columns == nil)
    }
  }
}

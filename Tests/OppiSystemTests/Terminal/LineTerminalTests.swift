// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

/// Signals belong to a process, so each test with signals runs in its own.
@Suite("LiveTerminal")
struct LiveTerminalTests {
  private static let showCursor = "\u{1B}[?25h"

  @Test("a resize and Ctrl-Z are each reported once")
  func events() async {
    await #expect(processExitsWith: .success) {
      Signals.unblock()
      let pseudo = try PseudoTerminal()
      try onLoop { loop in
        let terminal = try LiveTerminal(descriptor: pseudo.secondary, on: loop)
        #expect(terminal.takeEvents().isEmpty)
        raise(SIGWINCH)
        raise(SIGTSTP)
        raise(SIGWINCH)
        #expect(Set(terminal.takeEvents()) == [.resized, .suspendRequested])
        raise(SIGCONT)
        #expect(terminal.takeEvents() == [.continued])
        #expect(terminal.takeEvents().isEmpty)
      }
    }
  }

  @Test("Ctrl-Z stops the program again after the value was released")
  func gone() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo >\(scratch.path("stopped"))"))
      let pseudo = try PseudoTerminal()
      try onLoop { loop in
        let terminal = try LiveTerminal(descriptor: pseudo.secondary, on: loop)
        withExtendedLifetime(terminal) {}
      }
      raise(SIGTSTP)
      #expect(scratch.names() == ["stopped"])
    }
  }

  @Test("a suspended program shows the cursor, stops, and reports no event on return")
  func suspend() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo >\(scratch.path("stopped"))"))
      let pseudo = try PseudoTerminal()
      try onLoop { loop in
        let terminal = try LiveTerminal(descriptor: pseudo.secondary, on: loop)
        try await terminal.write(Array("frame".utf8))
        raise(SIGTSTP)
        #expect(terminal.takeEvents() == [.suspendRequested])
        terminal.suspend()
        #expect(scratch.names() == ["stopped"])
        #expect(pseudo.output() == "frame" + Self.showCursor)
        #expect(terminal.takeEvents().isEmpty)
      }
    }
  }

  @Test("the modes are not changed, and the cursor is shown at the end after any output")
  func restored() async {
    await #expect(processExitsWith: .success) {
      let pseudo = try PseudoTerminal()
      let original = pseudo.modes
      try onLoop { loop in
        do {
          let terminal = try LiveTerminal(descriptor: pseudo.secondary, on: loop)
          try await terminal.write([])
        }
        #expect(pseudo.output().isEmpty)
        do {
          let terminal = try LiveTerminal(descriptor: pseudo.secondary, on: loop)
          try await terminal.write(Array("frame".utf8))
          #expect(terminal.size() == (80, 24))
          #expect(terminal.isInForeground)
        }
        #expect(pseudo.output() == "frame" + Self.showCursor)
        #expect(pseudo.modes == original)
      }
    }
  }
}

@Suite("LineTerminal")
struct LineTerminalTests {
  @Test("the modes are restored, also after unread input was taken")
  func modes() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    let terminal = try LineTerminal(descriptor: pseudo.secondary, on: EventLoop())
    let changed = pseudo.modes
    _ = terminal.takeUnread()
    #expect(pseudo.modes == changed)
    terminal.restore()
    #expect(pseudo.modes == original)
    #expect(terminal.takeUnread().isEmpty)
    #expect(pseudo.modes == original)
  }
}

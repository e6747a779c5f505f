// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// `oppi console` on a real terminal; simulated worlds test what it does.
@Suite(.fewAtOnce) struct ConsoleTerminalTests {
  @Test("a request is read, allowed and confirmed, and leaving restores the terminal")
  func allows() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.session(asking: "deploy")
    let terminal = try ProgramOnTerminal([Executable.oppi, "console"], in: home)
    try await terminal.see("bash: git push origin main")
    try await terminal.type("2", see: "[2 Approvals (1)]")
    #expect(terminal.title == "(1) oppi console")
    try await terminal.type("\r", see: "waiting for approval: bash")
    try await terminal.see("Enter: confirm")
    try await terminal.type("a", see: "▸a ")
    try await terminal.wait(for: "the approval") { lines, _ in
      // Enter is ignored until the selection was readable.
      terminal.type("\r")
      return lines.contains { $0.contains("✓ allowed") }
    }
    // Ctrl-C leaves the request, if a repeated Enter has opened it again, and then the console.
    terminal.type("\u{03}\u{03}")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(isRestored(terminal), "\(terminal.lines)")
    #expect(server.journal.requests.count { $0.path.hasSuffix("/respond") } == 1)
  }

  @Test("without a command a terminal shows the console, or how to begin while no server is paired")
  func alone() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let terminal = try ProgramOnTerminal([Executable.oppi], in: home)
    try await terminal.see("[1 Now]")
    terminal.type("q")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    for (words, sign) in [(["--accessible"], "main menu"), (["--timeout", "9s"], "[1 Now]")] {
      let other = try ProgramOnTerminal([Executable.oppi] + words, in: home)
      try await other.see(sign)
      other.type(sign == "main menu" ? "q\r" : "q")
      #expect(try await other.status() == 0, "\(other.lines)")
    }
    let first = try ProgramOnTerminal([Executable.oppi], in: Home())
    #expect(try await first.status() == 64)
    #expect(first.lines.contains("Pair with a server: oppi pair -"), "\(first.lines)")
    #expect(first.lines.count == 3, "\(first.lines)")
  }

  @Test(
    "the terminal is restored after a termination and an interrupt",
    arguments: [SIGTERM, SIGINT]
  )
  func ends(signal: Int32) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let terminal = try ProgramOnTerminal([Executable.oppi, "console"], in: home)
    try await terminal.see("Nothing waits for you, and nothing runs.")
    terminal.signal(signal)
    #expect(try await terminal.status() == 128 + signal, "\(terminal.lines)")
    #expect(isRestored(terminal), "\(terminal.lines)")
  }

  @Test(
    "with the mouse on, every mode of the terminal is restored, however the program ends",
    arguments: [nil, SIGTERM, SIGINT],
    [true, false]
  )
  func mouse(signal: Int32?, isSetting: Bool) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    if isSetting { try await home.oppi("config", "set", "mouse", "on", exits: 0) }
    let terminal = try ProgramOnTerminal([Executable.oppi, "console"], in: home)
    try await terminal.see("Nothing waits for you, and nothing runs.")
    if !isSetting {
      #expect(!terminal.sendsMouse)
      terminal.type("M")
    }
    try await terminal.see("Shift with the mouse selects text")
    #expect(terminal.sendsMouse && !terminal.isRestored)
    terminal.type("\u{1B}[<0;1;1M\u{1B}[<0;1;1m\u{1B}[<64;1;1M")
    if let signal { terminal.signal(signal) } else { terminal.type("q") }
    #expect(try await terminal.status() == signal.map { 128 + $0 } ?? 0, "\(terminal.lines)")
    #expect(isRestored(terminal) && !terminal.sendsMouse, "\(terminal.lines)")
  }

  private func isRestored(_ terminal: ProgramOnTerminal) -> Bool {
    terminal.isRestored && terminal.title == nil
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport
import Testing

/// The accessible mode on a real terminal; simulated worlds test what it does.
@Suite(.fewAtOnce) struct AccessibleTests {
  @Test(
    "the console is a menu in which a request is read, allowed and confirmed",
    arguments: NamedDialect.allCases
  )
  func console(dialect: NamedDialect) async throws {
    let (home, server) = try await Home.paired(over: dialect)
    _ = try await home.session(asking: dialect.hasGate ? "deploy" : "gate")
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "console"],
      in: home,
      environment: ["TERM": "dumb", "ACCESSIBLE": "1"]
    )
    try await terminal.see("Accessible mode is on because of the variable ACCESSIBLE: nothing")
    try await terminal.see("2 Approvals, 1 pending")
    try await terminal.type("2\n", see: "Approvals, 1 in the list")
    terminal.type("1\n")
    // The list has a question mark, too, but for its help.
    try await terminal.see("repeat")
    // An empty line decides nothing.
    terminal.type("\n")
    try await terminal.wait(for: "the list again") { lines, _ in
      lines.count { $0.contains("Approvals, 1 in the list") } == 2
    }
    terminal.type("1\n")
    try await terminal.answer("1", until: dialect.hasGate ? "allowed once: " : "answer sent: ")
    try await terminal.type("r\n", see: " by you: ")
    terminal.type("q\n")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(terminal.isRestored, "\(terminal.lines)")
    #expect(!terminal.lines.contains { $0.contains("\u{1B}") })
    withExtendedLifetime(server) {}
  }
}

extension NamedDialect {
  /// Whether the server itself holds tool calls.
  fileprivate var hasGate: Bool { !Self.current.contains(self) }
}

extension ProgramOnTerminal {
  /// Types a line until it was accepted: lines within a second of the request are not.
  func answer(_ line: String, until sign: String) async throws {
    let refusals = Refusals()
    type(line + "\n")
    try await wait(for: sign) { [self] lines, _ in
      let count = lines.count { $0.contains("not decided: typed less than") }
      if refusals.isNew(count) {
        // The pause counts from the line that was refused.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1.2) { self.type(line + "\n") }
      }
      return lines.contains { $0.contains(sign) }
    }
  }
}

/// How many refused lines a test has seen.
private final class Refusals: Sendable {
  private let seen = Mutex(0)

  func isNew(_ count: Int) -> Bool {
    seen.withLock { seen in
      guard count > seen else { return false }
      seen = count
      return true
    }
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TerminalTestSupport
import TestSupport
import Testing

/// A chat of the real program on a real terminal, with a person before it; what is said in it is
/// tested in simulated worlds.
@Suite(.fewAtOnce) struct ChatTerminalTests {
  private static let enter = "\r"
  private static let interrupt = "\u{03}"
  private static let end = "\u{04}"

  /// A chat in a new session, in which nothing has been said.
  private struct Talk {
    let home: Home
    let server: RunningServer
    let terminal: ProgramOnTerminal

    init(terminalName: String = "xterm") async throws {
      home = try Home()
      server = try await home.paired(.multiplexedHTTP)
      terminal = try ProgramOnTerminal(
        [Executable.oppi, "chat", "-w", "demo"],
        in: home,
        environment: ["TERM": terminalName]
      )
      try await terminal.see("Session ")
      if terminalName != "dumb" { try await terminal.see("Enter sends") }
    }

    func say(_ text: String) { terminal.type(text + enter) }

    /// Waits until what is asked takes keys, which it does once nobody has typed for a second.
    func rest() async throws {
      try await terminal.wait(for: "a panel that takes keys") { lines, _ in
        lines.contains { $0.hasPrefix("Esc goes back") }
          && !lines.contains { $0.contains("your keys go to the message") }
      }
    }

    /// Selects by a letter and confirms; Enter does nothing before what is selected could be read.
    func choose(_ letter: String, until text: String) async throws {
      try await rest()
      terminal.type(letter)
      try await terminal.see("▸\(letter) ")
      terminal.type(enter)
      try await terminal.wait(for: text) { [terminal] lines, _ in
        if lines.contains(where: { $0.contains("Enter confirms it") }) { terminal.type(enter) }
        return lines.contains { $0.contains(text) }
      }
    }

    func leave() async throws {
      try await terminal.see("Enter sends")
      terminal.type(end)
      #expect(try await terminal.status() == 0, "\(terminal.lines)")
    }

    var decisions: Int { server.journal.requests.count { $0.path.hasSuffix("/respond") } }
  }

  @Test("what is typed decides on nothing; a letter and Enter let the call run")
  func allows() async throws {
    let talk = try await Talk()
    talk.say("deploy")
    try await talk.terminal.see("proposed, not yet run: bash")
    // A word and Enter at once, as of somebody who was writing.
    talk.terminal.type("and" + Self.enter)
    try await talk.terminal.see("Esc goes back to: and")
    #expect(talk.decisions == 0)
    talk.terminal.type("\u{15}")
    try await talk.choose("a", until: "The branch is pushed.")
    #expect(talk.terminal.lines.contains { $0.hasPrefix("› deploy") })
    try await talk.leave()
    #expect(talk.server.journal.runs.map(\.text) == ["deploy"])
  }

  @Test("leaving and resizing leave a screen on which nothing looks live")
  func leaves() async throws {
    let talk = try await Talk()
    talk.say("silent")
    try await talk.terminal.see("sleep 3600")
    talk.terminal.resize(columns: 50, rows: 20)
    try await talk.terminal.see("Enter queues, Tab changes that, Ctrl-C stops, Ctr…")
    talk.terminal.type(Self.end)
    #expect(try await talk.terminal.status() == 0)
    let lines = talk.terminal.lines
    #expect(!lines.contains { $0.contains("Activity") || $0.contains("Enter ") }, "\(lines)")
    let id = try #require(try talk.server.sessionIDs().first)
    #expect(try talk.server.get(talk.server.path(id)).json["session"]["status"] == "busy")
  }

  @Test("a terminal that can only print has the same abilities, line by line")
  func lines() async throws {
    let talk = try await Talk(terminalName: "dumb")
    let terminal = talk.terminal
    terminal.type("question\n")
    try await terminal.see("answer with 'answer 1 NUMBER'")
    terminal.type("answer 1 2\n")
    try await terminal.see("answer with 'answer 2 NUMBER NUMBER…'")
    terminal.type("answer 2 1 2\n")
    try await terminal.see("You answered: extras: Lint, Docs")
    try await terminal.see("turn finished")
    terminal.type("deploy\n")
    try await terminal.see("answer with 'allow 3'")
    terminal.type("allow 4\n")
    try await terminal.see("there is no open request 4")
    terminal.type("half a line" + Self.interrupt)
    terminal.type(Self.interrupt)
    try await terminal.see("turn stopped")
    terminal.type("/name the fix\n")
    try await terminal.see("name: the fix")
    terminal.type(Self.end)
    #expect(try await terminal.status() == 0)
    #expect(talk.server.journal.runs.map(\.text) == ["question", "deploy"])
  }
}

extension ChatTerminalTests {
  @Test(
    "who goes on in a session sees what was said, can open a call, and sees earlier turns",
    arguments: Line.plain
  )
  func resumes(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let first = try await home.oppi("ask", "--wait", "-w", "demo", "hello number 1")
    try #require(first.status == 0, "\(first)")
    for number in 2...5 {
      let again = try await home.oppi("ask", "--wait", "-s", "last", "hello number \(number)")
      try #require(again.status == 0, "\(again)")
    }
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "chat", "-s", "last"],
      in: home,
      rows: 60
    )
    try await terminal.see("› hello number 5")
    try await terminal.see("Enter sends")
    #expect(terminal.lines.contains("› hello number 3"))
    #expect(!terminal.lines.contains("› hello number 2"))
    terminal.type("/earlier\r")
    try await terminal.see("› hello number 1")
    terminal.type("/earlier\r")
    try await terminal.see("there is nothing earlier")
    terminal.type("/show 5\r")
    try await terminal.see("#5 bash")
    terminal.type("/show 6\r")
    try await terminal.see("there is no call 6")
    terminal.type("\u{04}")
    #expect(try await terminal.status() == 0)
    #expect(server.journal.runs.count == 5)
  }
}

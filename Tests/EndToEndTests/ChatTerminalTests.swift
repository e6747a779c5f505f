// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiText
import TestSupport
import Testing

/// `oppi chat` on a real terminal; simulated worlds test its conversations.
@Suite(.fewAtOnce) struct ChatTerminalTests {
  private static let enter = "\r"
  private static let interrupt = "\u{03}"
  private static let end = "\u{04}"

  /// A chat in a new, empty session.
  private struct ChatTerminal {
    let home: Home
    let server: RunningServer
    let terminal: ProgramOnTerminal

    init(_ line: Line = .multiplexed, terminalName: String = "xterm") async throws {
      home = try Home()
      server = try await home.paired(line)
      terminal = try ProgramOnTerminal(
        [Executable.oppi, "chat", "-w", "demo"],
        in: home,
        environment: ["TERM": terminalName]
      )
      try await terminal.see("Session ")
      if terminalName != "dumb" { try await terminal.see("Enter: send") }
    }

    func say(_ text: String) { terminal.type(text + enter) }

    /// Sends a message right after a decision, when Enter may be ignored for 1 s.
    func say(_ text: String, until sign: String) async throws {
      say(text)
      try await terminal.wait(for: sign) { [terminal] lines, _ in
        let isStopped = lines.contains { $0.contains("pause for 1 s before") }
        if !isStopped, lines.contains("› \(text)") { terminal.type(enter) }
        return lines.contains { $0.contains(sign) }
      }
    }

    /// Waits until the panel accepts keys, 1 s after the last key.
    func rest() async throws {
      try await terminal.wait(for: "a panel that takes keys") { lines, _ in
        lines.contains { $0.hasPrefix("Esc: back") }
          && !lines.contains { $0.contains("pause for 1 s to") || $0.contains("ready in 1 s") }
      }
    }

    /// Selects by a letter and confirms; Enter is ignored until the selection was readable.
    func choose(
      _ letter: String,
      until isDone: @escaping @Sendable ([String]) -> Bool
    ) async throws {
      try await rest()
      try await terminal.type(letter, see: "▸\(letter) ")
      terminal.type(enter)
      try await terminal.wait(for: "what comes of \(letter)") { [terminal] lines, _ in
        if lines.contains(where: { $0.contains("is selected; Enter confirms") }) {
          terminal.type(enter)
        }
        return isDone(lines)
      }
    }

    func leave() async throws {
      try await terminal.see("Enter: send")
      terminal.type(end)
      #expect(try await terminal.status() == 0, "\(terminal.lines)")
    }

    var decisions: Int { server.journal.requests.count { $0.path.hasSuffix("/respond") } }
  }

  @Test("new starts the chat under the name that the program was called by")
  func keepsName() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let link = home.folder.appending(path: "oppi-client").path
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: Executable.oppi
    )
    let terminal = try ProgramOnTerminal([link, "new", "-w", "demo"], in: home)
    try await terminal.see("Enter: send")
    let running = try await home.shell(
      "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null | grep '^oppi-client '"
    )
    #expect(running.outputLines.map(String.init) == ["oppi-client launch "], "\(running)")
    terminal.type(Self.end)
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
  }

  @Test("a conversation continues across a server crash", arguments: Line.plain)
  func conversation(line: Line) async throws {
    let talk = try await ChatTerminal(line)
    try await decide(in: talk)
    talk.say("deploy, and stop")
    try await talk.terminal.see("waiting for approval: bash")
    try await talk.terminal.type(Self.interrupt, see: "the turn was stopped")
    try await talk.terminal.seeNo("a allow once")
    try await comeBack(in: talk)
  }

  /// Typed text with Enter decides nothing; then one call is allowed and another is denied with a
  /// reason.
  private func decide(in talk: ChatTerminal) async throws {
    talk.say("deploy")
    try await talk.terminal.see("waiting for approval: bash")
    try await talk.terminal.type("and" + Self.enter, see: "Esc: back to: and")
    #expect(talk.decisions == 0)
    try await talk.choose("a") { $0.contains("The branch is pushed.") }
    talk.terminal.type("\u{15}")
    try await talk.say("deploy once more", until: "waiting for approval: bash")
    try await talk.rest()
    try await talk.terminal.type("r", see: "reason ›")
    talk.say("echo use a branch")
    try await talk.terminal.wait(for: "the denial") { [terminal = talk.terminal] lines, _ in
      // A reason that was typed without a pause needs a second Enter.
      if lines.contains(where: { $0.contains("Enter again") }) { terminal.type(Self.enter) }
      return lines.contains { $0.contains("✗ bash  git push origin main") }
    }
    try await talk.terminal.see("▌ echo use a branch")
    try await talk.terminal.see("The command printed: hi")
    try await talk.terminal.see("Enter: send")
    #expect(
      talk.server.journal.runs.map(\.text) == ["deploy", "deploy once more", "echo use a branch"]
    )
  }

  private func comeBack(in talk: ChatTerminal) async throws {
    let remains = await talk.server.crash()
    try await talk.terminal.see("not connected; messages are sent")
    try await talk.say("are you back", until: "not sent yet: are you back")
    let again = try FakeServer.start(talk.server.configuration, from: remains)
    try await talk.terminal.see("▌ are you back")
    try await talk.terminal.seeNo("not sent yet")
    try await talk.leave()
    #expect(again.journal.runs.map(\.text) == ["are you back"])
  }

  @Test("resizing redraws the screen, and leaving removes the draft and its keys")
  func leaves() async throws {
    let talk = try await ChatTerminal()
    talk.say("silent")
    try await talk.terminal.see("sleep 3600")
    talk.terminal.resize(columns: 50, rows: 20)
    try await talk.terminal.see("Enter: queue, Tab: steer, Ctrl-C: stop, Ctrl-D: e…")
    talk.terminal.type(Self.end)
    #expect(try await talk.terminal.status() == 0)
    let lines = talk.terminal.lines
    #expect(!lines.contains { $0.contains("Enter ") }, "\(lines)")
    let id = try #require(try talk.server.sessionIDs().first)
    #expect(try talk.server.get(talk.server.path(id)).json["session"]["status"] == "busy")
  }
}

extension ChatTerminalTests {
  @Test(
    "a resumed session shows recent turns, earlier turns and calls",
    arguments: Line.plain
  )
  func resumes(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
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
    try await terminal.see("▌ hello number 5")
    try await terminal.see("Enter: send")
    #expect(terminal.lines.contains { $0.hasPrefix("▌ hello number 3") })
    #expect(!terminal.lines.contains { $0.hasPrefix("▌ hello number 2") })
    try await terminal.type("/earlier\r", see: "▌ hello number 1")
    try await terminal.type("/earlier\r", see: "no earlier turns")
    try await terminal.type("/show 5\r", see: "#5 bash")
    try await terminal.type("/show 6\r", see: "no call 6")
    terminal.type("\u{04}")
    #expect(try await terminal.status() == 0)
    #expect(server.journal.runs.count == 5)
  }
}

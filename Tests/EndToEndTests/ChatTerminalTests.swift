// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TerminalTestSupport
import TestSupport
import Testing

/// A chat on a terminal of its own, with a person before it, against servers of each dialect.
@Suite(.fewAtOnce) struct ChatTerminalTests {
  private static let enter = "\r"
  private static let down = "\u{1B}[B"
  private static let interrupt = "\u{03}"
  private static let end = "\u{04}"

  /// A chat in a new session, in which nothing has been said.
  private struct Talk {
    let home: Home
    let server: RunningServer
    let terminal: ProgramOnTerminal

    init(_ line: Line, _ words: [String] = [], terminalName: String = "xterm") async throws {
      home = try Home()
      server = try await home.paired(line)
      terminal = try ProgramOnTerminal(
        [Executable.oppi, "chat", "-w", "demo"] + words,
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

  @Test(
    "what is typed decides on nothing; a letter and Enter let the call run",
    arguments: Line.plain
  )
  func allows(line: Line) async throws {
    let talk = try await Talk(line)
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

  @Test("a denial with a reason denies, and the agent is told why", arguments: Line.plain)
  func denies(line: Line) async throws {
    let talk = try await Talk(line)
    talk.say("deploy")
    try await talk.terminal.see("proposed, not yet run: bash")
    try await talk.choose("r", until: "reason ›")
    talk.say("use a branch")
    try await talk.terminal.see("rejected: bash: git push origin main")
    try await talk.terminal.see("› use a branch")
    try await talk.leave()
    #expect(talk.server.journal.runs.map(\.text) == ["deploy", "use a branch"])
  }

  @Test("a question is answered part by part, with several choices in one", arguments: Line.plain)
  func answers(line: Line) async throws {
    let talk = try await Talk(line)
    talk.say("question")
    try await talk.terminal.see("Which tests should I run? (1 of 2)")
    try await talk.rest()
    talk.terminal.type(Self.down + Self.down + Self.enter)
    try await talk.terminal.see("Which extras? (2 of 2)")
    talk.terminal.type(Self.down + " " + Self.down + " " + Self.enter)
    try await talk.terminal.see("You answered: extras: Lint, Docs")
    try await talk.terminal.see("scope: All tests")
    try await talk.leave()
  }

  @Test("a message waits behind the turn, another steers it, and both are told when they are heard")
  func queues() async throws {
    let talk = try await Talk(.multiplexedHTTP)
    talk.say("deploy")
    try await talk.terminal.see("proposed, not yet run: bash")
    talk.terminal.type("\u{1B}")
    try await talk.terminal.see("waits for your approval")
    talk.say("echo later")
    try await talk.terminal.see("queued: echo later")
    talk.terminal.type("\t")
    try await talk.terminal.see("Enter steers")
    talk.say("this way")
    try await talk.terminal.see("steering next: this way")
    talk.terminal.type("\u{1B}")
    try await talk.choose("a", until: "done: bash: git push")
    try await talk.terminal.see("› this way")
    try await talk.terminal.see("› echo later")
    try await talk.leave()
    #expect(!talk.terminal.lines.contains { $0.contains("queued:") })
  }

  @Test(
    "a message that the agent refuses is not claimed to be sent, and comes back",
    arguments: Line.plain
  )
  func refuses(line: Line) async throws {
    let talk = try await Talk(line)
    talk.say("refuse")
    try await talk.terminal.see("not sent: 'refuse'")
    // Once to clear what came back.
    talk.terminal.type(Self.interrupt)
    try await talk.terminal.see("cleared")
    talk.say("hello")
    try await talk.terminal.see("The command printed: hi")
    try await talk.leave()
    #expect(talk.server.journal.runs.map(\.text).last == "hello")
  }

  @Test("what is typed while the server is away is shown as not sent, and arrives once it is back")
  func away() async throws {
    let talk = try await Talk(.multiplexedHTTP)
    talk.say("hello")
    try await talk.terminal.see("The command printed: hi")
    let remains = await talk.server.crash()
    try await talk.terminal.see("connection lost")
    talk.say("are you back")
    try await talk.terminal.see("not sent yet: are you back")
    let again = try LoopbackServer.start(talk.server.configuration, from: remains)
    try await talk.terminal.see("› are you back")
    try await talk.terminal.seeNo("not sent yet")
    try await talk.leave()
    #expect(again.journal.runs.map(\.text) == ["are you back"])
  }

  @Test("who leaves while a message waits for a server that is away is told that it was not sent")
  func leavesUnsent() async throws {
    let talk = try await Talk(.multiplexedHTTP)
    talk.say("hello")
    try await talk.terminal.see("The command printed: hi")
    _ = await talk.server.crash()
    try await talk.terminal.see("connection lost")
    talk.say("are you back")
    try await talk.terminal.see("not sent yet: are you back")
    talk.terminal.type(Self.end + Self.end)
    #expect(try await talk.terminal.status() == 69)
    try await talk.terminal.see("not sent, as the session could not be reached: 'are you back'")
  }

  @Test("Ctrl-C stops a turn whose call waits for approval", arguments: Line.plain)
  func stops(line: Line) async throws {
    let talk = try await Talk(line)
    talk.say("deploy")
    try await talk.terminal.see("proposed, not yet run: bash")
    talk.terminal.type(Self.interrupt)
    try await talk.terminal.see("the turn was stopped")
    try await talk.terminal.seeNo("a allow once")
    try await talk.leave()
    #expect(try talk.server.get("/permissions/pending").json["pending"].array?.isEmpty != false)
  }

  @Test("leaving and resizing leave a screen on which nothing looks live")
  func leaves() async throws {
    let talk = try await Talk(.multiplexedHTTP)
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

  @Test("a chat in which nothing was said removes the session that it made", arguments: Line.plain)
  func empty(line: Line) async throws {
    let talk = try await Talk(line, ["--json"])
    talk.terminal.type(Self.interrupt)
    try await talk.terminal.see("Ctrl-C again leaves")
    talk.terminal.type(Self.interrupt)
    #expect(try await talk.terminal.status() == 0)
    try await talk.terminal.see("\"deleted\":true")
    #expect(try talk.server.sessionIDs().isEmpty)
  }

  @Test(
    "a terminal that can only print has the same abilities, line by line",
    arguments: Line.plain
  )
  func lines(line: Line) async throws {
    let talk = try await Talk(line, terminalName: "dumb")
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

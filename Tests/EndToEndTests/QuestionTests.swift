// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// The questions of commands at a real terminal: what was typed before is no answer.
@Suite(.fewAtOnce) struct QuestionTests {
  /// Starts a program on a terminal on which an answer was typed before.
  private static func start(
    _ words: [String],
    in home: Home,
    after typed: String
  ) async throws -> ProgramOnTerminal {
    let go = "go-\(UUID().uuidString)"
    let wait = "printf ready; \(Home.until("[ -e \(go) ]")); exec \"$0\" \"$@\""
    let shell = ["/bin/sh", "-c", wait]
    let terminal = try ProgramOnTerminal(shell + [Executable.oppi] + words, in: home)
    try await terminal.see("ready")
    terminal.type(typed + "\r")
    // The terminal has it when it shows it.
    try await terminal.see("ready\(typed)")
    try home.write("", to: go)
    return terminal
  }

  @Test("a yes that was typed before the question does not pair by a link")
  func link() async throws {
    let server = try await Line.multiplexedHTTP.start()
    let home = try Home()
    let words = ["pair", "--link", try server.makeInvite().url]
    let terminal = try await Self.start(words, in: home, after: "yes")
    try await terminal.see("Type yes")
    terminal.type("no\r")
    #expect(try await terminal.status() == 130)
    #expect(server.journal.connections == 0)
  }

  @Test("a y that was typed before the question does not confirm, and one after it does")
  func confirmation() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.session(asking: "deploy")
    for (answer, status, count) in [("\r", Int32(130), 0), ("y\r", 0, 1)] {
      let words = ["deny", "--all", "-w", "demo"]
      let terminal = try await Self.start(words, in: home, after: "y")
      try await terminal.see("[y/N]")
      terminal.type(answer)
      #expect(try await terminal.status() == status, "\(terminal.lines)")
      #expect(server.journal.requests.count { $0.path.hasSuffix("/respond") } == count)
    }
  }

  @Test("an unsigned invite for another address shows the old one, and pairs only after yes")
  func moved() async throws {
    let (home, server) = try await Home.paired()
    let path = home.folder.appending(path: ".config/oppi/servers.json").path
    let port = String(server.port)
    _ = try await home.shell("sed -i 's/\(port)/1/' '\(path)'")
    for (answer, status) in [("no", Int32(130)), ("yes", 0)] {
      let words = ["pair", try server.makeInvite().url]
      let connections = server.journal.connections
      let terminal = try await Self.start(words, in: home, after: "yes")
      try await terminal.see("Type yes")
      let shown = terminal.lines.joined(separator: "\n")
      #expect(shown.contains("old address") && shown.contains("http://127.0.0.1:1\n"), "\(shown)")
      #expect(shown.contains("http://127.0.0.1:\(port)"), "\(shown)")
      #expect(server.journal.connections == connections)
      terminal.type("\(answer)\r")
      #expect(try await terminal.status() == status, "\(terminal.lines)")
    }
    #expect(try await home.oppi("sessions").status == 0)
  }
}

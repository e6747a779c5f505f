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
    after typed: String,
    environment: [String: String] = [:]
  ) async throws -> ProgramOnTerminal {
    let go = "go-\(UUID().uuidString)"
    let wait = "printf ready; \(Home.until("[ -e \(go) ]")); exec \"$0\" \"$@\""
    let shell = ["/bin/sh", "-c", wait]
    let terminal = try ProgramOnTerminal(
      shell + [Executable.oppi] + words,
      in: home,
      environment: environment
    )
    try await terminal.see("ready")
    terminal.type(typed + "\r")
    // The terminal has it when it shows it.
    try await terminal.see("ready\(typed)")
    try home.write("", to: go)
    return terminal
  }

  @Test("a yes that was typed before the question does not pair by a link")
  func link() async throws {
    let server = try await Line.multiplexed.start()
    let home = try Home()
    let words = ["pair", "--link", try server.makeInvite().url]
    let terminal = try await Self.start(words, in: home, after: "yes")
    try await terminal.see("Type yes")
    terminal.type("no\r")
    #expect(try await terminal.status() == 130)
    #expect(server.journal.connections == 0)
  }

  /// Expects that a word that was typed before a question does not answer it, and that the one
  /// after it does; `count` is how often the command has done what it asks about.
  private static func expectAnswers(
    to words: [String],
    in home: Home,
    asking prompt: String = "[y/N]",
    environment: [String: String] = [:],
    _ count: () async throws -> Int
  ) async throws {
    for (early, answer, status, done) in [("y", "n", Int32(130), 0), ("n", "y", 0, 1)] {
      let terminal = try await start(words, in: home, after: early, environment: environment)
      try await terminal.see(prompt)
      #expect(try await count() == 0, "\(words)")
      terminal.type("\(answer)\r")
      #expect(try await terminal.status() == status, "\(words) \(terminal.lines)")
      #expect(try await count() == done, "\(words)")
    }
  }

  @Test("requests are denied by what was typed after the question")
  func denial() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.session(asking: "deploy")
    try await Self.expectAnswers(to: ["deny", "--all", "-w", "demo"], in: home) {
      server.journal.requests.count { $0.path.hasSuffix("/respond") }
    }
  }

  @Test("a device is revoked by what was typed after the question", .needs("openssl"))
  func revocation() async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys)
    let devices = try await home.oppi("servers", "devices")
    let id = try #require(devices.outputLines.first?.split(separator: "\t").first, "\(devices)")
    try await Self.expectAnswers(to: ["servers", "revoke", String(id)], in: home) {
      server.journal.requests.count { $0.method == "DELETE" }
    }
  }

  @Test("a schedule is added by what was typed after the question")
  func schedule() async throws {
    let (home, _) = try await Home.paired()
    let made = try await home.oppi("shortcuts", "add", "standup", "-w", "demo", "hello")
    try #require(made.status == 0, "\(made)")
    let crontab = """
      #!/bin/sh
      case $1 in
      -l) echo "no crontab for me" >&2; exit 1 ;;
      -h) ;;
      *) cp -- "$1" "$HOME/installed" ;;
      esac
      """
    try home.write(crontab, to: "bin/crontab", isExecutable: true)
    let words = ["schedule", "add", "standup", "--every", "1h", "--backend", "cron"]
    let path = "\(home.folder.path)/bin:/usr/local/bin:/usr/bin:/bin"
    let installed = home.folder.appending(path: "installed").path
    try await Self.expectAnswers(
      to: words,
      in: home,
      asking: "[Y/n]",
      environment: ["PATH": path]
    ) {
      FileManager.default.fileExists(atPath: installed) ? 1 : 0
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

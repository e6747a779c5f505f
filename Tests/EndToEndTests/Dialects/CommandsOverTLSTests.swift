// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// The real program over TLS with servers of each dialect.
@Suite("Commands over TLS", .fewAtOnce, .needs("openssl"))
struct CommandsOverTLSTests {
  @Test(
    "each command of a user has the outcome of its row in the table",
    arguments: NamedDialect.allCases
  )
  func table(dialect: NamedDialect) async throws {
    var user = try await User(of: dialect)
    for row in CommandRow.table {
      if let prompt = row.prompt { try await user.waitForRequest(of: prompt) }
      if row.words.contains("DEVICE") { try await user.findDevice() }
      let outcome = try await user.run(row)
      let expected = row.expected(of: dialect)
      let line = row.words.joined(separator: " ")
      #expect(outcome.status == expected.status, "\(line)\n\(outcome)")
      #expect(try user.matches(outcome.output, expected.output), "\(line)\n\(outcome)")
      #expect(try user.matches(outcome.errors, expected.errors), "\(line)\n\(outcome)")
    }
    let unknown = user.server.journal.requests.filter { $0.status == 401 }
    #expect(unknown.allSatisfy { _ in dialect == .deviceKeys }, "\(unknown)")
  }

  @Test("watch keeps the snapshot of the status", arguments: NamedDialect.allCases)
  func watch(dialect: NamedDialect) async throws {
    let (home, server) = try await Home.paired(over: dialect)
    let id = try await home.session(asking: "deploy")
    let outcome = try await home.shell(
      """
      mkdir -m 700 run; export XDG_RUNTIME_DIR=$PWD/run
      oppi watch --no-notifications & watch=$!
      \(Home.until("grep -qs -e '\(id)' run/oppi/status.json"))
      oppi status --json
      kill -TERM $watch; wait $watch
      """
    )
    #expect(outcome.status == 143, "\(outcome)")
    #expect(outcome.output.contains(#""status":"awaiting"#), "\(outcome)")
    #expect(outcome.errors.isEmpty, "\(outcome)")
    #expect(server.journal.runs.count == 1)
  }

  @Test("a chat sends a message and shows its answer", arguments: NamedDialect.allCases)
  func chat(dialect: NamedDialect) async throws {
    let (home, server) = try await Home.paired(over: dialect)
    let terminal = try await home.chat()
    try await terminal.type("two tools\n", see: "Both are done.")
    try await terminal.see("turn finished")
    terminal.type("\u{04}")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(server.journal.runs.map(\.text) == ["two tools"])
  }
}

extension CommandsOverTLSTests {
  /// A user of one server, who is not paired yet.
  private struct User {
    let home: Home
    let server: RunningServer
    /// The ids that rows refer to.
    var request = "none"
    var device = "none"

    init(of dialect: NamedDialect) async throws {
      home = try Home()
      server = try await Line.encrypted.start { $0.set(dialect) }
      try home.write(Self.menu, to: "bin/rofi", isExecutable: true)
      let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      try Data(picture + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0])
        .write(to: home.folder.appending(path: "picture.png"))
    }

    /// A menu that selects the first row, and then types a text.
    private static let menu = """
      #!/bin/sh
      if [ -n "$(cat)" ]; then echo 0; else echo hello; fi
      """

    func run(_ row: CommandRow) async throws -> Outcome {
      let words = row.words.map { word in
        word == "REQUEST" ? request : word == "DEVICE" ? device : word
      }
      return try await home.oppi(
        words,
        input: words.first == "pair" ? server.makeInvite().url : nil,
        environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":9"]
      )
    }

    /// Whether a text is as expected; `ID` and `TIME` in the pattern stand for any.
    func matches(_ text: String, _ pattern: String) throws -> Bool {
      let pattern = pattern.replacing("REQUEST", with: request)
        .replacing("ID", with: "[A-Za-z0-9_-]{8,36}")
        .replacing("TIME", with: #"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"#)
      return try Regex(pattern).dotMatchesNewlines().wholeMatch(in: text) != nil
    }

    /// Sends a prompt and waits until its request is listed.
    mutating func waitForRequest(of prompt: String) async throws {
      let id = try await home.session(asking: prompt)
      while true {
        let list = try await home.oppi("approvals", "--json")
        try #require(list.status == 0, "\(list)")
        let approvals = try list.json()["approvals"] as? [[String: Any]] ?? []
        if let own = approvals.first(where: { $0["sessionId"] as? String == id }) {
          request = try #require(own["id"] as? String, "\(list)")
          return
        }
        try Task.checkCancellation()
      }
    }

    /// Reads the id of this machine, on servers that list devices.
    mutating func findDevice() async throws {
      let list = try await home.oppi("servers", "devices", "--json")
      guard list.status == 0 else { return }
      let devices = try list.json()["devices"] as? [[String: Any]]
      device = try #require(devices?.first?["id"] as? String, "\(list)")
    }
  }
}

// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiText
import OppiWire
import TestSupport
import Testing

/// `oppi show` of a whole conversation; simulated worlds compare it with other commands.
@Suite(.fewAtOnce) struct ShowTests {
  @Test("a conversation is shown whole, in part, and call by call")
  func conversation() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.session(asking: "hello", "--wait")
    _ = try await home.oppi("ask", "-s", "last", "--wait", "two tools")
    let all = try await home.oppi("show", "--all")
    #expect(
      all.output == """
        › hello

        Let me run a quick command.

        #1 bash: echo hi (done)

        The command printed: hi

        (Finished)

        › two tools

        Both at once.

        #2 bash: echo one (done)

        #3 bash: echo two (done)

        Both are done.

        (Finished)


        """,
      "\(all)"
    )
    let document = try await home.oppi("show", "--turns", "5", "--json").json()
    let turns = try #require(document["turns"] as? [[String: Any]])
    #expect(turns.map { $0["number"] as? Int } == [1, 2])
    let numbers = turns.flatMap { turn in
      (turn["calls"] as? [[String: Any]] ?? []).map { $0["number"] as? Int }
    }
    #expect(numbers == [1, 2, 3])
    #expect(try await home.oppi("show", "--call", "2").output == "one\n")
    let call = try await home.oppi("show", "--call", "3", "--json").json()["call"] as? [String: Any]
    #expect(call?["output"] as? String == "two\n")
    let missing = try await home.oppi("show", "--call", "4")
    #expect(missing.status == 66 && missing.errors.contains("calls 1 to 3"), "\(missing)")
    for words in [["--all", "--turns", "2"], ["--turns", "0"], ["--call", "1", "--all"]] {
      #expect(try await home.oppi(["show"] + words).status == 64)
    }
  }

  @Test("show formats a turn on a terminal and in a pipe with --color always", .needs("script"))
  func eyes() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.session(asking: "hello", "--wait")
    let terminal = try await home.shell(
      "TERM=xterm script -qec 'oppi show' /dev/null </dev/null"
    )
    #expect(terminal.status == 0, "\(terminal)")
    #expect(terminal.output.contains("\u{1B}[1m› \u{1B}[0m"), "\(terminal)")
    #expect(terminal.output.contains("#1"), "\(terminal)")
    let piped = try await home.oppi("show", "--color", "always")
    #expect(piped.output.contains("\u{1B}[1m› \u{1B}[0m"), "\(piped)")
    #expect(piped.output.contains("The command printed: hi"), "\(piped)")
  }

  @Test("a session without turns has nothing to show")
  func nothing() async throws {
    let (home, server) = try await Home.paired()
    let workspace = server.configuration.workspaces[0].id
    let created = try server.call("POST", "/workspaces/\(workspace)/sessions", body: [:]).json
    let id = try #require(created["session"]["id"].string)
    let shown = try await home.oppi("show", "--", id)
    #expect(shown.status == 0 && shown.output.isEmpty, "\(shown)")
    #expect(shown.errors.contains("has no turns"), "\(shown)")
    #expect(try await home.oppi("show", "--json", "--", id).json()["state"] as? String == "idle")
    #expect(try await home.oppi("show", "nosuchid").status == 66)
  }
}

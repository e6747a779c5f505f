// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// `oppi show`, compared with `oppi ask --wait` and `oppi follow`; simulated worlds compare all
/// outcomes.
@Suite(.fewAtOnce) struct ShowTests {
  @Test("ask --wait, follow and show report the same turn", arguments: Line.plain)
  func agrees(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    let asked = try await home.oppi("ask", "-w", "demo", "--wait", "--json", "hello")
    let waited = try asked.json()
    let id = try #require(waited["sessionId"] as? String)
    let followed = try await home.oppi("follow", "--json", "--", id)
    let streams = server.streams
    let piped = try await home.shell(
      "x=$(oppi show last 2>/dev/null); s=$?; printf %s \"$x\"; exit $s"
    )
    #expect(piped.output == waited["response"] as? String, "\(piped)")
    #expect([asked.status, followed.status, piped.status] == [0, 0, 0], "\(piped)")
    let end = try #require(try followed.jsonLines().last)
    #expect(end["outcome"] as? String == waited["state"] as? String, "\(followed)")
    #expect(server.streams == streams)
  }

  @Test("show reports a running turn and a pending request", arguments: Line.plain)
  func running(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    let slow = try await home.session(asking: "slow")
    try await server.poll(server.path(slow)) { json in
      json["trace"].array?.contains { $0["type"] == "toolCall" } == true
    }
    let running = try await home.oppi("show", "--json", "--", slow, exits: 75)
    #expect(try running.json()["state"] as? String == "running", "\(running)")
    let calls = try #require((try running.json()["turns"] as? [[String: Any]])?.last?["calls"])
    #expect((calls as? [[String: Any]])?.map { $0["state"] as? String } == ["running"])
    let piped = try await home.oppi("show", "--", slow)
    #expect(piped.output.isEmpty && piped.errors.contains("oppi follow \(word(slow))"), "\(piped)")

    let deploy = try await home.session(asking: "deploy", "--wait", "--on-ask", "fail")
    let waiting = try await home.oppi("show", "--json", "--", deploy, exits: 3)
    #expect(try waiting.json()["state"] as? String == "waiting", "\(waiting)")
    let words = try await home.oppi("show", "--", deploy)
    #expect(words.errors.contains("git push origin main"), "\(words)")
    #expect(words.errors.contains("oppi follow \(word(deploy))"), "\(words)")
  }

  /// An ID as a hint writes it in a command: an ID may begin with a hyphen.
  private func word(_ id: String) -> String { id.hasPrefix("-") ? "-- \(id)" : id }

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

// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// The real program with two servers whose workspaces, sessions and requests have the same ids.
@Suite(.fewAtOnce, .needs("openssl")) struct EqualIDProgramTests {
  private static let dialects: [NamedDialect] = [.multiplexed, .deviceKeys]

  /// The servers studio and attic, and a home that is paired with both.
  private struct Twins {
    let home: Home
    let studio: RunningServer
    let attic: RunningServer
    let session: String
    let request: String

    /// The same prompt, which needs approval, waits on both.
    init(_ dialect: NamedDialect) async throws {
      home = try Home()
      var servers: [RunningServer] = []
      var requests: [[String]] = []
      for name in ["studio", "attic"] {
        let server = try await home.paired(over: dialect) { ($0.name, $0.countsIDs) = (name, true) }
        servers.append(server)
        let prompt = NamedDialect.current.contains(dialect) ? "ask confirm" : "deploy"
        let asked = try await home.oppi(
          ["ask", "-w", "\(name)/demo", "--wait", "--on-ask", "fail", prompt]
        )
        try #require(asked.status == 3, "\(asked)")
        let list = try await home.oppi("approvals", "--json", "--server", name)
        requests += list.rows("approvals").map {
          ["\($0["sessionId"] ?? "")", "\($0["id"] ?? "")"]
        }
      }
      (studio, attic) = (servers[0], servers[1])
      try #require(requests.count == 2 && Set(requests).count == 1, "\(requests)")
      (session, request) = (requests[0][0], requests[0][1])
    }

    /// Checks that an id alone names both servers, and that nothing was sent.
    func expectUnclear(_ words: [String], _ names: [String]) async throws {
      let decided = decisions
      let outcome = try await home.oppi(words)
      #expect(outcome.status == 64, "\(words): \(outcome)")
      for name in names { #expect(outcome.errors.contains(name), "\(words): \(outcome)") }
      #expect(outcome.output.isEmpty && decisions == decided, "\(words): \(outcome)")
    }

    /// The replies that studio and attic got.
    var decisions: [Int] {
      [studio, attic].map { server in
        server.journal.requests.count { request in
          ["/respond", "/command"].contains { request.path.hasSuffix($0) }
        }
      }
    }

    /// The servers of the pending requests.
    func waiting() async throws -> [String] {
      try await home.oppi("approvals", "--json").servers(of: "approvals")
    }
  }

  @Test(
    "a request is listed for each server, and decided only on the named one",
    arguments: dialects
  )
  func decides(dialect: NamedDialect) async throws {
    let twins = try await Twins(dialect)
    #expect(try await twins.waiting() == ["attic", "studio"])
    let isQuestion = NamedDialect.current.contains(dialect)
    let answer = isQuestion ? ["answer", "--yes"] : ["approve"]
    for words in [answer, ["approve"], ["deny"], ["approvals", "show"]] {
      try await twins.expectUnclear(words + [twins.request], ["studio", "attic"])
    }
    let shown = try await twins.home.oppi("approvals", "show", "--server", "attic", twins.request)
    #expect(shown.output.contains("attic/\(twins.session)"), "\(shown)")
    let approved = try await twins.home.oppi("approve", "--server", "attic", twins.request)
    #expect(approved.status == 0, "\(approved)")
    #expect(twins.decisions == [0, 1])
    #expect(try await twins.waiting() == ["studio"])
    // Now only one server has the request.
    let last = try await twins.home.oppi(answer + [twins.request])
    #expect(last.status == 0, "\(last)")
    #expect(twins.decisions == [1, 1])
    #expect(try await twins.waiting().isEmpty)
  }

  @Test("a session and a workspace are ambiguous by id alone", arguments: dialects)
  func sessions(dialect: NamedDialect) async throws {
    let twins = try await Twins(dialect)
    let (id, home) = (twins.session, twins.home)
    let names = ["studio/\(id)", "attic/\(id)"]
    for words in [["show"], ["stop"], ["stop", "--session"], ["ask", "more", "-s"], ["follow"]] {
      try await twins.expectUnclear(words + [id], names)
    }
    for workspace in ["demo", twins.studio.configuration.workspaces[0].id] {
      let places = ["studio", "attic"]
      try await twins.expectUnclear(["ask", "-w", workspace, "more"], places)
    }
    for (server, name) in [(twins.studio, "studio"), (twins.attic, "attic")] {
      #expect(server.journal.runs.count == 1)
      let shown = try await home.oppi("show", "--json", "\(name)/\(id)", exits: 3)
      #expect((try shown.json()["server"] as? [String: Any])?["name"] as? String == name)
    }
    let list = try await home.oppi("sessions", "--json")
    #expect(list.servers(of: "sessions") == ["attic", "studio"], "\(list)")
    try await home.oppi("stop", "--session", "attic/\(id)", exits: 0)
    #expect(try await twins.waiting() == ["studio"])
    try await home.oppi("ask", "-w", "attic/webapp", "--wait", "hello", exits: 0)
    #expect(twins.studio.journal.runs.count == 1)
    #expect(twins.attic.journal.runs.map(\.text).last == "hello")
  }

  @Test("status and completion name the server of each session and request", arguments: dialects)
  func completion(dialect: NamedDialect) async throws {
    let twins = try await Twins(dialect)
    let home = twins.home
    let status = try await home.oppi("status", "--json").json()
    #expect(status["pendingApprovals"] as? Int == 2, "\(status)")
    #expect((status["sessions"] as? [String: Any])?["waiting"] as? Int == 2, "\(status)")
    for name in ["studio", "attic"] {
      let one = try await home.oppi("status", "--server", name, "--json").json()
      let server = (one["session"] as? [String: Any])?["server"] as? [String: Any]
      #expect(server?["name"] as? String == name && one["pendingApprovals"] as? Int == 1, "\(one)")
    }
    let isQuestion = NamedDialect.current.contains(dialect)
    for command in isQuestion ? ["approve", "deny", "answer"] : ["approve", "deny"] {
      let words = try await home.oppi("__complete", "--", command, "")
      let rows = words.outputLines.filter { $0.hasPrefix("\(twins.request)\t") }
      for name in ["studio/demo", "attic/demo"] {
        #expect(rows.count { $0.contains(name) } == 1, "\(command): \(words)")
      }
      let chosen = try await home.oppi("__complete", "--", command, "--server", "attic", "")
      #expect(chosen.output.contains("attic") && !chosen.output.contains("studio"), "\(chosen)")
    }
    let shown = try await home.oppi("__complete", "--", "show", "")
    let offers = Set(shown.outputLines.map { String($0.prefix { $0 != "\t" }) })
    #expect(
      offers.isSuperset(of: ["studio/\(twins.session)", "attic/\(twins.session)"]),
      "\(shown)"
    )
    #expect(!offers.contains(twins.session), "\(shown)")
  }

  @Test(
    "a menu names the server of each request, and decides on the selected one",
    arguments: dialects
  )
  func menu(dialect: NamedDialect) async throws {
    let twins = try await Twins(dialect)
    // Selects a denial, else the row of attic, by its number.
    let script = #"""
      #!/bin/sh
      rows=$(cat)
      printf '%s\n' "$rows" >>"$HOME/rows"
      row=$(printf '%s\n' "$rows" | grep -nE '^(Deny|Answer no|No)' | head -n 1)
      [ -n "$row" ] || row=$(printf '%s\n' "$rows" | grep -n attic | head -n 1)
      echo $((${row%%:*} - 1))
      """#
    try twins.home.write(script, to: "bin/rofi", isExecutable: true)
    let outcome = try await twins.home.oppi(
      ["pick", "approvals", "--gui", "never"],
      environment: ["PATH": "\(twins.home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":9"]
    )
    let rows = try await twins.home.shell("cat rows").output
    #expect(outcome.status == 0, "\(outcome)\n\(rows)")
    for name in ["studio/demo", "attic/demo"] { #expect(rows.contains(name), "\(rows)") }
    #expect(twins.decisions == [0, 1], "\(outcome)\n\(rows)")
    #expect(try await twins.waiting() == ["studio"])
  }
}

extension Outcome {
  /// The objects of a list in the output.
  fileprivate func rows(_ list: String) -> [[String: Any]] {
    (try? json())?[list] as? [[String: Any]] ?? []
  }

  /// The names of the servers in a list, sorted.
  fileprivate func servers(of list: String) -> [String] {
    rows(list).compactMap { ($0["server"] as? [String: Any])?["name"] as? String }.sorted()
  }
}

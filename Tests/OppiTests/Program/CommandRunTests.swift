// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

/// The exact output of commands on a terminal, in a pipe and as JSON.
@Suite struct CommandRunTests {
  /// A command line, with the command lines that run before it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var words: [String]
    var before: [[String]] = []

    var testDescription: String { name }
  }

  private static let ask = ["ask", "-w", "demo", "--wait", "hello"]

  @Test(
    "the output in each form is as recorded",
    arguments: [
      Case(name: "workspaces", words: ["workspaces"]),
      Case(name: "workspaces-none", words: ["workspaces", "--match", "nothing"]),
      Case(name: "workspaces-unreachable", words: ["workspaces"], before: [["STOP"]]),
      Case(name: "workspaces-stale", words: ["workspaces"], before: [["workspaces"], ["STOP"]]),
      Case(name: "servers-list", words: ["servers", "list"]),
      Case(
        name: "servers-list-none",
        words: ["servers"],
        before: [["servers", "forget", "studio"]]
      ),
      Case(name: "servers-show", words: ["servers", "show", "studio"]),
      Case(name: "servers-test", words: ["servers", "test"]),
      Case(name: "servers-test-unreachable", words: ["servers", "test"], before: [["STOP"]]),
      Case(name: "status", words: ["status"]),
      Case(name: "status-unreachable", words: ["status"], before: [["STOP"]]),
      Case(name: "stop", words: ["stop", "last"], before: [ask]),
      Case(name: "new-print-target", words: ["new", "--print-target"]),
      Case(
        name: "launch-print",
        words: ["launch", "--print"],
        before: [["new", "--print-target"]]
      ),
      Case(
        name: "config-show",
        words: ["config"],
        before: [["config", "set", "workspace", "demo"]]
      ),
      Case(name: "pair", words: ["pair", "INVITE"]),
      Case(name: "ask", words: ["ask", "-w", "demo", "hello"]),
      Case(name: "ask-wait", words: ask),
      Case(name: "follow-past", words: ["follow", "last"], before: [ask]),
    ]
  )
  func forms(_ test: Case) async throws {
    var transcript = ""
    for (title, form) in [("terminal", OutputForm.terminal), ("pipe", .pipe), ("JSON", .json)] {
      let bench = try CommandBench()
      for line in test.before {
        if line == ["STOP"] {
          await bench.server.stop()
        } else {
          let outcome = try bench.run(bench.words(line))
          try #require(outcome.status == 0, "\(outcome)")
        }
      }
      let outcome = try bench.run(bench.words(test.words), form: form)
      transcript += "=== \(title)\n\(steady(outcome.description, bench))\n"
    }
    try Snapshot.check(transcript, "run-\(test.name).txt")
  }

  /// Replaces the parts of a text that differ between runs.
  private func steady(_ text: String, _ bench: CommandBench) -> String {
    text.replacing(bench.server.fingerprint.text, with: "sha256:FINGERPRINT")
      .replacing(bench.homeFolder, with: "HOME")
      .replacing(":\(bench.server.port)", with: ":PORT")
      .replacing("\"port\":\(bench.server.port)", with: "\"port\":PORT")
      .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#, with: "TIME")
      .replacing(#/stale, \d+ (s|min) old/#, with: "stale, AGE old")
      .replacing(#/STATE(\S*) +/#) { "STATE\($0.1)  " }  // as wide as the age
      .replacing(#/"ageSeconds":\d+/#, with: "\"ageSeconds\":AGE")
      .replacing(#/"state":"(started|accepted)"/#, with: "\"state\":\"started or accepted\"")
      .replacing(#/"elapsedMs":\d+/#, with: "\"elapsedMs\":MS")
      .replacing(#/\d+ ms/#, with: "MS ms")
      .replacing(#/"clientTurnId":"[^"]+"/#, with: "\"clientTurnId\":\"TURN\"")
      .replacing(#/"sessionId":"[^"]+"/#, with: "\"sessionId\":\"SESSION\"")
      .replacing(#/(?m)^[A-Za-z0-9_-]{8}$/#, with: "SESSION")
      .replacing(#/([Ss])ession [A-Za-z0-9_-]{8} /#) { "\($0.1)ession SESSION " }
      .replacing(#/[A-Za-z0-9_-]{8} was not/#, with: "SESSION was not")
  }

  @Test("a narrow terminal shows every workspace id, and a pipe gets the full names")
  func narrow() throws {
    let name = String(repeating: "long ", count: 12) + "name"
    let bench = try CommandBench { $0.workspaces[0].name = name }
    let lines = try bench.run(["workspaces", "--color", "never"], form: .terminal, width: 40)
      .outputLines
    #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 40 }, "\(lines)")
    #expect(lines.count == 3 && lines[1].contains("…  demo0001"), "\(lines)")
    let piped = try bench.run(["workspaces"]).output
    #expect(piped.contains("\(bench.server.fingerprint.text)|demo0001\t\(name)\t"))
  }

  @Test("a list that is processed off the event loop is complete and sorted")
  func manyWorkspaces() throws {
    let count = 3000
    let bench = try CommandBench { configuration in
      configuration.workspaces = (0..<count).map { number in
        let text = String(number)
        let padded = String(repeating: "0", count: 5 - text.count) + text
        return Workspace(
          id: "ws\(padded)",
          name: "\(number.isMultiple(of: 2) ? "Api" : "api") \(padded)"
        )
      }
      .reversed()
    }
    for words in [["workspaces"], ["workspaces", "--offline"]] {
      let lines = try bench.run(words).output.split(separator: "\n")
      let names = lines.map { String($0.split(separator: "\t")[1]).lowercased() }
      #expect(names.count == count && names == names.sorted())
      let json = try JSONValue(parsing: Array(bench.run(words, form: .json).output.utf8))
      #expect(json["workspaces"].array?.count == count)
      #expect(json["workspaces"].array?.first?["workspaceId"] == "ws00000")
    }
  }
}

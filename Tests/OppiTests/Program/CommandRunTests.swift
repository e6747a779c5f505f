// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// The exact output of commands on a terminal, in a pipe and as JSON.
@Suite struct CommandRunTests {
  /// A command line, with the command lines that run before it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var words: [String]
    var before: [[String]] = []

    var testDescription: String { name }
  }

  private static let workspaces = [
    Workspace(id: "demo0001", name: "demo", icon: "hammer", description: "Demo repository"),
    Workspace(id: "webapp01", name: "webapp", defaultModel: "anthropic/claude-opus-4-6"),
  ]
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
  func forms(_ test: Case) throws {
    let transcript = Mutex("")
    for (title, form) in [("terminal", OutputForm.terminal), ("pipe", .pipe), ("JSON", .json)] {
      inWorld(where: \.workspaces, is: Self.workspaces) { world, server in
        for line in test.before {
          if line == ["STOP"] {
            await server.end(.inOrder)
          } else {
            await world.oppi(line, exits: 0)
          }
        }
        let words = test.words.map { $0 == "INVITE" ? server.inviteText() ?? "" : $0 }
        let outcome = try await world.oppi(words, as: form)
        transcript.withLock { $0 += "=== \(title)\n\(outcome.transcript)\n" }
      }
    }
    try Snapshot.check(transcript.withLock(\.self), "run-\(test.name).txt")
  }

  @Test("a narrow terminal shows every workspace id, and a pipe gets the full names")
  func narrow() {
    let name = String(repeating: "long ", count: 12) + "name"
    inWorld { configuration in
      configuration.workspaces[0].name = name
    } _: { world, server in
      let terminal = world.start(["workspaces"], columns: 40, environment: ["TERM": "dumb"])
      let lines = try await terminal.end().lines
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= 40 }, "\(lines)")
      let id = server.workspaces[0].id
      #expect(lines.count == 3 && lines[1].contains("…  \(id)"), "\(lines)")
      await world.oppi("workspaces") { $0.output.contains("|\(id)\t\(name)\t") }
    }
  }

  @Test("a list that is processed off the event loop is complete and sorted")
  func manyWorkspaces() {
    let count = 3000
    let workspaces = (0..<count).map { number in
      let text = String(number)
      let padded = String(repeating: "0", count: 5 - text.count) + text
      return Workspace(
        id: "ws\(padded)",
        name: "\(number.isMultiple(of: 2) ? "Api" : "api") \(padded)"
      )
    }
    inWorld(where: \.workspaces, is: workspaces.reversed()) { world, _ in
      for words in [["workspaces"], ["workspaces", "--offline"]] {
        let lines = await world.oppi(words).lines
        let names = lines.map { String($0.split(separator: "\t")[1]).lowercased() }
        #expect(names.count == count && names == names.sorted())
        let json = try await world.oppi(words, as: .json).json
        #expect(json["workspaces"].array?.count == count)
        #expect(json["workspaces"].array?.first?["workspaceId"] == "ws00000")
      }
    }
  }
}

extension Program.Outcome {
  /// Both streams and the exit status, without the parts that change with every change of a command:
  /// random ids, and times by the network's random delays.
  fileprivate var transcript: String {
    "\(output)--- stderr ---\n\(errors)[exit \(status ?? -1)]"
      .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#, with: "TIME")
      .replacing(#/"elapsedMs":\d+/#, with: "\"elapsedMs\":MS")
      .replacing(#/\d+ ms/#, with: "MS ms")
      .replacing(#/mTIME(\S*) +/#) { "mTIME\($0.1)  " }  // as wide as the time
      .replacing(#/"clientTurnId":"[^"]+"/#, with: "\"clientTurnId\":\"TURN\"")
      .replacing(#/"sessionId":"[^"]+"/#, with: "\"sessionId\":\"SESSION\"")
      .replacing(#/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/#, with: "SESSION")
  }
}

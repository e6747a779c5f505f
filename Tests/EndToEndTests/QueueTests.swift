// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// Prompts that wait behind another's turn.
@Suite(.fewAtOnce) struct QueueTests {
  @Test(
    "whoever waits behind another's turn gets the answer to the own prompt",
    arguments: Line.plain
  )
  func ownAnswer(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "slow")
    let outcome = try await home.oppi("ask", "--session=\(id)", "--wait", "--json", "two tools")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "finished", "\(outcome)")
    #expect(try outcome.json()["response"] as? String == "Both are done.", "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["slow", "two tools"])
    #expect(server.prompts.map(\.type) == ["prompt", "follow_up"])
  }

  @Test("a stop drops what is queued and counts it, and who waits for it learns so")
  func dropped() async throws {
    let home = try Home()
    let server = try await home.paired()
    let id = try await home.session(asking: "question")
    async let waiting = home.oppi("ask", "--session=\(id)", "--wait", "--json", "two tools")
    try await server.wait { $0.messages.contains { $0.type == "follow_up" } }
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(stopped.status == 0, "\(stopped)")
    #expect(try stopped.json()["state"] as? String == "stopped", "\(stopped)")
    #expect(try stopped.json()["droppedMessages"] as? Int == 1, "\(stopped)")
    let outcome = try await waiting
    #expect(outcome.status == 4, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "stopped", "\(outcome)")
    #expect(try outcome.error()["code"] as? String == "turn-stopped", "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["question"])
  }

  @Test("an older server keeps what is queued over a stop, and whoever waits for it is not fooled")
  func keptByOlderServer() async throws {
    let home = try Home()
    let server = try await home.paired(.perSessionHTTP)
    let id = try await home.session(asking: "question")
    async let waiting = home.oppi("ask", "--session=\(id)", "--wait", "--json", "two tools")
    try await server.wait { $0.messages.contains { $0.type == "follow_up" } }
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(try stopped.json()["droppedMessages"] as? Int == 0, "\(stopped)")
    let outcome = try await waiting
    #expect(outcome.status == 6, "\(outcome)")
    #expect(try outcome.json()["state"] as? String == "unknown", "\(outcome)")
    // It runs behind the next prompt.
    let next = try await home.oppi("ask", "--session=\(id)", "--wait", "hello")
    #expect(next.output == "The command printed: hi\n", "\(next)")
    try await server.wait { $0.runs.count == 3 }
    #expect(server.journal.runs.map(\.text) == ["question", "hello", "two tools"])
  }

  @Test("of several who wait behind one turn each gets the own answer")
  func severalWaiters() async throws {
    let home = try Home()
    let server = try await home.paired(.multiplexedHTTP)
    let id = try await home.session(asking: "deploy")
    let answers = [
      "two tools": "Both are done.", "todo": "Everything on the list is done.",
      "hello": "The command printed: hi",
    ]
    async let waiting = withThrowingTaskGroup { group in
      for prompt in answers.keys {
        group.addTask {
          (prompt, try await home.oppi("ask", "--session=\(id)", "--wait", "--json", prompt))
        }
      }
      return try await group.reduce(into: [(String, Outcome)]()) { $0.append($1) }
    }
    try await server.wait { $0.messages.count { $0.type == "follow_up" } == answers.count }
    let pending = try server.get("/permissions/pending").json["pending"].array ?? []
    let request = try #require(pending.first?["id"].string)
    let path = "/permissions/\(request)/respond"
    #expect(try server.call("POST", path, body: ["action": "deny"]).status == 200)
    for (prompt, outcome) in try await waiting {
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try outcome.json()["response"] as? String == answers[prompt], "\(outcome)")
    }
    #expect(server.journal.runs.count == answers.count + 1)
  }

  @Test("whoever waits behind another's turn does not decide for it", arguments: Line.plain)
  func othersApproval(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "deploy")
    async let waiting = home.oppi("ask", "--session=\(id)", "--wait", "--on-ask", "deny", "hello")
    try await server.wait { $0.messages.contains { $0.type == "follow_up" } }
    try await server.poll("/permissions/pending") { $0["pending"].array?.count == 1 }
    let stopped = try await home.oppi("stop", "--session", "--", id)
    #expect(stopped.status == 0, "\(stopped)")
    let outcome = try await waiting
    #expect(outcome.status == 4 || outcome.status == 6, "\(outcome)")
    #expect(!server.journal.messages.contains { $0.type == "permission_response" })
    #expect(!server.journal.requests.contains { $0.path.hasSuffix("/respond") })
  }
}

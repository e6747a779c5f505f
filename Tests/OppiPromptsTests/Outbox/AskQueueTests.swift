// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Prompts that are queued behind another turn.
@Suite struct AskQueueTests {
  @Test("a prompt queued behind another turn gets its own answer", arguments: Dialect.all)
  func ownAnswer(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "slow")
      let outcome = await world.oppi("ask", "--wait", "--session=\(id)", "two tools")
      #expect(outcome.status == 0 && outcome.output == "Both are done.\n", "\(outcome)")
      #expect(server.heard == ["slow", "two tools"])
      let way = dialect.stream.queuesPrompts ? "prompt" : "follow_up"
      #expect(server.deliveries.last == way, "\(server.deliveries)")
    }
  }

  @Test("several prompts queued behind a turn each get their own answer", arguments: Dialect.all)
  func severalWaiters(dialect: Dialect) {
    inWorld(dialect, where: \.dialogTimeout, is: .seconds(120)) { world, server in
      let id = try await world.session(asking: "deploy")
      let answers = [
        "two tools": "Both are done.", "todo": "Everything on the list is done.",
        "hello": "The command printed: hi",
      ]
      // The approval request is denied when it expires.
      let waiting = answers.map { ($1, world.begin("ask", "--wait", "--session=\(id)", $0)) }
      for (answer, task) in waiting {
        let outcome = await task.value
        #expect(outcome.status == 0 && outcome.output == "\(answer)\n", "\(outcome)")
      }
      #expect(server.heard.sorted() == (answers.keys + ["deploy"]).sorted())
    }
  }

  @Test("a stop drops and counts queued prompts, and a waiting ask reports a stopped turn")
  func dropped() {
    inWorld { world, server in
      let id = try await world.session(asking: "question")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--json", "two tools")
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "--", id, exits: 0)
      #expect(
        stopped.json == [
          "state": "stopped", "sessionId": .string(id), "sessionEnded": false, "droppedMessages": 1,
        ],
        "\(stopped)"
      )
      let outcome = await waiting.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.json["state"] == "stopped", "\(outcome)")
      #expect(outcome.error["code"] == "turn-stopped", "\(outcome)")
      #expect(server.heard == ["question"])
    }
  }

  @Test("an older server keeps queued prompts over a stop, and a waiting ask ends as unknown")
  func keptByOlderServer() {
    inWorld(.perSession) { world, server in
      let id = try await world.session(asking: "question")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--json", "two tools")
      try await world.pass()
      await world.oppi("stop", "--json", "--", id) { $0.json["droppedMessages"] == 0 }
      let outcome = await waiting.value
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.json["state"] == "unknown", "\(outcome)")
      // The queued prompt runs behind the next prompt.
      let next = await world.oppi("ask", "--session=\(id)", "--wait", "hello")
      #expect(next.output == "The command printed: hi\n", "\(next)")
      try await world.pass()
      #expect(server.heard == ["question", "hello", "two tools"])
    }
  }

  @Test("a queued ask does not decide an approval of another turn", arguments: Dialect.both)
  func othersApproval(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "deploy")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--on-ask", "deny", "hello")
      try await world.pass()
      await world.oppi("stop", "--session", "--", id, exits: 0)
      let outcome = await waiting.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(!server.messages.contains { $0.type == "permission_response" })
      #expect(server.decisions == 0)
    }
  }
}

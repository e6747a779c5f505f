// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import Simulation
import Testing

/// Prompts that wait behind another's turn.
@Suite struct AskQueueTests {
  @Test(
    "who waits behind another's turn gets the answer to the own prompt",
    arguments: PairedServer.Dialect.both
  )
  func ownAnswer(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "slow")
      let outcome = await world.oppi("ask", "--wait", "--session=\(id)", "two tools")
      #expect(outcome.status == 0 && outcome.output == "Both are done.\n", "\(outcome)")
      #expect(server.heard == ["slow", "two tools"])
      #expect(server.deliveries == ["prompt", "follow_up"])
    }
  }

  @Test(
    "of several who wait behind one turn each gets the own answer",
    arguments: PairedServer.Dialect.both
  )
  func severalWaiters(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "deploy")
      let answers = [
        "two tools": "Both are done.", "todo": "Everything on the list is done.",
        "hello": "The command printed: hi",
      ]
      // The request for approval is denied when its time is over.
      let waiting = answers.map { ($1, world.begin("ask", "--wait", "--session=\(id)", $0)) }
      for (answer, task) in waiting {
        let outcome = await task.value
        #expect(outcome.status == 0 && outcome.output == "\(answer)\n", "\(outcome)")
      }
      #expect(server.heard.sorted() == (answers.keys + ["deploy"]).sorted())
    }
  }

  @Test("a stop drops what is queued and counts it, and who waits for it learns so")
  func dropped() {
    inWorld { world, server in
      let id = try await world.session(asking: "question")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--json", "two tools")
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "--", id)
      #expect(stopped.status == 0, "\(stopped)")
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

  @Test("an older server keeps what is queued over a stop, and who waits for it is not fooled")
  func keptByOlderServer() {
    inWorld(.perSession) { world, server in
      let id = try await world.session(asking: "question")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--json", "two tools")
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "--", id)
      #expect(stopped.json["droppedMessages"] == 0, "\(stopped)")
      let outcome = await waiting.value
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.json["state"] == "unknown", "\(outcome)")
      // It runs behind the next prompt.
      let next = await world.oppi("ask", "--session=\(id)", "--wait", "hello")
      #expect(next.output == "The command printed: hi\n", "\(next)")
      try await world.pass()
      #expect(server.heard == ["question", "hello", "two tools"])
    }
  }

  @Test(
    "who waits behind another's turn does not decide for it",
    arguments: PairedServer.Dialect.both
  )
  func othersApproval(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "deploy")
      let waiting = world.begin("ask", "--session=\(id)", "--wait", "--on-ask", "deny", "hello")
      try await world.pass()
      let stopped = await world.oppi("stop", "--session", "--", id)
      #expect(stopped.status == 0, "\(stopped)")
      let outcome = await waiting.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(!server.messages.contains { $0.type == "permission_response" })
      #expect(server.decisions == 0)
    }
  }
}

// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Following and stopping sessions that are idle, or between attempts.
@Suite struct IdleSessionTests {
  @Test(
    "the outcome of the last turn of a stopped session is reported without an agent",
    arguments: Dialect.all
  )
  func finished(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "hello")
      _ = await world.oppi("stop", "--session", "--", id)
      let streams = server.streams
      let outcome = await world.oppi("follow", "--json", "--", id, exits: 0)
      #expect(outcome.json["type"] == "turn-finished" && outcome.json["past"] == true, "\(outcome)")
      #expect(outcome.json["outcome"] == "finished", "\(outcome)")
      #expect(outcome.json["answer"] == "The command printed: hi", "\(outcome)")
      #expect(server.streams == streams)
    }
  }

  @Test(
    "the last turn of a stopped session is unknown if it left no answer",
    arguments: ["fail", "empty"]
  )
  func unfinished(prompt: String) {
    inWorld { world, server in
      let id = try await world.session(asking: prompt)
      _ = await world.oppi("stop", "--session", "--", id)
      let outcome = await world.oppi("follow", "--json", "--", id)
      // The trace does not distinguish a failure from an interrupted turn.
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.json["outcome"] == "unknown" && outcome.json["past"] == true, "\(outcome)")
    }
  }

  @Test(
    "an idle session is reported with the outcome and status of its last turn",
    arguments: [
      ("hello", 0, "finished", "turn finished"), ("fail", 1, "failed", "turn failed"),
      ("empty", 1, "empty", "turn finished without an answer"),
    ] as [(String, Int32, String, String)]
  )
  func loaded(prompt: String, status: Int32, state: String, line: String) {
    inWorld { world, server in
      let id = try await world.session(asking: prompt)
      let outcome = await world.oppi("follow", "last", exits: status)
      #expect(outcome.lines.last?.hasPrefix(line) == true, "\(outcome)")
      #expect(outcome.errors.contains("session \(id) is idle; --forever"), "\(outcome)")
      let json = await world.oppi("follow", "last", "--json", exits: status)
      #expect(json.json["type"] == "turn-finished" && json.json["past"] == true, "\(json)")
      #expect(json.json["outcome"].string == state, "\(json)")
      #expect(server.heard == [prompt])
    }
  }

  @Test("a prompt that an older server refuses silently does not get the previous answer")
  func refusedInSilence() {
    inWorld(.perSession) { world, server in
      let id = try await world.session(asking: "hello")
      let refused = await world.oppi("ask", "--session=\(id)", "--json", "refuse")
      #expect(refused.json["state"] == "accepted", "\(refused)")
      let outcome = await world.oppi("follow", "--json", "--", id, exits: 6)
      #expect(outcome.jsonLines.last?["outcome"] == "unknown", "\(outcome)")
      #expect(server.heard == ["hello"])
    }
  }

  // MARK: - The pause before a retry

  @Test("a follow that starts in the pause gets the end of the retry", arguments: Dialect.all)
  func retryPause(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(10)) { world, server in
      let id = try await world.session(asking: "retry")
      let outcome = await world.oppi("follow", "--json", "--", id, exits: 0)
      let last = outcome.jsonLines.last
      #expect(last?["outcome"] == "finished", "\(outcome)")
      #expect(last?["answer"] == "It worked the second time.", "\(outcome)")
    }
  }

  @Test(
    "a follow without a session finds the one that pauses before a retry",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func findsPause(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(10)) { world, server in
      _ = try await world.session(asking: "retry")
      let outcome = await world.oppi("follow", "--json", exits: 0)
      #expect(outcome.jsonLines.last?["answer"] == "It worked the second time.", "\(outcome)")
      try await world.pass(.seconds(20))
      await world.oppi("follow", exits: 66)
    }
  }

  @Test("a follow without a session fails if it cannot read whether one pauses")
  func unreadPause() {
    inTroubledWorld { world, _, trouble in
      _ = try await world.session(asking: "hello")
      trouble.at("/events?since=0", .answer(status: 500, error: "busy"))
      await world.oppi("follow", exits: 69)
    }
  }

  @Test("a follow waits for as long as the retry was announced for")
  func longPause() {
    inWorld(where: \.retryDelay, is: .seconds(60)) { world, server in
      let id = try await world.session(asking: "retry")
      let outcome = await world.oppi("follow", "--json", "--", id, exits: 0)
      #expect(outcome.jsonLines.last?["answer"] == "It worked the second time.", "\(outcome)")
    }
  }

  @Test("show says that a turn is running which pauses before an announced retry")
  func showsPause() {
    inWorld(where: \.retryDelay, is: .seconds(60)) { world, server in
      let id = try await world.session(asking: "retry")
      let shown = await world.oppi("show", "--json", "--", id, exits: 75)
      #expect(shown.json["state"] == "running" && shown.json["phase"] == "running", "\(shown)")
      #expect(shown.errorLines.count == 1, "\(shown)")
    }
  }

  @Test(
    "a stop in the pause cancels the retry, and a waiting ask reports a stopped turn",
    arguments: Dialect.all
  )
  func stopsRetry(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(600)) { world, server in
      let waiting = world.begin("ask", "-w", "demo", "--wait", "--json", "retry")
      try await world.pass()
      let stopped = await world.oppi("stop", "--json", "last", exits: 0)
      #expect(stopped.json["state"] == "stopped", "\(stopped)")
      let outcome = await waiting.value
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.json["state"] == "stopped", "\(outcome)")
      let next = await world.oppi("ask", "-s", "last", "--wait", "hello")
      #expect(next.output == "The command printed: hi\n", "\(next)")
      try await world.pass(.seconds(700))
      #expect(server.heard == ["retry", "hello"])
    }
  }

  @Test("a prompt in the pause gets its own answer", arguments: Dialect.all)
  func asksInPause(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(600)) { world, server in
      let waiting = world.begin("ask", "-w", "demo", "--wait", "--json", "retry")
      try await world.pass()
      let next = await world.oppi("ask", "-s", "last", "--wait", "two tools")
      #expect(next.status == 0 && next.output == "Both are done.\n", "\(next)")
      // The announced retry is not made.
      let first = await waiting.value
      #expect(first.status == 1, "\(first)")
      #expect(first.json["state"] == "failed", "\(first)")
    }
  }

  @Test(
    "a call that was running before the follow began has its start and its end, once each",
    arguments: Dialect.all
  )
  func lateCall(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let id = try await world.session(asking: "silent")
      let following = world.begin("follow", "--json", "--", id)
      try await world.pass()
      await server.releaseTool(inSession: id)
      let outcome = await following.value
      #expect(outcome.status == 0, "\(outcome)")
      let calls = outcome.jsonLines.filter {
        ["tool-planned", "tool-started", "tool-finished"].contains($0["type"].string)
      }
      #expect(calls.map { $0["type"] } == ["tool-started", "tool-finished"], "\(outcome)")
      let start = try #require(calls.first)
      #expect(start["past"] == true && start["tool"] == "bash", "\(outcome)")
      #expect(start["arguments"]["command"] == "sleep 3600", "\(outcome)")
      #expect(calls.last?["callId"] == start["callId"])
    }
  }
}

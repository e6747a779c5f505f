// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// Following sessions that rest, or seem to.
@Suite(.fewAtOnce) struct RestTests {
  @Test(
    "how the last turn of a stopped session ended is told without an agent",
    arguments: Line.plain
  )
  func finished(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "hello", "--wait")
    _ = try await home.oppi("stop", "--session", "--", id)
    let streams = server.streams
    let outcome = try await home.oppi("follow", "--json", "--", id)
    #expect(outcome.status == 0, "\(outcome)")
    let lines = try outcome.jsonLines()
    try #require(lines.count == 1, "\(outcome)")
    #expect(lines[0]["type"] as? String == "turn-finished", "\(outcome)")
    #expect(lines[0]["past"] as? Bool == true, "\(outcome)")
    #expect(lines[0]["outcome"] as? String == "finished", "\(outcome)")
    #expect(lines[0]["answer"] as? String == "The command printed: hi", "\(outcome)")
    #expect(server.streams == streams)
    #expect(try server.get(server.path(id) + "/events?since=0").status == 404)
  }

  @Test(
    "a stopped session whose last turn left no answer is not said to have one",
    arguments: ["fail", "empty"]
  )
  func unfinished(prompt: String) async throws {
    let home = try Home()
    let server = try await home.paired()
    let id = try await home.session(asking: prompt, "--wait")
    _ = try await home.oppi("stop", "--session", "--", id)
    let outcome = try await home.oppi("follow", "--json", "--", id)
    // The trace does not tell a failure from a turn that was cut off.
    #expect(outcome.status == 6, "\(outcome)")
    let lines = try outcome.jsonLines()
    #expect(lines.map { $0["past"] as? Bool } == [true], "\(outcome)")
    #expect(lines.map { $0["outcome"] as? String } == ["unknown"], "\(outcome)")
    #expect(try server.get(server.path(id) + "/events?since=0").status == 404)
  }

  @Test(
    "a loaded session tells a failed and an empty turn as what they were",
    arguments: ["fail", "empty"]
  )
  func loaded(prompt: String) async throws {
    let home = try Home()
    let server = try await home.paired()
    defer { withExtendedLifetime(server) {} }
    let id = try await home.session(asking: prompt, "--wait")
    let outcome = try await home.oppi("follow", "--json", "--", id)
    #expect(outcome.status == 1, "\(outcome)")
    let line = try #require(try outcome.jsonLines().last, "\(outcome)")
    #expect(line["type"] as? String == "turn-finished", "\(outcome)")
    #expect(line["past"] as? Bool == true, "\(outcome)")
    #expect(line["outcome"] as? String == (prompt == "fail" ? "failed" : "empty"), "\(outcome)")
  }

  @Test("an older server's silence about a refused prompt is not the answer to the one before")
  func refusedInSilence() async throws {
    let home = try Home()
    let server = try await home.paired(.perSessionHTTP)
    let id = try await home.session(asking: "hello", "--wait")
    let refused = try await home.oppi("ask", "--session=\(id)", "--json", "refuse")
    #expect(try refused.json()["state"] as? String == "accepted", "\(refused)")
    let outcome = try await home.oppi("follow", "--json", "--", id)
    #expect(outcome.status == 6, "\(outcome)")
    #expect(try outcome.jsonLines().last?["outcome"] as? String == "unknown", "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["hello"])
  }

  @Test("whoever comes in the pause before another attempt sees its end", arguments: Line.plain)
  func retryPause(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.retryDelay = .seconds(1) }
    let id = try await home.session(asking: "retry")
    try await server.poll(server.path(id) + "/events?since=0") {
      RunningServer.types(in: $0).contains("agent_end")
    }
    let outcome = try await home.oppi("follow", "--json", "--", id)
    #expect(outcome.status == 0, "\(outcome)")
    let last = try outcome.jsonLines().last
    #expect(last?["outcome"] as? String == "finished", "\(outcome)")
    #expect(last?["answer"] as? String == "It worked the second time.", "\(outcome)")
  }

  @Test("a stop in the pause before another attempt ends it for good", arguments: Line.plain)
  func stopsRetry(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.retryDelay = .seconds(600) }
    let id = try await home.session(asking: "retry")
    try await server.poll(server.path(id) + "/events?since=0") {
      RunningServer.types(in: $0).contains("agent_end")
    }
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(stopped.status == 0, "\(stopped)")
    #expect(try stopped.json()["state"] as? String == "stopped", "\(stopped)")
    // The end of the pause is an end of the run, too.
    let types = try server.eventTypes(of: id)
    #expect(types.count { $0 == "agent_start" } == 1 && types.count { $0 == "agent_end" } == 2)
    let next = try await home.oppi("ask", "--session=\(id)", "--wait", "hello")
    #expect(next.output == "The command printed: hi\n", "\(next)")
    #expect(server.journal.runs.map(\.text) == ["retry", "hello"])
    #expect(try server.eventTypes(of: id).count { $0 == "agent_start" } == 2)
  }

  @Test("a prompt in the pause before another attempt gets its own answer", arguments: Line.plain)
  func asksInPause(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.retryDelay = .seconds(600) }
    async let waiting = home.oppi("ask", "-w", "demo", "--wait", "--json", "retry")
    let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
    try await server.poll(server.path(id) + "/events?since=0") {
      RunningServer.types(in: $0).contains("agent_end")
    }
    let next = try await home.oppi("ask", "--session=\(id)", "--wait", "--json", "two tools")
    #expect(next.status == 0, "\(next)")
    #expect(try next.json()["response"] as? String == "Both are done.", "\(next)")
    // The attempt that was announced is not made any more.
    let first = try await waiting
    #expect(first.status == 1, "\(first)")
    #expect(try first.json()["state"] as? String == "failed", "\(first)")
  }

  @Test(
    "whoever waits for a turn that is stopped in the pause before another attempt learns so",
    arguments: Line.plain
  )
  func waiterOfStoppedRetry(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.retryDelay = .seconds(600) }
    async let waiting = home.oppi("ask", "-w", "demo", "--wait", "--json", "retry")
    let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
    try await server.poll(server.path(id) + "/events?since=0") {
      RunningServer.types(in: $0).contains("agent_end")
    }
    let stopped = try await home.oppi("stop", "--json", "--", id)
    #expect(try stopped.json()["state"] as? String == "stopped", "\(stopped)")
    // The server tells others nothing of who ended the pause; the turn had failed.
    let outcome = try await waiting
    #expect([1, 4].contains(outcome.status), "\(outcome)")
    let state = try outcome.json()["state"] as? String
    #expect(state == (outcome.status == 1 ? "failed" : "stopped"), "\(outcome)")
  }

  @Test(
    "a call that was running before anybody looked has its start and its end, once each",
    arguments: Line.plain
  )
  func lateCall(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "silent")
    try await server.poll(server.path(id)) { json in
      json["trace"].array?.contains { $0["type"] == "toolCall" } == true
    }
    let path = server.path(id)
    let (streams, looks) = (server.streams, server.journal.looks(at: path))
    async let following = home.oppi("follow", "--json", "--", id)
    // One look tells that the session is at work, another one what was missed.
    try await server.wait { journal in
      journal.looks(at: path) >= looks + 2
        && journal.requests.count { $0.path.hasSuffix("/stream") } > streams
    }
    await server.releaseTool(inSession: id)
    let outcome = try await following
    #expect(outcome.status == 0, "\(outcome)")
    let calls = try outcome.jsonLines().filter {
      ["tool-planned", "tool-started", "tool-finished"].contains($0["type"] as? String)
    }
    #expect(
      calls.map { $0["type"] as? String } == ["tool-started", "tool-finished"],
      "\(outcome)"
    )
    let start = try #require(calls.first)
    #expect(start["past"] as? Bool == true, "\(outcome)")
    #expect(start["tool"] as? String == "bash", "\(outcome)")
    let arguments = start["arguments"] as? [String: Any]
    #expect(arguments?["command"] as? String == "sleep 3600", "\(outcome)")
    #expect(calls.last?["callId"] as? String == start["callId"] as? String)
  }
}

extension Journal {
  /// How often somebody got a path.
  fileprivate func looks(at path: String) -> Int {
    requests.count { $0.method == "GET" && $0.path == path && $0.status == 200 }
  }
}

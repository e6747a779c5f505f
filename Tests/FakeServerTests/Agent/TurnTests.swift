// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Turns")
struct TurnTests {
  private static let busyText =
    "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue "
    + "the message."

  @Test("a repeated turn is recognised on any stream, and does not run")
  func duplicate() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
      let other = try await client.openStream()
      try await other.subscribe(to: id)
      try await other.prompt("hello", in: id)
      let answers = try await other.read(through: "command_result")
      #expect(answers.types == ["turn_ack", "command_result"])
      #expect(answers[0]["duplicate"] == true)
      #expect(answers[0]["stage"] == "started")
      #expect(answers[1]["success"] == true)
      let session = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(session["messageCount"] == 4)
    }
  }

  @Test("a stopped session forgets its turns")
  func forgotten() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
      try await client.call("POST", client.sessionPath(id, "/stop"))
      let other = try await client.openStream()
      #expect(try await other.subscribe(to: id).last?["data"]["currentSeq"] == 0)
      try await other.prompt("hello", in: id)
      #expect(try await other.next()["stage"] == "accepted")
    }
  }

  @Test("a prompt while the agent is busy is acknowledged and lost")
  func busy() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      try await stream.prompt("another", in: id, turn: "t2")
      let answers = try await stream.read(through: "command_result")
      #expect(answers.types == ["turn_ack", "turn_ack", "error", "command_result"])
      #expect(answers[2]["error"].string == Self.busyText)
      #expect(answers[3]["success"] == true)
    }
  }

  @Test("a steering message runs after the current tools and replaces the rest of the script")
  func steer() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      try await stream.send([
        "type": "steer", "sessionId": .string(id), "message": "empty", "requestId": "f",
      ])
      let texts = try await stream.readRun().all("message_end").map { $0["content"].string }
      #expect(texts == ["empty", ""])
    }
  }
}

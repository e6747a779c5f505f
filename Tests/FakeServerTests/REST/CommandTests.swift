// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Commands over REST")
struct CommandTests {
  @Test("a prompt is answered with its result only, and acknowledged on sockets")
  func prompt() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      let message: JSONValue = [
        "type": "prompt", "message": "hello", "requestId": "p", "clientTurnId": "t1",
      ]
      let messages = try await client.command(message, in: id)
      #expect(messages.types == ["command_result"])
      #expect(messages[0]["success"] == true)
      #expect(messages[0]["sessionId"].string == id)
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched", "started"])
      #expect(events.all("command_result").isEmpty)
    }
  }

  struct Case: Sendable {
    let body: JSONValue
    let status: Int
    let error: String
  }

  @Test(
    "an invalid command is refused with the server's message",
    arguments: [
      Case(body: [], status: 400, error: "Command body must be an object"),
      Case(body: ["message": "x"], status: 400, error: "Command type required"),
      Case(body: ["type": "prompt"], status: 400, error: "Invalid payload: expected message"),
      Case(
        body: ["type": "steer", "message": "x"],
        status: 500,
        error: "Steer requires an active streaming turn"
      ),
    ]
  )
  func invalid(_ given: Case) throws {
    try TestClient.runSockets { client in
      let (_, id) = try await client.openSession()
      let path = "/sessions/\(id)/command"
      let answer = try await client.call("POST", path, body: given.body, expecting: given.status)
      #expect(answer["error"].string == given.error)
    }
  }

  @Test("failures with a request ID, and unknown types, are results")
  func failures() throws {
    try TestClient.runSockets { client in
      let (_, id) = try await client.openSession()
      let steer: JSONValue = ["type": "steer", "message": "x", "requestId": "s"]
      #expect(try await client.command(steer, in: id).map { $0["success"] } == [false])
      let unknown = try await client.command(["type": "dance"], in: id)
      #expect(unknown.map { $0["error"] } == ["Unsupported command type: dance"])
      let level: JSONValue = ["type": "set_thinking_level", "level": "low", "requestId": "t"]
      #expect(try await client.command(level, in: id).map { $0["data"] } == [["level": "low"]])
      let state = try await client.command(["type": "get_state"], in: id)
      #expect(state.map { $0["session"]["thinkingLevel"] } == ["low"])
    }
  }
}

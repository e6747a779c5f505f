// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiText
import OppiWire
import Testing

@testable import FakeServer

@Suite("REST")
struct RESTTests {
  @Test("a response has the headers of the real server")
  func headers() throws {
    try TestClient.run { client in
      let response = try await client.exchange("GET", "/me")
      #expect(response.reason == "OK")
      #expect(
        response.headers.fields.map(\.name) == [
          "X-Oppi-Protocol", "Content-Type", "Date", "Connection", "Keep-Alive",
          "Transfer-Encoding",
        ]
      )
      #expect(response.headers["X-Oppi-Protocol"] == "2")
      #expect(response.headers["Keep-Alive"] == "timeout=5")
      #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
    }
  }

  @Test(
    "all routes except health and pairing require a token",
    arguments: ["/me", "/workspaces", "/nothing-there", "/pair"]
  )
  func unauthorized(path: String) throws {
    try TestClient.run { client in
      for token in [nil, "wrong"] {
        let answer = try await client.with(token: token).call("GET", path, expecting: 401)
        #expect(answer == ["error": "Unauthorized"])
      }
      let health = try await client.with(token: nil).call("GET", "/health")
      #expect(health == ["ok": true, "protocol": 2])
    }
  }

  @Test("the first servers have fewer routes, ignore the prompt of a session, and name no scheme")
  func first() throws {
    try TestClient.run(.first()) { client in
      for (method, path) in [("GET", "/sessions"), ("POST", "/permissions/x/respond")] {
        let answer = try await client.call(method, path, expecting: 404)
        #expect(answer == ["error": "Not found"])
      }
      let created = try await client.launch(["prompt": "hi"])
      #expect(created["prompted"] == .null)
      #expect(created["session"]["status"] == "starting")
      let invite = try client.server.makeInvite()
      #expect(try JSONValue(parsing: Array(invite.json.utf8))["scheme"] == .null)
      #expect(try Invite(invite.url).endpoint.scheme == .http)
    }
  }

  @Test("an undelivered prompt is reported, and the session is kept")
  func failingStart() throws {
    try TestClient.run(.spring { $0.startFailures[$0.workspaces[0].id] = "no agent here" }) {
      client in
      let answer = try await client.launch(["prompt": "hi"])
      #expect(answer["prompted"] == false)
      let id = answer["session"]["id"].string ?? ""
      #expect(try await client.session(id)["status"] == "starting")
    }
  }

  @Test(
    "an invalid request is refused with the server's message",
    arguments: [
      ("/pair", "{}", 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":""}"#, 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":5}"#, 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":"pt_wrong"}"#, 401, "Invalid or expired pairing token"),
      ("/workspaces/qX3dEmo0/sessions", "{bad", 500, "Invalid JSON"),
    ]
  )
  func refusals(path: String, body: String, status: Int, text: String) throws {
    try TestClient.run { client in
      let answer = try await client.call("POST", path, text: body, expecting: status)
      #expect(answer == ["error": .string(text)])
    }
  }

  // MARK: - Conversations

  @Test("the conversation of a session is read without starting the agent")
  func reading() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      try await stream.prompt("hello")
      try await stream.readRun()
      try await client.stop(stream.id)
      let all = ["user", "thinking", "assistant", "toolCall", "toolResult", "assistant"]
      let path = "/sessions/\(stream.id)"
      #expect(try await client.call("GET", "\(path)/trace")["trace"].array?.types == all)
      #expect(try await client.call("GET", path)["trace"] == .null)
      #expect(try await client.trace(stream.id).types == all)
      #expect(try await client.call("GET", path)["session"]["status"] == "stopped")
      let elsewhere = "\(client.sessionsPath(1))/\(stream.id)"
      let wrong = try await client.call("GET", elsewhere, expecting: 400)
      #expect(wrong == ["error": "Session does not belong to this workspace"])
      let missing = try await client.call("GET", "/sessions/unknown/trace", expecting: 404)
      #expect(missing == ["error": "Session not found"])
    }
  }

  @Test("the output of a call is whole only while the agent is loaded")
  func output() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let end = try await stream.prompt("hello", untilFirst: "tool_end")
      try await stream.readRun()
      let call = end["toolCallId"].string ?? ""
      let path = client.sessionPath(stream.id, "/tool-output/\(call)")
      #expect(try await client.call("GET", "\(path)?full=true")["output"] == "hi\n")
      try await client.stop(stream.id)
      try await client.call("GET", "\(path)?full=true", expecting: 404)
      #expect(try await client.call("GET", path)["output"] == "hi\n")
    }
  }
}

@Suite("Commands over REST")
struct CommandTests {
  @Test("a prompt is answered with its result only, and acknowledged on sockets")
  func prompt() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let message = TestStream.message("hello", turn: "t1", as: "prompt")
      let messages = try await client.command(.object(message), in: stream.id)
      #expect(messages.types == ["command_result"])
      #expect(messages[0]["success"] == true)
      #expect(messages[0]["sessionId"].string == stream.id)
      let events = try await stream.readRun()
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched", "started"])
      #expect(events.all("command_result").isEmpty)
    }
  }

  @Test(
    "an invalid command is refused with the server's message",
    arguments: [
      ([], 400, "Command body must be an object"),
      (["message": "x"], 400, "Command type required"),
      (["type": "prompt"], 400, "Invalid payload: expected message"),
      (["type": "steer", "message": "x"], 500, "Steer requires an active streaming turn"),
    ] as [(JSONValue, Int, String)]
  )
  func invalid(body: JSONValue, status: Int, error: String) throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let path = "/sessions/\(stream.id)/command"
      let answer = try await client.call("POST", path, body: body, expecting: status)
      #expect(answer["error"].string == error)
    }
  }

  @Test("failures with a request ID, and unknown types, are results")
  func failures() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let steer: JSONValue = ["type": "steer", "message": "x", "requestId": "s"]
      #expect(try await client.command(steer, in: stream.id).map { $0["success"] } == [false])
      let unknown = try await client.command(["type": "dance"], in: stream.id)
      #expect(unknown.errors == ["Unsupported command type: dance"])
      let level: JSONValue = ["type": "set_thinking_level", "level": "low", "requestId": "t"]
      let levels = try await client.command(level, in: stream.id)
      #expect(levels.map { $0["data"] } == [["level": "low"]])
      let state = try await client.command(["type": "get_state"], in: stream.id)
      #expect(state.map { $0["session"]["thinkingLevel"] } == ["low"])
    }
  }
}

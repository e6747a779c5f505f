// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import LoopbackServer

@Suite("Approvals")
struct ApprovalTests {
  /// Prompts for something that needs approval and returns the request for it.
  private static func request(_ client: TestClient, _ stream: TestStream, in id: String?)
    async throws
    -> JSONValue
  {
    try await stream.prompt("please deploy", in: id)
    let request = try #require(try await stream.read(through: "permission_request").last)
    #expect(RecordedShapes.fits(request))
    return request
  }

  private static func text(_ events: [JSONValue]) -> String? {
    events.all("message_end").last?["content"].string
  }

  @Test("a request is listed and pushed to every stream, and REST decides it once")
  func rest() throws {
    try TestClient.run { client in
      let bystander = try await client.openStream()
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      #expect(request["streamSeq"] == 1)
      #expect(try await bystander.next() == request)

      let list = try await client.call("GET", "/permissions/pending?sessionId=\(id)")
      let pending = try #require(list["pending"].array?.first)
      let workspaceID = client.server.configuration.workspaces[0].id
      var expected = request.object ?? [:]
      expected["type"] = nil
      expected["streamSeq"] = nil
      expected["workspaceId"] = .string(workspaceID)
      #expect(pending == .object(expected))
      let left = (pending["timeoutAt"].int ?? 0) - (list["serverTime"].int ?? 0)
      #expect((100_000...120_000).contains(left))

      let path = "/permissions/\(request["id"].string ?? "")/respond"
      let answer = try await client.call(
        "POST",
        path,
        body: ["action": "allow", "scope": "session", "expiresInMs": 60_000]
      )
      #expect(
        answer == [
          "ok": true, "id": request["id"], "action": "allow", "scope": "session",
          "expiresInMs": 60_000,
        ]
      )
      let again = try await client.call("POST", path, body: ["action": "allow"], expecting: 404)
      #expect(again == ["error": "Permission request not found"])
      #expect(Self.text(try await stream.readRun()) == "The branch is pushed.")

      // The session's rule lets the same command pass, there alone.
      try await stream.prompt("deploy again", in: id, turn: "t2")
      let events = try await stream.readRun()
      #expect(events.all("permission_request").isEmpty)
      #expect(Self.text(events) == "The branch is pushed.")
      let other = try await client.openSubscribed()
      _ = try await Self.request(client, other.stream, in: other.sessionID)
    }
  }

  @Test(
    "a wrong answer over REST is refused in the server's words",
    arguments: [
      ("{\"action\":\"maybe\"}", "action must be \"allow\" or \"deny\""),
      ("{}", "action must be \"allow\" or \"deny\""),
      (
        "{\"action\":\"allow\",\"scope\":\"workspace\"}",
        "scope must be \"once\", \"session\", or \"global\""
      ),
      (
        "{\"action\":\"allow\",\"expiresInMs\":-1}",
        "expiresInMs must be a positive number when provided"
      ),
      ("{x", "Invalid JSON"),
    ]
  )
  func wrongAnswers(body: String, text: String) throws {
    try TestClient.run { client in
      let response = try await client.exchange("POST", "/permissions/x/respond", text: body)
      #expect(response.status == 400)
      #expect(try JSONValue(parsing: response.body) == ["error": .string(text)])
    }
  }

  @Test(
    "over a stream only the exact word refuses",
    arguments: [
      ("deny", "Not pushed: Denied by user"), ("Deny", "The branch is pushed."),
      ("allow", "The branch is pushed."),
    ]
  )
  func overStream(action: String, text: String) throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      let response: JSONValue = [
        "type": "permission_response", "id": request["id"], "action": .string(action),
        "requestId": "pr",
      ]
      try await stream.send(response)
      #expect(
        try await stream.next() == [
          "type": "command_result", "command": "permission_response", "requestId": "pr",
          "success": true,
        ]
      )
      #expect(Self.text(try await stream.readRun()) == text)
      try await stream.send(response)
      #expect(
        try await stream.next()["error"].string
          == "Permission request not found: \(request["id"].string ?? "")"
      )
    }
  }

  @Test("older servers send every pending request on connecting, and do not confirm an answer")
  func older() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.dialect = .perSession
    try TestClient.run(configuration) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      let request = try await Self.request(client, stream, in: nil)
      let other = try await client.createSession()
      let second = try await client.connect(client.sessionPath(other, "/stream"))
      let opening = try await second.read(through: "permission_request")
      #expect(opening.types == ["connected", "state", "permission_request"])
      #expect(opening.last?["sessionId"].string == id)
      try await second.send([
        "type": "permission_response", "id": request["id"], "action": "allow", "requestId": "pr",
      ])
      let events = try await stream.readRun()
      #expect(events.all("command_result").isEmpty)
      #expect(Self.text(events) == "The branch is pushed.")
    }
  }

  @Test("older servers have no REST answer, and end a session without a word about its request")
  func olderEnd() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.dialect = .perSession
    configuration.limits.endPatience = .milliseconds(5)
    try TestClient.run(configuration) { client in
      let (stream, id) = try await client.openSession()
      let request = try await Self.request(client, stream, in: nil)
      let path = "/permissions/\(request["id"].string ?? "")/respond"
      let missing = try await client.call("POST", path, body: ["action": "deny"], expecting: 404)
      #expect(missing == ["error": "Not found"])
      try await client.call("POST", client.sessionPath(id, "/stop"))
      let events = try await stream.read(through: "session_ended")
      #expect(events.types == ["stop_requested", "state", "stop_confirmed", "session_ended"])
      #expect(events[2]["reason"] == .null)
      try await stream.send([
        "type": "permission_response", "id": request["id"], "action": "deny",
      ])
      #expect(
        try await stream.next()["error"].string
          == "Permission request not found: \(request["id"].string ?? "")"
      )
    }
  }

  @Test("time runs out as a denial")
  func timeout() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.approvalTimeout = .milliseconds(10)
    try TestClient.run(configuration) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      let events = try await stream.readRun()
      #expect(events.types.first == "permission_expired")
      #expect(events[0]["id"] == request["id"])
      #expect(events[0]["reason"] == "Approval timeout")
      #expect(Self.text(events) == "Not pushed: Approval timeout")
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
      #expect(try await client.call("GET", "/permissions/pending")["pending"] == [])
    }
  }

  @Test("without a timeout the deadline is far away")
  func noTimeout() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.approvalTimeout = nil
    try TestClient.run(configuration) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      #expect(request["expires"] == false)
    }
  }

  @Test("a stop does not release a request, and fails in the end")
  func stop() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.limits.stopPatience = (.milliseconds(5), .milliseconds(5))
    try TestClient.run(configuration) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      try await stream.send(["type": "stop", "sessionId": .string(id), "requestId": "st"])
      let events = try await stream.read(through: "stop_failed")
      #expect(
        events.types == [
          "stop_requested", "state", "queue_state", "command_result", "stop_requested", "state",
          "stop_failed",
        ]
      )
      #expect(events[4]["source"] == "server")
      #expect(events[5]["session"]["status"] == "busy")
      let pending = try await client.call("GET", "/permissions/pending")["pending"].array
      #expect(pending?.map { $0["id"] } == [request["id"]])
      // The run ends with the answer, and nothing confirms the stop that has failed.
      try await stream.send([
        "type": "permission_response", "id": request["id"], "action": "deny",
      ])
      let end = try await stream.readRun()
      #expect(end.last?["session"]["status"] == "ready")
      #expect(end.all("stop_confirmed").isEmpty)
    }
  }

  @Test("the session's end is forced upon a request, and cancels it")
  func sessionEnd() throws {
    var configuration = LoopbackServer.Configuration()
    configuration.limits.endPatience = .milliseconds(5)
    try TestClient.run(configuration) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await Self.request(client, stream, in: id)
      try await client.call("DELETE", client.sessionPath(id))
      let events = try await stream.read(through: "session_ended")
      #expect(
        events.types == [
          "stop_requested", "state", "permission_cancelled", "stop_confirmed", "session_ended",
        ]
      )
      #expect(events[2]["id"] == request["id"])
      #expect(events[3]["reason"] == "Stop session timed out after 5ms")
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
      #expect(try await client.call("GET", "/permissions/pending")["pending"] == [])
    }
  }
}

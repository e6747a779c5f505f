// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import Testing

@testable import OppiHost

@Suite("Approvals")
struct ApprovalTests {
  private static func decision(_ request: JSONValue, _ action: JSONValue) -> JSONObject {
    ["type": "permission_response", "id": request["id"], "action": action, "requestId": "pr"]
  }

  private static func path(_ request: JSONValue) -> String {
    "/permissions/\(request["id"].string ?? "")/respond"
  }

  @Test("a request is listed and sent to every stream, and REST decides it once")
  func rest() throws {
    try TestClient.run { client in
      let bystander = try await client.openStream()
      let stream = try await client.openSession()
      let request = try await stream.requestApproval()
      #expect(request["streamSeq"].int != nil)
      #expect(try await bystander.next() == request)
      let list = try await client.call("GET", "/permissions/pending?sessionId=\(stream.id)")
      let pending = try #require(list["pending"].array?.first)
      let workspaceID = client.server.configuration.workspaces[0].id
      #expect(
        pending
          == request.removing(["type", "streamSeq"]).adding(["workspaceId": .string(workspaceID)])
      )
      let left = (pending["timeoutAt"].int ?? 0) - (list["serverTime"].int ?? 0)
      #expect((100_000...120_000).contains(left))

      let body: JSONValue = ["action": "allow", "scope": "session"]
      #expect(
        try await client.call("POST", Self.path(request), body: body)
          == body.adding(["ok": true, "id": request["id"]])
      )
      let again = try await client.call("POST", Self.path(request), body: body, expecting: 404)
      #expect(again == ["error": "Permission request not found"])
      #expect(try await stream.readRun().lastText == "The branch is pushed.")
    }
  }

  @Test(
    "an invalid REST decision is refused with the server's message",
    arguments: [
      ("{\"action\":\"maybe\"}", "action must be \"allow\" or \"deny\""),
      ("{}", "action must be \"allow\" or \"deny\""),
      (
        "{\"action\":\"allow\",\"scope\":\"workspace\"}",
        "scope must be \"once\", \"session\", or \"global\""
      ),
      ("{x", "Invalid JSON"),
    ]
  )
  func wrongAnswers(body: String, text: String) throws {
    try TestClient.run { client in
      let path = "/permissions/x/respond"
      let answer = try await client.call("POST", path, text: body, expecting: 400)
      #expect(answer == ["error": .string(text)])
    }
  }

  @Test("the first servers send pending requests on connect, and do not confirm a decision")
  func first() throws {
    try TestClient.runSession(.first()) { client, stream in
      let request = try await stream.requestApproval()
      let second = try await client.connectSession(client.createSession())
      let opening = try await second.read(through: "permission_request")
      #expect(opening.types == ["connected", "state", "permission_request"])
      #expect(opening.last?["sessionId"].string == stream.id)
      try await second.send(Self.decision(request, "allow"))
      let events = try await stream.readRun()
      #expect(events.all("command_result").isEmpty)
      #expect(events.lastText == "The branch is pushed.")
    }
  }

  // MARK: - Ends without a decision

  @Test("an expired request is denied")
  func timeout() throws {
    try TestClient.runSession(.spring { $0.approvalTimeout = .milliseconds(10) }) {
      client,
      stream in
      let request = try await stream.requestApproval()
      let events = try await stream.readRun()
      #expect(events.types.first == "permission_expired")
      #expect(events[0]["id"] == request["id"])
      #expect(events[0]["reason"] == "Approval timeout")
      #expect(events.lastText == "Not pushed: Approval timeout")
      #expect(events.unknown == [])
      #expect(try await client.call("GET", "/permissions/pending")["pending"] == [])
    }
  }

  @Test("a stop does not release a request, and fails after a while")
  func stop() throws {
    let configuration = FakeServer.Configuration.spring {
      $0.limits.stopTimeouts = (.milliseconds(5), .milliseconds(5))
    }
    try TestClient.runSession(configuration) { client, stream in
      let request = try await stream.requestApproval()
      try await stream.send(["type": "stop", "requestId": "st"])
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
      // The decision ends the run, and the failed stop is never confirmed.
      try await stream.send(Self.decision(request, "deny"))
      let end = try await stream.readRun()
      #expect(end.last?["session"]["status"] == "ready")
      #expect(end.all("stop_confirmed").isEmpty)
    }
  }

  @Test("the first servers have no REST decisions, and do not announce cancelled requests")
  func firstEnd() throws {
    try TestClient.runSession(.first { $0.limits.endTimeout = .milliseconds(5) }) {
      client,
      stream in
      let request = try await stream.requestApproval()
      let body: JSONValue = ["action": "deny"]
      let missing = try await client.call("POST", Self.path(request), body: body, expecting: 404)
      #expect(missing == ["error": "Not found"])
      try await client.stop(stream.id)
      let events = try await stream.read(through: "session_ended")
      #expect(events.types == ["stop_requested", "state", "stop_confirmed", "session_ended"])
      #expect(events[2]["reason"] == .null)
      try await stream.send(Self.decision(request, "deny"))
      let error = "Permission request not found: \(request["id"].string ?? "")"
      #expect(try await stream.next()["error"].string == error)
    }
  }
}

extension TestStream {
  /// Sends a prompt that needs approval and returns the request.
  fileprivate func requestApproval() async throws -> JSONValue {
    let request = try await prompt("please deploy", untilFirst: "permission_request")
    #expect(RecordedShapes.fits(request))
    return request
  }
}

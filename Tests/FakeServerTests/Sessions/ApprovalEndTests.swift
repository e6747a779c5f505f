// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Approvals without a decision")
struct ApprovalEndTests {
  @Test("an expired request is denied")
  func timeout() throws {
    try TestClient.run(.with { $0.approvalTimeout = .milliseconds(10) }) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await stream.requestApproval(in: id)
      let events = try await stream.readRun()
      #expect(events.types.first == "permission_expired")
      #expect(events[0]["id"] == request["id"])
      #expect(events[0]["reason"] == "Approval timeout")
      #expect(events.lastText == "Not pushed: Approval timeout")
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
      #expect(try await client.call("GET", "/permissions/pending")["pending"] == [])
    }
  }

  @Test("a stop does not release a request, and fails after a while")
  func stop() throws {
    try TestClient.run(
      .with {
        $0.limits.stopPatience = (.milliseconds(5), .milliseconds(5))
      }
    ) { client in
      let (stream, id) = try await client.openSubscribed()
      let request = try await stream.requestApproval(in: id)
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
      // The decision ends the run, and the failed stop is never confirmed.
      try await stream.send([
        "type": "permission_response", "id": request["id"], "action": "deny",
      ])
      let end = try await stream.readRun()
      #expect(end.last?["session"]["status"] == "ready")
      #expect(end.all("stop_confirmed").isEmpty)
    }
  }

  @Test("older servers have no REST decisions, and do not announce cancelled requests")
  func olderEnd() throws {
    try TestClient.run(
      .with {
        $0.dialect = .perSession
        $0.limits.endPatience = .milliseconds(5)
      }
    ) { client in
      let (stream, id) = try await client.openSession()
      let request = try await stream.requestApproval(in: nil)
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
}

extension TestStream {
  /// Sends a prompt that needs approval and returns the request.
  func requestApproval(in id: String?) async throws -> JSONValue {
    try await prompt("please deploy", in: id)
    let request = try #require(try await read(through: "permission_request").last)
    #expect(RecordedShapes.fits(request))
    return request
  }
}

extension [JSONValue] {
  /// The content of the last message.
  var lastText: String? { all("message_end").last?["content"].string }
}

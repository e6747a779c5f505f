// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiHost
import OppiText
import OppiWire
import Testing

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
}

extension TestStream {
  /// Sends a prompt that needs approval and returns the request.
  fileprivate func requestApproval() async throws -> JSONValue {
    let request = try await prompt("please deploy", untilFirst: "permission_request")
    #expect(RecordedShapes.fits(request))
    return request
  }
}

// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Approvals")
struct ApprovalTests {
  @Test("a request is listed and sent to every stream, and REST decides it once")
  func rest() throws {
    try TestClient.run { client in
      let bystander = try await client.openStream()
      let (stream, id) = try await client.openSubscribed()
      let request = try await stream.requestApproval(in: id)
      #expect(request["streamSeq"].int != nil)
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
        body: ["action": "allow", "scope": "session"]
      )
      #expect(
        answer == [
          "ok": true, "id": request["id"], "action": "allow", "scope": "session",
        ]
      )
      let again = try await client.call("POST", path, body: ["action": "allow"], expecting: 404)
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
      let response = try await client.exchange("POST", "/permissions/x/respond", text: body)
      #expect(response.status == 400)
      #expect(try JSONValue(parsing: response.body) == ["error": .string(text)])
    }
  }

  @Test("older servers send pending requests on connect, and do not confirm a decision")
  func older() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      let request = try await stream.requestApproval(in: nil)
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
      #expect(events.lastText == "The branch is pushed.")
    }
  }
}

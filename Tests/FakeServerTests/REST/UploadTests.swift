// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Uploads")
struct UploadTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]

  private static func announcement(_ changes: JSONObject = [:]) -> JSONValue {
    JSONValue.object([
      "name": "notes.txt", "mimeType": "text/plain", "sizeBytes": 5, "purpose": "chat_attachment",
    ]).adding(changes)
  }

  /// Announces and sends a file, and returns its reference.
  private static func upload(
    _ text: String,
    to id: String,
    _ client: TestClient
  ) async throws -> JSONValue {
    let body = announcement(["sizeBytes": .integer(Int64(text.utf8.count))])
    let path = client.sessionPath(id, "/attachments")
    let upload = try await client.call("POST", path, body: body, expecting: 201)
    let target = try #require(upload["contentUrl"].string)
    let response = try await client.exchange("PUT", target, text: text)
    #expect(response.status == 200)
    return try JSONValue(parsing: response.body)["attachment"]
  }

  struct Mismatch: Sendable {
    let change: JSONObject
    let error: String
  }

  @Test(
    "a reference that does not fit refuses the prompt",
    arguments: [
      Mismatch(change: ["name": "other"], error: "Upload name mismatch"),
      Mismatch(change: ["mimeType": "text/html"], error: "Upload MIME type mismatch"),
      Mismatch(change: ["sizeBytes": 4], error: "Upload size mismatch"),
      Mismatch(change: ["sha256": "00"], error: "Upload hash mismatch"),
      Mismatch(change: ["id": "upl_other"], error: "Upload not found"),
    ]
  )
  func mismatch(_ given: Mismatch) throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      let reference = try await Self.upload("hello", to: id, client).adding(given.change)
      let events = try await stream.ask([
        "type": "prompt", "message": "empty", "requestId": "p", "clientTurnId": "t1",
        "attachments": [reference],
      ])
      #expect(events.map { $0["error"].string } == [given.error])
    }
  }

  @Test("a file of another session or too many bytes in a turn are refused")
  func limits() throws {
    try TestClient.runSockets(.sockets { $0.limits.turnUploadBytes = 9 }) { client in
      let (stream, id) = try await client.openSession()
      let other = try await client.createSession()
      let foreign = try await Self.upload("hello", to: other, client)
      let own = try await Self.upload("hello", to: id, client)
      for (files, error) in [
        ([foreign], "Upload not found"), ([own, own], "Attachment payload exceeds max turn size"),
      ] {
        let events = try await stream.ask([
          "type": "prompt", "message": "x", "requestId": "p", "attachments": .array(files),
        ])
        #expect(events.map { $0["error"].string } == [error])
      }
    }
  }

  struct Announced: Sendable {
    let change: JSONObject
    let status: Int
    let error: String
  }

  @Test(
    "an invalid announcement is refused",
    arguments: [
      Announced(
        change: ["purpose": "other"],
        status: 400,
        error: "purpose must be chat_attachment"
      ),
      Announced(
        change: ["sizeBytes": 0],
        status: 400,
        error: "sizeBytes must be a positive integer"
      ),
      Announced(change: ["sizeBytes": 65], status: 413, error: "Upload exceeds max file size"),
      Announced(
        change: ["mimeType": "text/html"],
        status: 415,
        error: "Declared MIME type not allowed: text/html"
      ),
    ]
  )
  func announcements(_ given: Announced) throws {
    try TestClient.runSockets(
      .sockets {
        $0.limits.uploadBytes = 64
        $0.uploadTypes = ["text/plain"]
      }
    ) { client in
      let id = try await client.createSession()
      let answer = try await client.call(
        "POST",
        client.sessionPath(id, "/attachments"),
        body: Self.announcement(given.change),
        expecting: given.status
      )
      #expect(answer["error"].string == given.error)
      let other = client.server.configuration.workspaces[1].id
      let missing = try await client.call(
        "POST",
        "/workspaces/\(other)/sessions/\(id)/attachments",
        body: Self.announcement(),
        expecting: 400
      )
      #expect(missing == ["error": "Session does not belong to this workspace"])
    }
  }

  @Test(
    "the first bytes decide on a type, which must be the declared one",
    arguments: [
      ("image/png", nil), ("application/octet-stream", nil),
      ("text/plain", "Upload MIME type mismatch: declared text/plain, detected image/png"),
    ] as [(String, String?)]
  )
  func types(declared: String, error: String?) throws {
    try TestClient.runSockets { client in
      let id = try await client.createSession()
      let body = Self.announcement([
        "mimeType": .string(declared), "sizeBytes": 10, "name": "a/b/plan.png",
      ])
      let path = client.sessionPath(id, "/attachments")
      let upload = try await client.call("POST", path, body: body, expecting: 201)
      let target = try #require(upload["contentUrl"].string)
      let response = try await client.exchange("PUT", target, bytes: Self.png)
      #expect(response.status == (error == nil ? 200 : 415))
      let answer = try JSONValue(parsing: response.body)
      #expect(answer["error"].string == error)
      if error == nil {
        #expect(answer["attachment"]["mimeType"] == "image/png")
        #expect(answer["attachment"]["name"] == "plan.png")
      }
    }
  }
}
